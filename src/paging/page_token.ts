/**
 * Page tokens (AIP-158) without server state. A token is a JWT (HS256) that is valid for three days. A digest
 * of the request binds it to the RPC, its filters and its order.
 */
import { type Message, toBinary } from "@bufbuild/protobuf";
import { base64url, errors, jwtVerify, SignJWT } from "jose";
import { invalidArgument } from "../aip/errors.ts";
import type { CallAnywhere } from "../auth/call.ts";

/** The place where the next page starts. */
export interface PageCursor {
  /** The order column and the uid of the last row on the previous page. */
  after: [string | number, string];
  /** The number of rows skipped so far. */
  skipped: number;
  /** The number of all matches, as counted for the first page. Null if they were not counted. */
  total: number | null;
}

/** A header of the response if the page token had expired. The rows are then those of the first page. */
export const expiredTokenHeader = "page-token-expired";

const lifetime = "3d";
const claim = "cursor";

/** The keys of the configuration, imported once. */
const imported = new Map<string, Promise<CryptoKey>>();

function keyOf(text: string): Promise<CryptoKey> {
  const known = imported.get(text);
  if (known) return known;
  const bytes = new Uint8Array(base64url.decode(text));
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign", "verify"]);
  imported.set(text, key);
  return key;
}

/**
 * A digest of the RPC, of the request without its place in the list, and of the caller and their access. The
 * access is part of it because a page token contains a total, which a caller with less access must not see.
 * `order` replaces `order_by`, which has several spellings.
 */
export async function digestOf(
  call: CallAnywhere,
  request: Message,
  order: string,
): Promise<string> {
  const query = { ...request, pageSize: 0, pageToken: "", skip: 0, orderBy: order };
  const { bearer, scopes, capabilities } = call.credential ?? {};
  const reach = JSON.stringify([bearer, scopes?.toSorted(), capabilities?.toSorted()]);
  const method = `${call.method.parent.typeName}/${call.method.name}\n${reach}\n`;
  const [head, rest] = [new TextEncoder().encode(method), toBinary(call.method.input, query)];
  const all = new Uint8Array(head.length + rest.length);
  all.set(head);
  all.set(rest, head.length);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", all));
  return btoa(String.fromCharCode(...hash));
}

/** Signs a cursor for the query with that digest. `now` is in milliseconds. */
export async function signPageToken(
  cursor: PageCursor,
  query: string,
  keys: string[],
  now: number,
) {
  // The start of the hour, so that the bytes of a list, and its etag, stay the same while its rows do.
  const issued = Math.floor(now / 3_600_000) * 3600;
  return new SignJWT({ [claim]: cursor })
    .setProtectedHeader({ alg: "HS256" })
    .setAudience(query)
    .setIssuedAt(issued)
    .setExpirationTime(issued + 3 * 24 * 3600)
    .sign(await keyOf(keys[0] ?? ""));
}

/**
 * Opens a page token. Returns `expired` for a valid token that is older than three days. Throws
 * INVALID_ARGUMENT for `page_token` if the platform did not sign it, or if it belongs to another query, order
 * or filter.
 */
export async function openPageToken(
  token: string,
  query: string,
  keys: string[],
  now: number,
): Promise<PageCursor | "expired"> {
  for (const key of keys) {
    try {
      const { payload } = await jwtVerify(token, await keyOf(key), {
        algorithms: ["HS256"],
        audience: query,
        currentDate: new Date(now),
        maxTokenAge: lifetime,
      });
      // A cast, because these keys sign only cursors.
      return payload[claim] as PageCursor;
    } catch (error) {
      if (error instanceof errors.JWTExpired) return expired(error, query);
      if (error instanceof errors.JWTClaimValidationFailed) throw invalidToken();
    }
  }
  throw invalidToken();
}

/** jose checks the audience before the times, so an expired token here belongs to this query. */
function expired(error: errors.JWTExpired, query: string): "expired" {
  if (error.payload.aud !== query) throw invalidToken();
  return "expired";
}

/** One error for all, so that no one learns whether the token of another caller is valid. */
const invalidToken = () =>
  invalidArgument(
    "page_token",
    "page_token must be the next_page_token of a response to you; send the filters and the order of that page, or leave it out to read from the start",
  );
