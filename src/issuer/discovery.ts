/** The public documents of this issuer (OpenID Connect Discovery 1.0, RFC 7517). */
import { unimplemented } from "../aip/errors.ts";
import { publicKeys, publicKeysPem } from "../auth/keys.ts";
import { readScope, writeScope } from "../auth/scopes.ts";
import { type Config, configOf, type Env, errorNamesOf } from "../config.ts";
import { completeError, toStatus, toStatusResponse } from "../rpc/status.ts";
import { grantTypes } from "./oauth/token.ts";

/**
 * The seconds for which both documents can be cached. A new key must be published this long before it signs.
 */
const cacheSeconds = 300;

/**
 * `GET /.well-known/openid-configuration`, and the same document at `/.well-known/oauth-authorization-server`
 * (RFC 8414). The endpoints of OAuth serve public clients with PKCE. Workloads get tokens from the exchange at
 * `platform_token_exchange_url`, and people from the login page at `platform_login_url`.
 */
export const showDiscovery = async (request: Request, env: Env) =>
  showDocument(request, env, discoveryOf);

/** `GET /.well-known/jwks.json`: the public half of every key that verifies. */
export const showKeys = (request: Request, env: Env) => showDocument(request, env, publicKeys);

/** `GET /.well-known/jwks.pem`: the same keys in PEM, for clients that verify signed verdicts. The first key signs. */
export const showKeysAsPem = (request: Request, env: Env) =>
  showDocument(request, env, publicKeysPem, "application/x-pem-file");

function discoveryOf(config: Config) {
  const algorithms = publicKeys(config).keys.map((key) => key.alg ?? "ES256");
  return {
    issuer: config.issuerUrl,
    jwks_uri: `${config.issuerUrl}/.well-known/jwks.json`,
    authorization_endpoint: `${config.issuerUrl}/oauth/authorize`,
    device_authorization_endpoint: `${config.issuerUrl}/oauth/device_authorization`,
    token_endpoint: `${config.issuerUrl}/oauth/token`,
    registration_endpoint: `${config.issuerUrl}/oauth/register`,
    response_types_supported: ["code", "id_token"],
    response_modes_supported: ["query"],
    grant_types_supported: grantTypes,
    token_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    scopes_supported: [readScope, writeScope],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [...new Set(algorithms)],
    claims_supported: [
      "iss",
      "sub",
      "aud",
      "exp",
      "iat",
      "jti",
      "act",
      "email",
      "email_verified",
      "idp",
      "groups",
      "scopes",
      "capabilities",
    ],
    revocation_endpoint: `${config.issuerUrl}/oauth/revoke`,
    revocation_endpoint_auth_methods_supported: ["none"],
    platform_login_url: `${config.issuerUrl}/oauth`,
    platform_token_exchange_url: `${config.issuerUrl}/sts/exchange`,
    platform_token_refresh_url: `${config.issuerUrl}/sts/exchange_refresh_token`,
    platform_api_url: config.baseUrl,
    platform_api_audience: config.audience,
    platform_registry_url: config.registryUrl,
    platform_registry_audience: config.registryAudience,
    platform_registry_vendor: config.vendor,
  };
}

async function showDocument(
  request: Request,
  env: Env,
  document: (config: Config) => unknown,
  contentType = "application/json",
): Promise<Response> {
  try {
    const config = configOf(env);
    if (request.method !== "GET" && request.method !== "HEAD") {
      const { pathname } = new URL(request.url);
      const error = unimplemented(`${request.method} ${pathname}; this path supports GET`);
      const headers = new Headers({ allow: "GET" });
      return toStatusResponse(completeError(error, "oidc", config, request.headers), headers);
    }
    const shown = await document(config);
    const text = typeof shown === "string" ? shown : JSON.stringify(shown);
    const body = request.method === "HEAD" ? null : text;
    const headers = {
      "content-type": contentType,
      "cache-control": `public, max-age=${cacheSeconds}`,
    };
    return new Response(body, { headers });
  } catch (thrown) {
    return toStatusResponse(
      completeError(toStatus(thrown, request.headers), "oidc", errorNamesOf(env), request.headers),
      new Headers(),
    );
  }
}
