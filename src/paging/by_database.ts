/** Divides the scopes of a List by the databases that have them. */
import type { Call, Database } from "../auth/call.ts";
import { isSpread } from "../auth/databases.ts";
import type { Scope } from "./scope.ts";

/** The scopes that one database has. */
interface Part {
  db: Database;
  /** The name of the database. */
  name: string;
  scopes: Scope[];
}

/** Divides the scopes by their databases. With one database, all of them are one part. */
export async function byDatabase(
  { db, databases }: Pick<Call, "db" | "databases">,
  scopes: Scope[],
): Promise<Part[]> {
  if (!isSpread(databases)) return [{ db, name: "DB", scopes }];
  const parts = await databases.split(
    scopes.flatMap((scope) => ("uids" in scope ? scope.uids : [scope.uid])),
  );
  return parts.map((part) => {
    const here = new Set(part.uids);
    const narrowed = scopes.map((scope) =>
      "uids" in scope ? { ...scope, uids: scope.uids.filter((uid) => here.has(uid)) } : scope,
    );
    const isHere = (scope: Scope) =>
      "uids" in scope ? scope.uids.length > 0 : here.has(scope.uid);
    return { db: part.db, name: part.name, scopes: narrowed.filter(isHere) };
  });
}
