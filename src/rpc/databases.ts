/**
 * Finds the database of each organization (docs/decisions/0010). With one database, a statement is sent as it is.
 * With several, the directory names the database, and each batch first checks that the organization is there.
 */
import type { D1Database } from "@cloudflare/workers-types";
import { drizzle } from "drizzle-orm/d1";
import { StaleError } from "../aip/stale.ts";
import { isUid, rootOf } from "../aip/uid_path.ts";
import type { Database } from "../auth/call.ts";
import type { Databases } from "../auth/databases.ts";
import { ConfigError, type Env } from "../config.ts";
import { databaseThrough, type Query, type Send } from "./d1_through.ts";
import { DatabaseFailure } from "./database_failure.ts";

const nameForNew = (env: Env) => env.NEW_ORGANIZATIONS || "DB";

let lastBound: { env: Env; databases: Map<string, D1Database> } | undefined;

/**
 * The databases of an environment by the names of their bindings, `DB` first. They are found once for each `env`. Throws
 * ConfigError if there is none for new organizations.
 */
export function databasesOf(env: Env): Map<string, D1Database> {
  if (lastBound?.env !== env) lastBound = { env, databases: readDatabases(env) };
  return lastBound.databases;
}

function readDatabases(env: Env): Map<string, D1Database> {
  // A cast, because any number of them can be bound and the type has only the first.
  const bindings = env as unknown as Record<string, D1Database>;
  const further = Object.keys(env).filter((name) => /^DB_[1-9]\d*$/.test(name));
  const names = ["DB", ...further.sort((a, b) => Number(a.slice(3)) - Number(b.slice(3)))];
  const databases = new Map(
    names.flatMap((name): [string, D1Database][] => {
      const database = bindings[name];
      return database ? [[name, database]] : [];
    }),
  );
  const forNew = nameForNew(env);
  if (databases.has(forNew)) return databases;
  throw new ConfigError(
    `NEW_ORGANIZATIONS names ${JSON.stringify(forNew)}, which is not a database`,
  );
}

/**
 * The places that this isolate remembers, for each first database. An organization moves rarely, and its old
 * database then refuses every batch, so a place needs no expiry.
 */
const remembered = new WeakMap<D1Database, Map<string, string>>();

/** The most organizations that an isolate remembers. */
const maxRemembered = 20_000;

function placesOf({ DB }: Env): Map<string, string> {
  const places = remembered.get(DB) ?? new Map<string, string>();
  if (places.size >= maxRemembered) places.clear();
  remembered.set(DB, places);
  return places;
}

/**
 * The databases of the environment. `sends` are their batches in one call. `directory` reads the places of organizations
 * in the first one, if its batches may come from a replica.
 */
export function openDatabases(env: Env, sends: Send[], directory = sends[0] as Send): Databases {
  const bound = databasesOf(env);
  const all = sends.map((send): Database => drizzle(databaseThrough(send)));
  // DB is always the first.
  const first = all[0] as Database;
  const names = [...bound.keys()];
  const forNew = nameForNew(env);
  const common = { first, all, names, forNew };
  if (all.length === 1) {
    return {
      ...common,
      databaseOf: () => first,
      split: async (uids) => [{ db: first, name: "DB", uids }],
      othersThan: async () => [],
      rootOf: () => undefined,
    };
  }
  return { ...common, ...spread({ names, sends, all, directory }, placesOf(env)) };
}

interface Opened {
  names: string[];
  sends: Send[];
  all: Database[];
  directory: Send;
}

