/** Conditional requests of version 2 (RFC 9110, section 13; AIP-154), and the etags of responses. */
import type { Message } from "@bufbuild/protobuf";
import { takesIfMatch } from "../../schema/options.ts";
import { invalidArgument } from "../aip/errors.ts";
import {
  areCompatible,
  type EtagCondition,
  namesEtag,
  readEtagCondition,
  readEtagField,
  setEtags,
  versionOf,
} from "../aip/etags.ts";
import { isV2, type Rpc } from "./service.ts";

/** A larger response has no etag, because its hash would take time. */
const maxHashedBytes = 1024 ** 2;

const isRead = ({ method: { name } }: Rpc) => /^(?:Get|List|Lookup|Check|BatchGet)/.test(name);

/**
 * The condition of an update or a delete, in `If-Match` or in the field `etag`. Reads and version 1 ignore it. Throws
 * INVALID_ARGUMENT if it is malformed, if the two contradict each other, and for another RPC that writes: it would write
 * although the caller asked it not to.
 */
export function readIfMatch(
  rpc: Rpc,
  request: Message,
  headers: Headers,
): EtagCondition | undefined {
  if (!isV2(rpc) || isRead(rpc)) return undefined;
  if (!takesIfMatch(rpc.method)) {
    if (!headers.has("if-match")) return undefined;
    throw invalidArgument("if-match", `${rpc.method.name} does not support If-Match; remove it`);
  }
  const header = readEtagCondition(headers, "if-match");
  const field = readEtagField(conditionalPart(rpc, request).message?.etag ?? "");
  if (header && field && !areCompatible(header, field))
    throw invalidArgument("etag", "etag is another one than that in If-Match; send one of them");
  return field ?? header;
}

/** The request of {@link readIfMatch} without its field `etag`, which is not part of the change or of its event. */
export function withoutEtag(rpc: Rpc, request: Message): Message {
  const { message, localName } = conditionalPart(rpc, request);
  if (!isV2(rpc) || !takesIfMatch(rpc.method) || !message?.etag) return request;
  const rest = { ...message, etag: "" };
  return localName === undefined ? rest : ({ ...request, [localName]: rest } as Message);
}

/** The message with the field `etag`: the resource of an update, in the field of that name, or the request of a delete. */
function conditionalPart({ method, resource }: Rpc, request: Message) {
  const localName = method.input.fields.find(({ name }) => name === resource)?.localName;
  // The message is found by its name, because the type of the request is not known here.
  const part = localName === undefined ? request : { ...request }[localName as "$typeName"];
  return { message: part as (Message & { etag?: string }) | undefined, localName };
}

/** Sets the etags of a response: that of the resource in the header, for every transport, and those in its fields. */
export function setVersion({ method }: Rpc, headers: Headers, answer: Message): void {
  setEtags(method.output, answer);
  const version = versionOf(answer);
  if (version !== undefined) headers.set("etag", `"${version}"`);
}

/**
 * The response to a GET with these bytes: with its etag, and without a body if the caller has the same bytes. The
 * headers keep caches and Cloudflare from sharing or changing it.
 */
export async function conditionalResponse(
  condition: EtagCondition | undefined,
  headers: Headers,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Response> {
  headers.set("vary", "authorization");
  headers.set("cache-control", "private, no-cache, no-transform");
  if (bytes.length > maxHashedBytes) return new Response(bytes, { headers });
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const digest = btoa(String.fromCharCode(...hash))
    .replace(/\W/g, "")
    .slice(0, 22);
  const version = headers.get("etag")?.slice(1, -1);
  const etag = version === undefined ? `"${digest}"` : `"${version}.${digest}"`;
  headers.set("etag", etag);
  if (!condition || !namesEtag(condition, etag)) return new Response(bytes, { headers });
  headers.delete("content-type");
  return new Response(null, { status: 304, headers });
}
