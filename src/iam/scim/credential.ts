/** Authorizes provisioning by the bearer of a provider's SCIM token, while SCIM is enabled. */
import { eq } from "drizzle-orm";
import { identityProviders } from "../../../schema/tables/iam/identity_providers.ts";
import { sha256 } from "../../aip/sha256.ts";
import type { Database } from "../../auth/call.ts";
import { ScimError } from "./errors.ts";
import type { ScimCall } from "./exchange.ts";

/** The statement that reads the data for checking a token of the provider. */
export const selectCredential = (db: Database, provider: string) =>
  db
    .select({
      enabled: identityProviders.scimEnabled,
      digest: identityProviders.scimTokenDigest,
      expires: identityProviders.scimTokenExpireTime,
      previousDigest: identityProviders.scimPreviousTokenDigest,
      previousExpires: identityProviders.scimPreviousTokenExpireTime,
    })
    .from(identityProviders)
    .where(eq(identityProviders.uid, provider));

type Row = Awaited<ReturnType<typeof selectCredential>>[number];

const unauthorized = (detail: string) =>
  new ScimError(401, detail, undefined, { "www-authenticate": 'Bearer realm="scim"' });

/** SHA-256 of the bearer token in hexadecimal (RFC 6750). Throws 401 if there is none. */
export async function presentedDigest(headers: Headers): Promise<string> {
  const token = /^bearer +([^\s]+)$/i.exec(headers.get("authorization")?.trim() ?? "")?.[1];
  if (!token) throw unauthorized("the request has no bearer token");
  return sha256(token);
}

/**
 * Throws 401 unless the token is the provider's current token, or its previous one during the overlap. Throws
 * 403 if the token is valid and SCIM is disabled. An error does not say what is wrong with a token, or
 * whether the provider exists.
 */
export function requireCredential(
  row: Row | undefined,
  { digest, now, noteCaller }: Pick<ScimCall, "digest" | "now" | "noteCaller">,
): void {
  const isGood = (stored: string, expires: number | null) =>
    stored !== "" && stored === digest && (expires ?? Number.POSITIVE_INFINITY) > now;
  const known =
    row &&
    (isGood(row.digest, row.expires) || isGood(row.previousDigest, row.previousExpires ?? 0));
  if (!known)
    throw unauthorized("the bearer token is not a valid SCIM token of this identity provider");
  noteCaller();
  if (!row.enabled) throw new ScimError(403, "provisioning is disabled for this identity provider");
}
