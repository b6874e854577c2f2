/**
 * Entity tags (RFC 9110, section 8.8.3). The etag of a resource names its row and the time of its last change, so no
 * other resource has it. A dot and a hash of the bytes can follow, because one version can have several
 * representations.
 */
import type { Message } from "@bufbuild/protobuf";
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { invalidArgument } from "./errors.ts";

/** A condition in `If-Match` or `If-None-Match`: any etag (`*`), or one of those in the list. */
export interface EtagCondition {
  isAny: boolean;
  etags: { isWeak: boolean; text: string }[];
}

const entityTag = /^(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"$/;

/** Reads a condition. Undefined without the header. Throws INVALID_ARGUMENT for a malformed one. */
export function readEtagCondition(
  headers: Headers,
  name: "if-match" | "if-none-match",
): EtagCondition | undefined {
  const value = headers.get(name)?.trim();
  if (value === undefined) return undefined;
  if (value === "*") return { isAny: true, etags: [] };
  // An etag can contain commas, and elements of a list can be empty (RFC 9110, section 5.6.1).
  const parts = (value.match(/(?:"[^"]*"|[^",]|")+/g) ?? []).map((part) => part.trim());
  const matches = parts.filter((part) => part !== "").map((part) => entityTag.exec(part));
  const etags = matches.flatMap((match) =>
    match ? [{ isWeak: match[1] !== undefined, text: match[2] ?? "" }] : [],
  );
  if (etags.length === 0 || etags.length < matches.length)
    throw invalidArgument(name, `${name} must be * or a list of etags in double quotes`);
  return { isAny: false, etags };
}

/** The etag of a resource without quotes. Undefined for a message without a uid or without an update time. */
export function versionOf(message: Message): string | undefined {
  const { uid, updateTime } = message as Message & { uid?: string; updateTime?: Timestamp };
  if (!uid || !updateTime) return undefined;
  const type = message.$typeName.slice(message.$typeName.lastIndexOf(".") + 1);
  return `${type}-${uid.slice(uid.lastIndexOf("/") + 1)}-${timestampMs(updateTime).toString(36)}`;
}

/** Whether the current version of a resource meets `If-Match`. Weak etags never match (RFC 9110, section 13.1.1). */
export const matchesVersion = ({ isAny, etags }: EtagCondition, version: string): boolean =>
  isAny || etags.some(({ isWeak, text }) => !isWeak && text.split(".", 1)[0] === version);

/** Whether `If-None-Match` names the etag. Weak etags match too (RFC 9110, section 13.1.2). */
export const namesEtag = ({ isAny, etags }: EtagCondition, etag: string): boolean =>
  isAny || etags.some(({ text }) => `"${text}"` === etag);
