/**
 * AIP-122, AIP-148: a uid is the path of its resource, `<40 hex>(/<16 hex>)*` (contract:
 * identifiers). A child's uid begins with its parent's.
 */
import { toHex } from "./sha256.ts";
/** The form as a pattern, as the protos write it. */
export const uidPattern = "^[0-9a-f]{40}(/[0-9a-f]{16})*$";

const uidRegExp = new RegExp(uidPattern);

/** Whether the text is a uid: lower-case hexadecimal, whole string. */
export const isUid = (text: string) => uidRegExp.test(text);

/** A fresh uid under a parent (8 random bytes), or a fresh root uid (20) when it is empty. */
export function newUid(parent = ""): string {
  if (parent === "") return toHex(crypto.getRandomValues(new Uint8Array(20)));
  return `${parent}/${toHex(crypto.getRandomValues(new Uint8Array(8)))}`;
}

/** The uid without its last step; empty for a root uid. */
export const parentOf = (uid: string) => uid.slice(0, Math.max(0, uid.lastIndexOf("/")));

/** The first step. */
export const rootOf = (uid: string) => uid.slice(0, 40);

/** Number of steps below the root: 0 for a root uid. */
export const uidDepth = (uid: string) => (uid.length - 40) / 17;

/** Whether `upper` is `uid` or lies on the path to it. */
export const isAtOrAbove = (upper: string, uid: string) =>
  upper === uid || uid.startsWith(`${upper}/`);

/** The uid and everything above it, nearest first. */
export function ancestry(uid: string): string[] {
  const path = [uid];
  for (let at = parentOf(uid); at !== ""; at = parentOf(at)) path.push(at);
  return path;
}
