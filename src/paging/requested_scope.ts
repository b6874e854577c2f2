/** Finds the scope that a List names, the parts of it that the caller may see, and their databases. */
import type { UIDPFilter } from "../../schema/gen/platform/uidp/v1/uidp_filter_pb.js";
import { invalidArgument } from "../aip/errors.ts";
import { ancestry, isAtOrAbove, parentOf } from "../aip/uid_path.ts";
import type { CallAnywhere, Database } from "../auth/call.ts";
import { isSpread } from "../auth/databases.ts";
import { type Caller, scopesOf } from "../auth/grants.ts";
import type { Scope } from "./listing.ts";

/** The one scope that a filter names. */
export type RequestedScope =
  | { at: "below" | "childrenOf"; uid: string }
  | { at: "ancestorsOf"; uid: string }
  | { at: "inRoot" }
  | { at: "uids"; uids: string[] };

/** Returns the one scope that a filter names. Throws INVALID_ARGUMENT if it names several. */
export function requestedScope(filter: UIDPFilter | undefined): RequestedScope | undefined {
  if (!filter) return undefined;
  const named: RequestedScope[] = [];
  if (filter.descendantsOf !== "") named.push({ at: "below", uid: filter.descendantsOf });
  if (filter.childrenOf !== "") named.push({ at: "childrenOf", uid: filter.childrenOf });
  if (filter.ancestorsOf !== "") named.push({ at: "ancestorsOf", uid: filter.ancestorsOf });
  if (filter.inRoot) named.push({ at: "inRoot" });
  if (filter.ids.length > 0) named.push({ at: "uids", uids: [...new Set(filter.ids)] });
  if (named.length > 1) {
    throw invalidArgument("uidp", "uidp can contain only one of its filters; send one of them");
  }
  return named[0];
}

/**
 * Returns the one uid where the caller needs the capability to see the whole requested scope, if there is
 * one, and the scope that the caller then sees.
 */
export function singleScope(
  requested: RequestedScope | undefined,
  isRootShared = false,
): { uid: string; scope: Scope } | undefined {
  if (requested?.at === "below" || requested?.at === "childrenOf") {
    return { uid: requested.uid, scope: requested };
  }
  if (requested?.at !== "uids" || requested.uids.length !== 1) return undefined;
  const [uid = ""] = requested.uids;
  // A row that everyone who has the capability anywhere can see.
  if (isRootShared && parentOf(uid) === "") return undefined;
  return { uid, scope: requested };
}

/** The part of the requested scope that the caller's grants cover. */
export function visibleScopes(
  caller: Caller,
  capabilities: readonly number[],
  requested: RequestedScope | undefined,
  {
    isRootShared = false,
    isKeyedByGroup = false,
  }: { isRootShared?: boolean; isKeyedByGroup?: boolean | undefined } = {},
): Scope[] {
  const held = scopesOf(caller, capabilities);
  if (held.length === 0) return [];
  const isCovered = (uid: string) => held.some((group) => isAtOrAbove(group, uid));
  const named = (uids: string[]): Scope[] => (uids.length > 0 ? [{ at: "uids", uids }] : []);
  const rootRows: Scope[] = isRootShared ? [{ at: "childrenOf", uid: "" }] : [];
  if (!requested) return [...rootRows, ...held.map((uid): Scope => ({ at: "atOrBelow", uid }))];
  switch (requested.at) {
    case "below":
      return held
        .filter((group) => isAtOrAbove(requested.uid, group))
        .map((uid): Scope => ({ at: "atOrBelow", uid }));
    case "childrenOf":
      // The row with the uid of a group is a child of that group, so only a grant on the group itself covers
      // it.
      return isKeyedByGroup ? [] : named(held.filter((group) => parentOf(group) === requested.uid));
    case "ancestorsOf":
      return named(ancestry(requested.uid).slice(1).filter(isCovered));
    case "inRoot":
      return isRootShared ? rootRows : named(held.filter((group) => parentOf(group) === ""));
    case "uids":
      return named(
        requested.uids.filter((uid) => isCovered(uid) || (isRootShared && parentOf(uid) === "")),
      );
  }
}

/**
 * Throws INVALID_ARGUMENT if a list would merge more scopes than it can. Each scope of such a list costs statements of
 * its own.
 */
export function requireFewScopes({ length }: Scope[], most: number, what = "a list"): void {
  if (length <= most) return;
  const text = `${what} merges at most ${most} groups where you have a role, and these are ${length}; send the uid of one group in uidp.descendants_of`;
  throw invalidArgument("uidp", text);
}

/** The parts of the scopes that are children of a parent. An empty parent leaves the scopes as they are. */
export function narrowed(scopes: Scope[], parent: string): Scope[] {
  if (parent === "") return scopes;
  return scopes.flatMap((scope): Scope[] => {
    if (scope.at === "uids") {
      return [{ at: "uids", uids: scope.uids.filter((uid) => parentOf(uid) === parent) }];
    }
    const isWithin = "uids" in scope ? scope.uids.includes(parent) : isAtOrAbove(scope.uid, parent);
    const isAll = scope.at !== "childrenOf" || scope.uid === parent;
    return isWithin && isAll ? [{ at: "childrenOf", uid: parent }] : [];
  });
}

/** The scopes that one database has. */
interface Part {
  db: Database;
  /** The name of the database. */
  name: string;
  scopes: Scope[];
}

/** Divides the scopes by their databases. With one database, all of them are one part. */
export async function byDatabase(
  { databases }: Pick<CallAnywhere, "databases">,
  scopes: Scope[],
): Promise<Part[]> {
  if (!isSpread(databases)) return [{ db: databases.first, name: "DB", scopes }];
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
