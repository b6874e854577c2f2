/**
 * Reads the grants of a caller whose organizations can be in several databases (docs/decisions/0010). All of them
 * are asked at the same time.
 */
import { sql } from "drizzle-orm";
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import { rootOf } from "../aip/uid_path.ts";
import type { Call, Credential, Database } from "./call.ts";
import { isServed, isSpread } from "./databases.ts";
import {
  buildGrants,
  type GrantRow,
  type GrantScope,
  guardGrants,
  selectGrants,
  uidOfScope,
} from "./grant_rows.ts";
import { type ChainLink, locationUidOf, selectValidLinks } from "./token_chain.ts";

type Statement = BatchItem<"sqlite">;

/** The database of a read, and the others. */
type Reading = Pick<Call, "db" | "databases">;

/** The grants that one database has. */
export interface FoundGrants {
  db: Database;
  rows: GrantRow[];
}

/** Grants, and the rows of statements that were read in the same round trip. */
interface Read<S extends readonly Statement[]> {
  grants: FoundGrants[];
  rows: BatchResponse<S>;
}

/** All grants that were found, without their databases. */
export const grantsOf = (grants: FoundGrants[]): GrantRow[] => grants.flatMap(({ rows }) => rows);

/**
 * Reads the grants that decide about the scope, and the rows of the statements from `db`. It takes one round trip. A
 * caller whose identity is not in that database has no access there, and takes a second one.
 */
export async function readGrantRows<const S extends readonly Statement[]>(
  { db, databases }: Reading,
  credential: Credential,
  scope: GrantScope,
  statements: S,
): Promise<Read<S>> {
  if (isSpread(databases)) return readSpread({ db, databases }, credential, scope, statements);
  const [rows, ...others] = await db.batch([selectGrants(db, credential, scope), ...statements]);
  // A cast, because the compiler does not know the types in the rest of a batch of unknown length.
  return { grants: [{ db, rows }], rows: others as unknown as BatchResponse<S> };
}

async function readSpread<const S extends readonly Statement[]>(
  reading: Reading,
  credential: Credential,
  scope: GrantScope,
  statements: S,
): Promise<Read<S>> {
  const { db, databases } = reading;
  requireSameRoot(reading, scope);
  const isWide = isEverywhere(scope);
  const { here, elsewhere } = isWide
    ? { here: { ...credential, linksHere: [] }, elsewhere: credential.chain }
    : splitChain(reading, credential);
  const asksAll = isWide && !isAtHome(reading, credential);
  const others = asksAll || elsewhere.length > 0 ? await databases.othersThan(db) : [];
  const grants = isWide ? selectServed(db, here, scope) : selectGrants(db, here, scope);
  const read = ([grantRows, links, ...rest]: unknown[]) => ({
    rows: grantRows as GrantRow[],
    links: links as { position: number }[],
    rest,
  });
  const [own, ...answers] = await Promise.all([
    db.batch([grants, selectValidLinks(db, elsewhere), ...statements]).then(read),
    ...others.map((other) => {
      const grantSelects = asksAll ? [selectServed(other, here, scope)] : [];
      const links = selectValidLinks(other, elsewhere);
      return other
        .batch([links, ...grantSelects])
        .then(([of, grantRows = []]) => read([grantRows, of]));
    }),
  ]);
  const rows = own.rest as unknown as BatchResponse<S>;
  const all = [own, ...answers];
  const isValid = elsewhere.every((_, position) =>
    all.some(({ links }) => links.some((link) => link.position === position)),
  );
  if (!isValid) return { grants: [], rows };
  const foundGrants = all.map((answer, index) => ({
    db: index === 0 ? db : (others[index - 1] ?? db),
    rows: answer.rows,
  }));
  if (isWide || grantsOf(foundGrants).length > 0) return { grants: foundGrants, rows };
  return { grants: await readIdentity(reading, here, scope), rows };
}

/** A handler that forgot `callAt` would read another database than that of the uid, and find no access. */
function requireSameRoot({ db, databases }: Reading, scope: GrantScope): void {
  if (scope === undefined || databases.rootOf(db) === rootOf(uidOfScope(scope))) return;
  throw new Error("the call is not in the database of the uid that it is about");
}

/** Whether a scope needs the grants of all organizations. */
const isEverywhere = (scope: GrantScope): boolean =>
  scope === undefined || (typeof scope === "object" && "everywhere" in scope);

/** Whether the caller is an identity of the call's organization. It has no access outside of that. */
function isAtHome({ db, databases }: Reading, { bearer }: Credential): boolean {
  const root = databases.rootOf(db);
  return root !== undefined && "uid" in bearer && bearer.uid.startsWith(`${root}/`);
}

/** The links that the database of the call can check, and the others. */
function splitChain({ db, databases }: Reading, credential: Credential) {
  const root = databases.rootOf(db);
  const isHere = (link: ChainLink) => root !== undefined && locationUidOf(link).startsWith(root);
  const linksHere = credential.chain.filter(isHere);
  const elsewhere = credential.chain.filter((link) => !isHere(link));
  return { here: { ...credential, linksHere }, elsewhere };
}

/** Like {@link selectGrants}, without rows that a move has left behind. */
const selectServed = (db: Database, credential: Credential, scope: GrantScope) =>
  buildGrants(db, credential, scope).where(
    sql`${isServed(sql`"identity"`)} and ("group" is null or ${isServed(sql`"group"`)})`,
  );

/**
 * The identity of a caller who has nothing in the database of the call. It says who the caller is. Empty if the token
 * is no longer valid, which can be the reason that nothing was found.
 */
async function readIdentity(
  { db, databases }: Reading,
  { linksHere = [], ...credential }: Credential,
  scope: GrantScope,
): Promise<FoundGrants[]> {
  const others = await databases.othersThan(db);
  const [valid, ...grants] = await Promise.all([
    selectValidLinks(db, linksHere),
    ...others.map(async (other) => ({
      db: other,
      rows: await selectServed(other, { ...credential, linksHere: [] }, scope),
    })),
  ]);
  return valid.length === linksHere.length ? grants : [];
}

/**
 * The guard of a write: the caller still has the grants that were read from the database of the call. Those from
 * other databases were checked when they were read.
 */
export function guardFoundGrants(
  reading: Reading,
  credential: Credential,
  scope: GrantScope,
  grants: FoundGrants[],
) {
  const { db, databases } = reading;
  const { here } = isSpread(databases) ? splitChain(reading, credential) : { here: credential };
  return guardGrants(db, here, scope, grants.find((part) => part.db === db)?.rows ?? []);
}
