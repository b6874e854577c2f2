/** The platform as the client of an identity provider: OpenID Connect Core 1.0, authorization code flow. */
import { ConnectError } from "@connectrpc/connect";
import * as oauth from "oauth4webapi";
import { failedPrecondition, permissionDenied, unavailable } from "../../aip/errors.ts";
import type { CallAnywhere } from "../../auth/call.ts";
import { type Claims, readProfile } from "../../auth/claims.ts";
import { endpointRules, issuerRules, urlRefusal } from "../../auth/outgoing/destination.ts";
import {
  fetchOutside,
  RefusedDestination,
  responseTimeoutMs,
} from "../../auth/outgoing/outgoing.ts";
import { clientSecretPurpose, unseal } from "../../auth/secrets.ts";
import { clockToleranceSeconds } from "../../auth/token.ts";
import { type Config, ConfigError } from "../../config.ts";
import type { Provider } from "../identity_provider.ts";
import { lookupOf, refuseUnproven, tokenRefusal, verifyForeignToken } from "../upstream.ts";

/** The address where providers send people back. It is registered with each provider. */
const sharedCallback = ({ issuerUrl }: Config) => `${issuerUrl}/oauth/callback`;

/**
 * Providers that include `iss` in their response (RFC 9207) share one address. Every other provider has its
 * own. Otherwise a malicious provider could send people to an honest one, and receive the code that they
 * bring back (RFC 9700 section 4.4).
 */
const providerCallback = (config: Config, server: oauth.AuthorizationServer, { uid }: Provider) =>
  server.authorization_response_iss_parameter_supported === true
    ? sharedCallback(config)
    : `${sharedCallback(config)}/${uid}`;

/** The time that a provider's metadata is cached, in milliseconds. */
const metadataLifetime = 10 * 60_000;
const maxCached = 100;
const cache = new Map<string, { server: oauth.AuthorizationServer; until: number }>();

/** The provider did not respond, or its response is too large. */
class NoAnswerError extends Error {}

/** The part of a login that a request to a provider needs. */
type ProviderContext = Pick<CallAnywhere, "config" | "databases" | "now">;

/**
 * Options of every request: no redirects, and limits on time and size. fetchOutside checks each destination.
 */
const requestOptions = ({ config, databases }: ProviderContext) => ({
  [oauth.customFetch]: (url: string, options: object) =>
    fetchOutside(config, url, options as RequestInit, databases.trace).catch((error: unknown) => {
      if (error instanceof ConnectError || error instanceof RefusedDestination) throw error;
      const reason = error instanceof Error ? error.message : "it gave no reason";
      throw new NoAnswerError(reason, { cause: error });
    }),
  [oauth.allowInsecureRequests]: true,
  signal: AbortSignal.timeout(responseTimeoutMs),
});

/** The provider's metadata (OpenID Connect Discovery 1.0). Throws UNAVAILABLE. */
async function fetchProviderMetadata(
  context: ProviderContext,
  provider: Provider,
): Promise<oauth.AuthorizationServer> {
  const { config, now } = context;
  const { issuer } = provider;
  const known = cache.get(issuer);
  if (known && known.until > now) return known.server;
  const refusal = urlRefusal(config, issuer, issuerRules);
  if (refusal !== undefined) throw unusableProvider(`its issuer ${issuer} ${refusal}`);
  let server: oauth.AuthorizationServer;
  try {
    const url = new URL(issuer);
    server = await oauth.processDiscoveryResponse(
      url,
      await oauth.discoveryRequest(url, requestOptions(context)),
    );
  } catch (error) {
    rethrowDestinationError(error);
    throw unavailable(`discovery of the issuer ${issuer} failed; try again later`);
  }
  checkProviderMetadata(server);
  if (server.issuer !== issuer)
    throw unusableProvider(`its discovery document names another issuer, ${server.issuer}`);
  const { authorization_endpoint: authorization, token_endpoint: token } = server;
  for (const endpoint of [authorization, token, server.userinfo_endpoint ?? token]) {
    const refused = urlRefusal(config, endpoint ?? "", endpointRules);
    if (refused !== undefined) throw unusableProvider(`one of its endpoints ${refused}`);
  }
  if (cache.size >= maxCached) cache.clear();
  cache.set(issuer, { server, until: now + metadataLifetime });
  return server;
}

