/** The OpenID provider of the races: its keys, its tokens and its responses (worker/upstream.ts). */
import { SignJWT } from "jose";
import { newKey } from "../issuer/foreign_issuer.ts";
import type { UpstreamPages } from "./protocol.ts";

/** Nothing listens there: the Worker calls itself. */
const url = "http://localhost:9";

export async function newUpstream() {
  const { jwk, header, privateKey } = await newKey("first");
  const pages: UpstreamPages = {
    url,
    documents: {
      "/.well-known/openid-configuration": {
        issuer: url,
        jwks_uri: `${url}/keys`,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        id_token_signing_alg_values_supported: ["ES256"],
      },
      "/keys": { keys: [jwk] },
    },
    codes: {},
  };
  /** A token of the provider that is valid for the whole duration of the races. */
  const sign = (claims: Record<string, unknown>) => {
    const now = Math.floor(Date.now() / 1000) - 10;
    return new SignJWT({ iss: url, aud: "public", iat: now, exp: now + 4 * 3600, ...claims })
      .setProtectedHeader(header)
      .sign(privateKey);
  };
  return { url, pages, sign };
}

export type Upstream = Awaited<ReturnType<typeof newUpstream>>;
