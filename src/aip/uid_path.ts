/**
 * A uid is the path of its resource, `<40 hex>(/<16 hex>)*` (AIP-122, AIP-148; contract: identifiers). The
 * uid of a child begins with the uid of its parent.
 */
import { toHex } from "./sha256.ts";
/** The form as a regular expression, as in the protos. */
export const uidPattern = "^[0-9a-f]{40}(/[0-9a-f]{16})*$";

const uidRegExp = new RegExp(uidPattern);

/** Whether the whole text is a uid, in lowercase hexadecimal digits. */
export const isUid = (text: string) => uidRegExp.test(text);

/**
 * Creates a uid below a parent, with 8 random bytes. If the parent is empty, creates a root uid of 20 random
 * bytes.
 */
export function newUid(parent = ""): string {
  if (parent === "") return toHex(crypto.getRandomValues(new Uint8Array(20)));
  return `${parent}/${toHex(crypto.getRandomValues(new Uint8Array(8)))}`;
}

/** The uid without its last step. Empty for a root uid. */
export const parentOf = (uid: string) => uid.slice(0, Math.max(0, uid.lastIndexOf("/")));

/** The first step. */
export const rootOf = (uid: string) => uid.slice(0, 40);

/** The number of steps below the root: 0 for a root uid. */
export const uidDepth = (uid: string) => (uid.length - 40) / 17;

/** Whether `upper` is `uid` or an ancestor of it. */
export const isAtOrAbove = (upper: string, uid: string) =>
  upper === uid || uid.startsWith(`${upper}/`);

/** The uid and its ancestors, nearest first. */
export function ancestry(uid: string): string[] {
  const path = [uid];
  for (let parent = parentOf(uid); parent !== ""; parent = parentOf(parent)) path.push(parent);
  return path;
}
