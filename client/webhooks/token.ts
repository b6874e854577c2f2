/** Verifies the token of a delivery, with the keys of the platform's issuer. */
import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from "jose";
import { WebhookError } from "./error.ts";
import { isConfidential, type TokenRules } from "./options.ts";

/** Asymmetric algorithms only, because anyone knows the key that a token is verified with (RFC 8725 section 3.1). */
const algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"].concat([
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
]);

/** The audience of every token of a delivery. */
const audience = "customer";

/** The most seconds that the clocks of the issuer and of this machine may differ. */
const clockTolerance = 60;

/** How long a discovery document is used, in milliseconds. jose renews the keys themselves. */
const discoveryLifetimeMs = 3_600_000;

/** How long one request to the issuer may take, in milliseconds. */
const timeoutMs = 5_000;

interface IssuerKeys {
  keys: JWTVerifyGetKey;
  expires: number;
}

/** The keys of each issuer, by the function that fetched them. Only settings name an issuer, so there are few. */
const knownKeys = new WeakMap<typeof fetch, Map<string, IssuerKeys>>();

/** Returns the token of a request. Throws a WebhookError: status 401 without a token, status 403 for another scheme. */
export function bearerToken(headers: Headers): string {
  const value = headers.get("authorization");
  if (!value) {
    throw new WebhookError(401, "TOKEN_MISSING", "The request has no header authorization.");
  }
  const [, token] = /^Bearer +([\w-]+\.[\w-]+\.[\w-]*)$/i.exec(value) ?? [];
  if (token) return token;
  throw invalid("The header authorization must be Bearer and one JSON Web Token.");
}

/**
 * Throws a WebhookError with status 403 unless the issuer signed the token for this group and this body. The status is
 * 503 if the keys of the issuer cannot be fetched.
 */
export async function verifyToken(
  token: string,
  body: Uint8Array<ArrayBuffer>,
  rules: TokenRules,
): Promise<void> {
  const { sub, webhook } = await verifiedClaims(token, rules);
  if (sub !== `webhook:${rules.group}`) {
    throw new WebhookError(
      403,
      "TOKEN_FOR_OTHER_GROUP",
      "The token is not for a subscription of the configured group.",
    );
  }
  // Neither is a secret, so the time of the comparison reveals nothing.
  const signed = (webhook as { digest?: unknown } | undefined)?.digest;
  if (signed !== `sha256:${await sha256Hex(body)}`) {
    throw new WebhookError(403, "DIGEST_MISMATCH", "The token is for another body than this one.");
  }
}

async function verifiedClaims(token: string, { issuer, fetch: own }: TokenRules) {
  const keys = await keysOf(issuer, own);
  try {
    const { payload } = await jwtVerify<JWTPayload & { webhook?: unknown }>(token, keys, {
      algorithms,
      issuer,
      audience,
      clockTolerance,
      requiredClaims: ["exp", "iat", "sub"],
      // The platform issues tokens for an hour. It also makes `iat` in the future an error.
      maxTokenAge: "1h",
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JWTExpired) {
      throw new WebhookError(403, "TOKEN_EXPIRED", "The token has expired.", error);
    }
    if (error instanceof errors.JOSEError) {
      throw invalid(`The token is not valid: ${error.message}.`, error);
    }
    throw error;
  }
}

const invalid = (message: string, cause?: unknown) =>
  new WebhookError(403, "TOKEN_INVALID", message, cause);

async function keysOf(issuer: string, own: typeof fetch): Promise<JWTVerifyGetKey> {
  const ofFetch = knownKeys.get(own) ?? new Map<string, IssuerKeys>();
  knownKeys.set(own, ofFetch);
  const known = ofFetch.get(issuer);
  if (known && Date.now() < known.expires) return known.keys;
  // `fetch` is called as a plain function, because Workers reject any other `this`.
  const plainFetch: typeof fetch = (input, init) => own(input, init);
  const remote = createRemoteJWKSet(await discoverKeys(issuer, plainFetch), {
    timeoutDuration: timeoutMs,
    [customFetch]: (url, init) => plainFetch(url, init as RequestInit),
  });
  const keys: JWTVerifyGetKey = async (header, jws) => {
    try {
      return await remote(header, jws);
    } catch (error) {
      const isOfToken =
        error instanceof errors.JWKSNoMatchingKey ||
        error instanceof errors.JWKSMultipleMatchingKeys;
      throw isOfToken ? error : unavailable(issuer, error);
    }
  };
  ofFetch.set(issuer, { keys, expires: Date.now() + discoveryLifetimeMs });
  return keys;
}

/** Returns the URL of the issuer's keys (OpenID Connect Discovery 1.0 section 4). */
async function discoverKeys(issuer: string, own: typeof fetch): Promise<URL> {
  try {
    const response = await own(`${issuer}/.well-known/openid-configuration`, {
      headers: { accept: "application/json" },
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (response.status !== 200) throw new Error(`the status is ${response.status}`);
    const document = (await response.json()) as { issuer?: unknown; jwks_uri?: unknown } | null;
    const { issuer: named, jwks_uri: url } = document ?? {};
    if (named !== issuer) throw new Error("the document names another issuer");
    if (typeof url !== "string" || !URL.canParse(url) || !isConfidential(url)) {
      throw new Error("the document has no https URL of keys");
    }
    return new URL(url);
  } catch (error) {
    throw unavailable(issuer, error);
  }
}

const unavailable = (issuer: string, cause: unknown) =>
  new WebhookError(503, "KEYS_UNAVAILABLE", `The keys of ${issuer} cannot be fetched.`, cause);

async function sha256Hex(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