function spread(
  { names, sends, all, directory }: Opened,
  places: Map<string, string>,
): Pick<Databases, "databaseOf" | "split" | "othersThan" | "rootOf"> {
  const byRoot = new Map<string, Database>();
  const roots = new WeakMap<Database, string>();
  const learnPlaces = async (asked: string[]) => {
    const unknown = asked.filter((root) => !places.has(root));
    if (unknown.length === 0) return;
    const found = await readPlaces(directory, unknown);
    for (const root of unknown) places.set(root, found.get(root) ?? "DB");
  };
  const indexOf = async (root: string) => {
    await learnPlaces([root]);
    const name = places.get(root) ?? "DB";
    const at = names.indexOf(name);
    if (at < 0) throw new ConfigError(`the directory names the database ${name}, which is missing`);
    return at;
  };
  const sendChecked = async (at: number, checked: string[], queries: Query[]) => {
    const send = sends[at] as Send;
    try {
      return (await send([placeCheck(checked, queries), ...queries])).slice(1);
    } catch (thrown) {
      if (refusedState(thrown) !== undefined) for (const root of checked) places.delete(root);
      throw thrown;
    }
  };
  const sendFor =
    (root: string, isSecond = false): Send =>
    async (queries) => {
      try {
        return await sendChecked(await indexOf(root), [root], queries);
      } catch (thrown) {
        const state = refusedState(thrown);
        if (state === undefined) throw thrown;
        // The batch was undone as a whole, so it can be sent to the new place.
        if (state !== "leaving" && !isSecond) return sendFor(root, true)(queries);
        throw new DatabaseFailure("moving", thrown as Error);
      }
    };
  const sendForMany =
    (at: number, some: string[]): Send =>
    async (queries) => {
      try {
        return await sendChecked(at, some, queries);
      } catch (thrown) {
        // The call runs again, and asks the directory where each of them is now.
        throw refusedState(thrown) === undefined ? thrown : new StaleError();
      }
    };
  return {
    databaseOf(uid) {
      if (!isUid(uid)) return all[0] as Database;
      const root = rootOf(uid);
      const database = byRoot.get(root) ?? drizzle(databaseThrough(sendFor(root)));
      byRoot.set(root, database);
      roots.set(database, root);
      return database;
    },
    async split(uids) {
      const rootIn = (uid: string) => (isUid(uid) ? rootOf(uid) : "");
      const some = [...new Set(uids.map(rootIn))];
      await learnPlaces(some.filter((root) => root !== ""));
      const placed = new Map<string, number>();
      for (const root of some) placed.set(root, root === "" ? 0 : await indexOf(root));
      const parts = Map.groupBy(uids, (uid) => placed.get(rootIn(uid)) ?? 0);
      return [...parts].map(([at, part]) => {
        const checked = [...new Set(part.map(rootIn))];
        const db = drizzle(databaseThrough(sendForMany(at, checked)));
        return { db, name: names[at] ?? "", uids: part };
      });
    },
    rootOf: (database) => roots.get(database),
    async othersThan(database) {
      const root = roots.get(database);
      const own = root === undefined ? all.indexOf(database) : await indexOf(root);
      return all.filter((_, at) => at !== own);
    },
  };
}

/** Reads the directory. It does not name the organizations of the first database. */
async function readPlaces(first: Send, roots: string[]): Promise<Map<string, string>> {
  const sql = `select "uid", "database" from "organization_databases" where "uid" in ${listed}`;
  const [found] = await first([{ sql, params: [JSON.stringify(roots)] }]);
  const rows = (found?.results ?? []) as { uid: string; database: string }[];
  return new Map(rows.map(({ uid, database }) => [uid, database]));
}

/** The texts of a JSON parameter. */
const listed = "(select value from json_each(?))";

const refusalText = "organization is ";

const writePattern = /^\s*(insert|update|delete)\b/i;

/**
 * The first statement of a batch. It fails if an organization is not in this database, or if the batch writes while
 * it leaves. SQLite quotes the text, an invalid JSON path, in its error.
 */
function placeCheck(roots: string[], queries: Query[]): Query {
  const refused = queries.some(({ sql }) => writePattern.test(sql))
    ? "'leaving', 'departed', 'arriving'"
    : "'departed', 'arriving'";
  return {
    sql: `select json_extract('{}', '${refusalText}' || "state") from "organization_moves" where "uid" in ${listed} and "state" in (${refused})`,
    params: [JSON.stringify(roots)],
  };
}

/** The state that made the check of a batch fail. Undefined for another error. */
function refusedState(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  return new RegExp(`${refusalText}(leaving|departed|arriving)`).exec(thrown.message)?.[1];
}
