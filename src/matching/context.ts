/** The databases of a call or of a schedule, as matching uses them. */
import { and, eq, sql } from "drizzle-orm";
import { groups } from "../../schema/tables/iam/groups.ts";
import { type Database, isServed } from "../auth/databases.ts";
import { isVerifiedOrganization } from "../auth/verified_names.ts";
import type { Config } from "../config.ts";
import type { readPurl, toPurl } from "../packages/purls.ts";

/** An organization, and the database that has it. */
export interface OrganizationAt {
  db: Database;
  uid: string;
}

/** Loaded when something is to be done, because the library takes a while to start. */
type Purls = { readPurl: typeof readPurl; toPurl: typeof toPurl };

export interface MatchContext {
  config: Config;
  purls: Purls;
  /** The database with the marks. */
  db: Database;
  /** All databases. Records of the public organization match images in each of them. */
  databases: readonly Database[];
  /** The verified organization of the public namespace. Undefined if there is none. */
  publicOrganization: OrganizationAt | undefined;
}

/** Finds the verified organization with a name. */
export async function findPublic(
  databases: readonly Database[],
  name: string,
): Promise<OrganizationAt | undefined> {
  const found = databases.map(async (db) => {
    const rows = await db
      .select({ uid: groups.uid })
      .from(groups)
      .where(and(eq(groups.name, name), isVerifiedOrganization, isServed(sql`${groups.uid}`)));
    return rows.map(({ uid }) => ({ db, uid }));
  });
  return (await Promise.all(found)).flat()[0];
}
