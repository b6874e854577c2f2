/** Conditional requests of version 2 (RFC 9110, section 13), and the etags of responses. */
import type { Message } from "@bufbuild/protobuf";
import { takesIfMatch } from "../../schema/options.ts";
import { invalidArgument } from "../aip/errors.ts";
import { type EtagCondition, namesEtag, readEtagCondition, versionOf } from "../aip/etags.ts";
import { isV2, type Rpc } from "./service.ts";

/** A larger response has no etag, because its hash would take time. */
const maxHashedBytes = 1024 ** 2;

const isRead = ({ method: { name } }: Rpc) => /^(?:Get|List|Lookup|Check|BatchGet)/.test(name);

/**
 * The condition of an update or a delete. Reads and version 1 ignore it. Throws INVALID_ARGUMENT if it is malformed,
 * and for another RPC that writes: it would write although the caller asked it not to.
 */
export function readIfMatch(rpc: Rpc, headers: Headers): EtagCondition | undefined {
  if (!headers.has("if-match") || !isV2(rpc) || isRead(rpc)) return undefined;
  if (takesIfMatch(rpc.method)) return readEtagCondition(headers, "if-match");
  throw invalidArgument("if-match", `${rpc.method.name} does not support If-Match; remove it`);
}

/** Sets the etag of a resource in the response, for every transport. */
export function setVersion(headers: Headers, answer: Message): void {
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
