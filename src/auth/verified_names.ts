/** Finds organizations by their names. The name of a verified organization is unique on the platform. */
import { and, eq, inArray, sql } from "drizzle-orm";
import { groups } from "../../schema/tables/iam/groups.ts";
import { valuesSubselect } from "../aip/any_of.ts";
import { isUid } from "../aip/uid_path.ts";
import { type Databases, isServed, isSpread, rowsOfEach } from "./databases.ts";

/** Written like the partial index on verified names, so that the index is used. */
export const isVerifiedOrganization = and(
  sql`${groups.verified} = 1`,
  eq(sql`length(${groups.uid})`, 40),
);

/** The verified organizations with these names. All databases are asked at once. */
export const verifiedInEach = (databases: Databases, names: string[]) =>
  rowsOfEach(databases, (db) =>
    db
      .select({ uid: groups.uid, name: groups.name })
      .from(groups)
      .where(
        and(
          inArray(groups.name, valuesSubselect(names)),
          isVerifiedOrganization,
          isServed(sql`${groups.uid}`),
        ),
      ),
  );

/**
 * Replaces the names of verified organizations by their uids, and keeps other texts. With one database, nothing is
 * read and the names stay, because each batch finds them itself.
 */
export async function namedUids(databases: Databases, texts: string[]): Promise<string[]> {
  const names = texts.filter((text) => !isUid(text));
  if (!isSpread(databases) || names.length === 0) return texts;
  const organizations = await verifiedInEach(databases, names);
  const uidOf = new Map(organizations.map(({ uid, name }) => [name, uid]));
  return texts.map((text) => uidOf.get(text) ?? text);
}
