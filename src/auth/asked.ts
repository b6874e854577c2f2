/** What a List was asked for, and which part of it the caller may see. */
import type { UIDPFilter } from "../../schema/gen/platform/uidp/v1/uidp_filter_pb.js";
import { invalidArgument } from "../aip/errors.ts";
import type { Arm } from "../aip/listing.ts";
import { ancestry, isAtOrAbove, parentOf } from "../aip/uid_path.ts";
import { type Caller, scopesOf } from "./grants.ts";

/** The one scope that a filter names. */
export type Asked =
  | { at: "below" | "childrenOf"; uid: string }
  | { at: "ancestorsOf"; uid: string }
  | { at: "inRoot" }
  | { at: "uids"; uids: string[] };

/** The one scope a filter names. Throws INVALID_ARGUMENT where it names more. */
export function oneOf(filter: UIDPFilter | undefined): Asked | undefined {
  if (!filter) return undefined;
  const asked: Asked[] = [];
  if (filter.descendantsOf !== "") asked.push({ at: "below", uid: filter.descendantsOf });
  if (filter.childrenOf !== "") asked.push({ at: "childrenOf", uid: filter.childrenOf });
  if (filter.ancestorsOf !== "") asked.push({ at: "ancestorsOf", uid: filter.ancestorsOf });
  if (filter.inRoot) asked.push({ at: "inRoot" });
  if (filter.ids.length > 0) asked.push({ at: "uids", uids: [...new Set(filter.ids)] });
  if (asked.length > 1) throw invalidArgument("uidp", "uidp takes one of its filters at a time");
  return asked[0];
}

/** The one uid at which to hold the capability, where there is one, and the arm that it allows. */
export function soleOf(
  asked: Asked | undefined,
  root: boolean,
): { uid: string; arm: Arm } | undefined {
  if (asked?.at === "below" || asked?.at === "childrenOf") return { uid: asked.uid, arm: asked };
  if (asked?.at !== "uids" || asked.uids.length !== 1) return undefined;
  const [uid = ""] = asked.uids;
  // A row that everyone sees who holds the capability anywhere.
  if (root && parentOf(uid) === "") return undefined;
  return { uid, arm: asked };
}

/** The part of what was asked for that lies within the caller's grants. */
export function visible(
  caller: Caller,
  capabilities: readonly number[],
  asked: Asked | undefined,
  { root, isGroups = false }: { root: boolean; isGroups?: boolean | undefined },
): Arm[] {
  const scopes = scopesOf(caller, capabilities);
  if (scopes.length === 0) return [];
  const covered = (uid: string) => scopes.some((scope) => isAtOrAbove(scope, uid));
  const uids = (of: string[]): Arm[] => (of.length > 0 ? [{ at: "uids", uids: of }] : []);
  const rootRows: Arm[] = root ? [{ at: "childrenOf", uid: "" }] : [];
  if (!asked) return [...rootRows, ...scopes.map((uid): Arm => ({ at: "atOrBelow", uid }))];
  switch (asked.at) {
    case "below":
      return scopes
        .filter((scope) => isAtOrAbove(asked.uid, scope))
        .map((uid): Arm => ({ at: "atOrBelow", uid }));
    case "childrenOf":
      // The row of a group's uid is that group's child, so seeing it takes the group itself.
      return isGroups ? [] : uids(scopes.filter((scope) => parentOf(scope) === asked.uid));
    case "ancestorsOf":
      return uids(ancestry(asked.uid).slice(1).filter(covered));
    case "inRoot":
      return root ? rootRows : uids(scopes.filter((scope) => parentOf(scope) === ""));
    case "uids":
      return uids(asked.uids.filter((uid) => covered(uid) || (root && parentOf(uid) === "")));
  }
}