const textFields = ["authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"];
const listFields = [
  "code_challenge_methods_supported",
  "token_endpoint_auth_methods_supported",
  "id_token_signing_alg_values_supported",
];

/** The library does not check the metadata that it does not use itself, so any value is possible. */
function checkProviderMetadata(server: oauth.AuthorizationServer): void {
  for (const name of textFields) {
    const value = server[name];
    if (value !== undefined && typeof value !== "string")
      throw unusableProvider(`its ${name} must be a string`);
  }
  for (const name of listFields) {
    const value = server[name];
    const isList = Array.isArray(value) && value.every((item) => typeof item === "string");
    if (value !== undefined && !isList)
      throw unusableProvider(`its ${name} must be a list of strings`);
  }
}

const unusableProvider = (reason: string) =>
  failedPrecondition("IDENTITY_PROVIDER", `the identity provider cannot be used: ${reason}`);

/**
 * Throws if no request was sent, because the destination is forbidden or its name cannot be looked up now.
 */
function rethrowDestinationError(error: unknown): void {
  if (error instanceof RefusedDestination) throw unusableProvider(error.message);
  if (error instanceof ConnectError) throw error;
}

/** The secrets of one request to a provider. */
export interface Challenge {
  state: string;
  nonce: string;
  /** The PKCE code verifier (RFC 7636). */
  verifier: string;
}

/** Creates a challenge. */
export const newChallenge = (): Challenge => ({
  state: oauth.generateRandomState(),
  nonce: oauth.generateRandomNonce(),
  verifier: oauth.generateRandomCodeVerifier(),
});

/**
 * Uses PKCE unless the provider says that it does not support it. PKCE keeps a stolen code from being used in
 * another login, with a client secret or without one (RFC 9700 section 2.1.1).
 */
function usesPkce(server: oauth.AuthorizationServer, { pkceEnabled }: Provider): boolean {
  const lacksIt = server.code_challenge_methods_supported?.includes("S256") === false;
  if (pkceEnabled && lacksIt)
    throw unusableProvider("its discovery document does not list the PKCE method S256");
  return !lacksIt;
}

/** The provider's address where the person logs in, and the address where they come back. */
export async function authorizationUrl(
  context: ProviderContext,
  provider: Provider,
  { state, nonce, verifier }: Challenge,
): Promise<{ location: string; callback: string }> {
  const { config } = context;
  const server = await fetchProviderMetadata(context, provider);
  const url = new URL(server.authorization_endpoint ?? "");
  const scopes = new Set(["openid", ...provider.additionalScopes]);
  const callback = providerCallback(config, server, provider);
  const query = {
    client_id: provider.clientId,
    redirect_uri: callback,
    response_type: "code",
    scope: [...scopes].join(" "),
    state,
    nonce,
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  if (usesPkce(server, provider)) {
    url.searchParams.set("code_challenge", await oauth.calculatePKCECodeChallenge(verifier));
    url.searchParams.set("code_challenge_method", "S256");
  }
  return { location: url.href, callback };
}

/**
 * The verified claims of the person whom the provider sent back with these parameters. Throws
 * PERMISSION_DENIED if the provider refused, or if its response does not belong to our request. Throws
 * UNAVAILABLE if it does not respond.
 */
export async function redeemCode(
  context: ProviderContext,
  provider: Provider,
  parameters: URLSearchParams,
  challenge: Challenge & { callback: string },
): Promise<Claims> {
  const { config, now } = context;
  const server = await fetchProviderMetadata(context, provider);
  const client = { client_id: provider.clientId, [oauth.clockTolerance]: clockToleranceSeconds };
  const answer = await explainProviderErrors(async () => {
    const checked = oauth.validateAuthResponse(server, client, parameters, challenge.state);
    const verifier = usesPkce(server, provider) ? challenge.verifier : oauth.nopkce;
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      await authenticationOf(config, server, provider),
      checked,
      challenge.callback,
      verifier,
      requestOptions(context),
    );
    return oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: challenge.nonce,
      requireIdToken: true,
    });
  });
  // The library relies on TLS for the signature. We verify it.
  const lookup = lookupOf(context, provider.issuer);
  const claims = await verifyForeignToken(lookup, answer.id_token ?? "", now);
  const further = await explainProviderErrors(() =>
    fetchUserInfoClaims(context, server, client, provider, claims, answer.access_token),
  );
  return { ...further, ...claims };
}

