/** A login with the ID token of an organization's identity provider, without a browser. */
import { TokenExchange_Kind } from "../../schema/gen/platform/events/v2/occurrences_pb.js";
import { invalidArgument } from "../aip/errors.ts";
import { type Claims, decodeToken } from "../auth/claims.ts";
import { isForAudience } from "../auth/token.ts";
import { selectOrganizations } from "./exchange_parameters.ts";
import type { ExchangeContext } from "./foreign_token.ts";
import { type Provider, selectProvider } from "./identity_provider.ts";
import type { Issue, IssuedToken } from "./issued_token.ts";
import { signIn } from "./sign_in.ts";
import { lookupOf, readUnverifiedToken, tokenRefusal, verifyForeignToken } from "./upstream.ts";

/**
 * Logs in the person of the ID token, like a browser login through that provider. `issue` is called before
 * anything is written. Its error refuses the login, and its statements are written with the login. Throws
 * PERMISSION_DENIED unless this provider issued the ID token to our client.
 */
export async function exchangeAtProvider(
  call: ExchangeContext,
  requested: { identityProvider: string; identity: string; path: string },
  token: string,
  scopes: string[],
  issue: Issue,
): Promise<IssuedToken> {
  if (requested.identity !== "") {
    const text =
      "identity must be empty if identity_provider is set; exchange the token that you get once more";
    throw invalidArgument("identity", text);
  }
  const { issuer } = await readUnverifiedToken(token);
  const [[provider], organizations] = await call.db.batch([
    selectProvider(call.db, requested.identityProvider),
    selectOrganizations(call.db, scopes),
  ]);
  // Our own tokens can contain any audience that their bearer requested.
  if (issuer === call.config.issuerUrl)
    throw tokenRefusal(
      "the platform issued the token itself; send a token of the identity provider",
    );
  // The same error whether or not the provider exists, so that no one learns who uses which provider.
  if (provider?.issuer !== issuer)
    throw tokenRefusal("the token does not come from that identity provider");
  const claims = await verifyForeignToken(lookupOf(call, issuer), token, call.now);
  requireIdToken(provider, token, claims);
  const until = claims.exp * 1000;
  const kind = TokenExchange_Kind.ID_TOKEN;
  let issued: IssuedToken = { token: "", expires: 0, narrowing: {} };
  await signIn(call, provider, claims, {
    path: requested.path,
    async moreStatements(login) {
      const fresh = await issue({ kind, identity: login.sub, claims: login, until, organizations });
      issued = fresh;
      return fresh.statements;
    },
  });
  return issued;
}

/**
 * Whether this is an ID token (OpenID Connect Core 1.0 section 3.1.3.7). Some providers sign access tokens
 * (RFC 9068) and logout tokens with the same key for the same audience.
 */
function requireIdToken({ clientId }: Provider, token: string, claims: Claims): void {
  const { type } = decodeToken(token);
  const isOther = !["jwt", "application/jwt"].includes(type) || "events" in claims;
  if (isOther || claims.iat === undefined) throw tokenRefusal("the token is not an ID token");
  const parties = [claims.aud].flat();
  const isOurs =
    isForAudience(claims, clientId) && (parties.length === 1 || claims.azp === clientId);
  if (!isOurs || (claims.azp !== undefined && claims.azp !== clientId)) {
    throw tokenRefusal("the token was not issued to the client of that identity provider");
  }
}
