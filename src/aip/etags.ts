/**
 * Entity tags (RFC 9110, section 8.8.3), and the field `etag` of resources (AIP-154). The etag of a resource names its
 * row and the time of its last change, so no other resource has it. In a header, a dot and a hash of the bytes can
 * follow, because one version can have several representations.
 */
import type { DescMessage, Message } from "@bufbuild/protobuf";
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { invalidArgument } from "./errors.ts";

/** A condition in `If-Match` or `If-None-Match`: any etag (`*`), or one of those in the list. */
export interface EtagCondition {
  isAny: boolean;
  etags: { isWeak: boolean; text: string }[];
}

/** A resource with the field `etag`. */
export type Resource = Message & { uid: string; updateTime?: Timestamp | undefined; etag: string };

/** Whether a message has the etag of a resource. Quotas and SCIM configurations have etags of another kind. */
export const hasEtag = ({ field }: DescMessage): boolean =>
  "uid" in field && "updateTime" in field && "etag" in field;

/** The longest etag in a field. */
const maxLength = 128;

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

/** Reads the field `etag` of a request. Undefined if it is empty. Throws INVALID_ARGUMENT for a malformed one. */
export function readEtagField(value: string): EtagCondition | undefined {
  if (value === "") return undefined;
  const [, weak, text] = entityTag.exec(value) ?? [];
  if (text === undefined || value.length > maxLength)
    throw invalidArgument(
      "etag",
      `etag must be one etag in double quotes, of at most ${maxLength} characters`,
    );
  return { isAny: false, etags: [{ isWeak: weak !== undefined, text }] };
}

/** Sets the field `etag` of the resources in a response: of the response itself, or of its rows. */
export function setEtags(desc: DescMessage, answer: Message): void {
  if (hasEtag(desc)) setEtag(answer as Resource);
  const fields = new Map<string, unknown>(Object.entries(answer));
  for (const { message, localName } of desc.fields) {
    if (!message || !hasEtag(message)) continue;
    for (const row of [fields.get(localName) ?? []].flat()) setEtag(row as Resource);
  }
}

function setEtag(resource: Resource): void {
  const version = versionOf(resource);
  if (version !== undefined) resource.etag = `"${version}"`;
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
  isAny || etags.some(({ isWeak, text }) => !isWeak && versionIn(text) === version);

const versionIn = (text: string) => text.split(".", 1)[0] ?? "";

/** Whether a condition allows the only version of another one. */
export const areCompatible = (condition: EtagCondition, { etags }: EtagCondition): boolean =>
  etags.every(({ text }) => matchesVersion(condition, versionIn(text)));

/** Whether `If-None-Match` names the etag. Weak etags match too (RFC 9110, section 13.1.2). */
export const namesEtag = ({ isAny, etags }: EtagCondition, etag: string): boolean =>
  isAny || etags.some(({ text }) => `"${text}"` === etag);