/** Many providers leave the address and the groups out of the ID token, and return them from UserInfo. */
async function fetchUserInfoClaims(
  context: ProviderContext,
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  { groupsClaim }: Provider,
  claims: Claims,
  accessToken: string,
): Promise<Partial<Claims>> {
  const lacksGroups = groupsClaim !== "" && claims[groupsClaim] === undefined;
  const lacksEmail = claims.email === undefined;
  if (!server.userinfo_endpoint || !(lacksGroups || lacksEmail)) return {};
  const response = await oauth.userInfoRequest(
    server,
    client,
    accessToken,
    requestOptions(context),
  );
  const answer = await oauth.processUserInfoResponse(server, client, claims.sub, response);
  const profile = await refuseUnproven(() => readProfile(answer));
  const names = [
    ...(lacksGroups ? [groupsClaim] : []),
    // The address and the flag that it is verified come from the same source.
    ...(lacksEmail && claims.email_verified === undefined ? ["email", "email_verified"] : []),
    "name",
    "preferred_username",
  ];
  const known = names.filter((name) => profile[name] !== undefined);
  return Object.fromEntries(known.map((name) => [name, profile[name]]));
}

async function authenticationOf(
  config: Config,
  server: oauth.AuthorizationServer,
  { uid, clientSecret }: Provider,
): Promise<oauth.ClientAuth> {
  if (clientSecret === "") return oauth.None();
  const secret = await unseal(config, clientSecretPurpose(uid), clientSecret);
  if (secret === undefined) {
    throw new ConfigError(`no key of ENCRYPTION_KEYS opens the client secret of ${uid}`);
  }
  // The default of discovery if a provider does not list its methods.
  const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  if (methods.includes("client_secret_basic")) return oauth.ClientSecretBasic(secret);
  if (methods.includes("client_secret_post")) return oauth.ClientSecretPost(secret);
  throw unusableProvider("it must accept client secrets by basic authentication or in the body");
}

/**
 * Describes a problem with a provider's response in our own words. The provider's text could contain
 * anything.
 */
async function explainProviderErrors<T>(exchange: () => Promise<T>): Promise<T> {
  try {
    return await exchange();
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError) {
      throw permissionDenied(
        `the identity provider refused the login: ${oauthErrorCode(error.error)}`,
      );
    }
    if (error instanceof oauth.ResponseBodyError) {
      throw permissionDenied(
        `the identity provider refused the code: ${oauthErrorCode(error.error)}`,
      );
    }
    if (error instanceof oauth.WWWAuthenticateChallengeError) {
      throw permissionDenied(
        "the identity provider rejected the client id or the client secret of the platform",
      );
    }
    if (error instanceof oauth.OperationProcessingError) throw tokenRefusal(error.message);
    if (error instanceof oauth.UnsupportedOperationError) throw unusableProvider(error.message);
    if (error instanceof NoAnswerError || error instanceof TypeError) {
      throw unavailable("the identity provider did not return a readable response");
    }
    rethrowDestinationError(error);
    throw error;
  }
}

/** The error code (RFC 6749 section 4.1.2.1), without any other text. */
const oauthErrorCode = (text: string) => (/^[a-z_]{1,64}$/.test(text) ? text : "an unknown error");
