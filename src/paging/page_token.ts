/**
 * AIP-158 page tokens without server state: a JWT (HS256) that lives three days and is bound to
 * the RPC, its filters and its order by a digest of the request.
 */
import { type Message, toBinary } from "@bufbuild/protobuf";
import { base64url, errors, jwtVerify, SignJWT } from "jose";
import { invalidArgument } from "../aip/errors.ts";
import type { Call } from "../auth/call.ts";

/** Where the next page starts. */
export interface PageCursor {
  /** Order column and uid of the last row of the page before. */
  after: [string | number, string];
  /** Rows skipped so far. */
  skipped: number;
  /** All matches, as counted for the first page. */
  total: number;
}

/** Header of an answer whose page token had expired: the rows are those of the first page. */
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
 * A digest of the RPC, of everything in the request but the place in the list, and of who asks with what reach:
 * a page token has a total, which is not for whoever reaches less. `order` stands for `order_by`, which has
 * several spellings.
 */
export async function digestOf(call: Call, request: Message, order: string): Promise<string> {
  const query = { ...request, pageSize: 0, pageToken: "", skip: 0, orderBy: order };
  const { bearer, scopes, capabilities } = call.credential ?? {};
  const reach = JSON.stringify([bearer, scopes?.toSorted(), capabilities?.toSorted()]);
  const method = `${call.method.parent.typeName}/${call.method.name}\n${reach}\n`;
  const bytes = toBinary(call.method.input, query);
  const all = new Uint8Array([...new TextEncoder().encode(method), ...bytes]);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", all));
  return btoa(String.fromCharCode(...hash));
}

/** Signs a cursor for the query of that digest. `now` is in milliseconds. */
export async function signPageToken(
  cursor: PageCursor,
  query: string,
  keys: string[],
  now: number,
) {
  return new SignJWT({ [claim]: cursor })
    .setProtectedHeader({ alg: "HS256" })
    .setAudience(query)
    .setIssuedAt(Math.floor(now / 1000))
    .setExpirationTime(new Date(now + 3 * 24 * 3600 * 1000))
    .sign(await keyOf(keys[0] ?? ""));
}

/**
 * Opens a page token. Answers `expired` for a genuine one past its three days. Throws
 * INVALID_ARGUMENT naming `page_token` for one that we did not sign or that belongs to another
 * query, order or filter.
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
      // A cast, as only a cursor is ever signed with these keys.
      return payload[claim] as PageCursor;
    } catch (error) {
      if (error instanceof errors.JWTExpired) return expired(error, query);
      if (error instanceof errors.JWTClaimValidationFailed) throw foreign();
    }
  }
  throw invalidArgument("page_token", "page_token is not one this service issued");
}

/** jose checks the audience before the times, so an expired token here is of this very query. */
function expired(error: errors.JWTExpired, query: string): "expired" {
  if (error.payload.aud !== query) throw foreign();
  return "expired";
}

const foreign = () =>
  invalidArgument(
    "page_token",
    "page_token is of another query or caller: filters, order or token changed",
  );
