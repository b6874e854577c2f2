/**
 * The databases of the platform (docs/decisions/0010). A row of an organization is in the database of its
 * organization. Everything else is in the first database.
 */
import { type SQL, sql } from "drizzle-orm";
import type { DrizzleD1Database } from "drizzle-orm/d1";
import type { Trace } from "../telemetry/trace.ts";

/** A database of one call. Its batches are counted if the configuration says so. */
export type Database = DrizzleD1Database;

export interface Databases {
  /** Has the organizations that the directory does not name, and everything that belongs to no organization. */
  readonly first: Database;
  /** All databases, the first one first. A statement for one of them can meet rows of any organization. */
  readonly all: readonly Database[];
  /**
   * The database with the rows of a uid. A batch finds it by the root of the uid. It fails with UNAVAILABLE while
   * the organization moves, and follows an organization that has moved. Any other text leads to the first
   * database.
   */
  databaseOf(uid: string): Database;
  /** The databases of several uids, each with its part of them. With one database, all of them are in one part. */
  split(
    uids: readonly string[],
  ): Promise<{ db: Database; name: string; uids: readonly string[] }[]>;
  /** The members of `all` without the one that a database of {@link databaseOf} sends its batches to. */
  othersThan(database: Database): Promise<readonly Database[]>;
  /** The root of the uid that a database was found by. Undefined for a member of `all`. */
  rootOf(database: Database): string | undefined;
  /** The name of the database for new organizations. It is also what the directory stores. */
  readonly forNew: string;
  /** The members of `all` by their names. */
  readonly names: readonly string[];
  /** The trace of the call that the databases were opened for. */
  readonly trace?: Trace;
}

/** Sends a batch to each database at once. One database costs the same as without this function. */
export const inEach = <Result>(
  { all }: Pick<Databases, "all">,
  work: (database: Database) => Promise<Result>,
): Promise<Result[]> => Promise.all(all.map(work));

/** Like {@link inEach}, and joins the rows. */
export const rowsOfEach = async <Row>(
  databases: Pick<Databases, "all">,
  work: (database: Database) => PromiseLike<Row[]>,
): Promise<Row[]> => (await inEach(databases, async (database) => work(database))).flat();

/** Whether the organizations are spread over several databases. */
export const isSpread = ({ all }: Pick<Databases, "all">): boolean => all.length > 1;

/**
 * The condition that this database, and no other, has the organization of a uid. A statement needs it if it meets rows
 * of several organizations, because a move leaves copies behind for a while.
 */
export const isServed = (uid: SQL): SQL =>
  sql`substr(${uid}, 1, 40) not in (select "uid" from "organization_moves" where "state" in ('departed', 'arriving'))`;

/**
 * The condition that this database takes writes of the organization of a uid. A schedule needs it. The rows of an
 * organization that leaves would undo its whole batch, and a copy must not change before it is complete.
 */
export const isWritable = (uid: SQL): SQL =>
  sql`substr(${uid}, 1, 40) not in (select "uid" from "organization_moves" where "state" <> 'copying')`;
