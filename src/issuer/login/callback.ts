/** The end of a login in a browser: `GET /oauth/callback`, where providers send people back. */
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { TokenExchange_Kind } from "../../../schema/gen/platform/events/v2/occurrences_pb.js";
import { NEVER_USED } from "../../../schema/tables/iam/identities.ts";
import { rootOf } from "../../aip/uid_path.ts";
import { callAt } from "../../auth/call.ts";
import { isSpread } from "../../auth/databases.ts";
import { identityUse } from "../../auth/use.ts";
import { namedUids } from "../../auth/verified_names.ts";
import { commit, type Statement } from "../../outbox/commit.ts";
import { signAccessToken } from "../access_token.ts";
import { resolveScopes, selectOrganizations } from "../exchange_parameters.ts";
import { assumeByOwnToken, selectIdentitiesByUid, toChainLink } from "../identity.ts";
import { selectProvider } from "../identity_provider.ts";
import { narrowClaims } from "../narrowing.ts";
import { newCode } from "../oauth/codes.ts";
import { capabilitiesOf } from "../oauth/parameters.ts";
import { newTokenFamily, storeStatements } from "../refresh_token.ts";
import { type LoginClaims, signIn } from "../sign_in.ts";
import { insertExchangeEvent } from "../token_events.ts";
import { tokenRefusal } from "../upstream.ts";
import { type LoginContext, toLoginRefusal } from "./context.ts";
import { storeSealedToken } from "./headless.ts";
import { noSuchLogin } from "./login.ts";
import { redeemCode } from "./oidc_client.ts";
import { deliverCode, deliverOAuthError, deliverRefusal, deliverTokens } from "./outcome.ts";
import type { LoginParameters } from "./parameters.ts";
import { expiredStateCookie, type LoginState, readState } from "./state.ts";

/**
 * Accepts the provider's response only from the browser that was sent there. Without the cookie nothing is
 * trusted, not even the next address.
 */
export async function finishLogin(context: LoginContext): Promise<Response> {
  const { config, request, url, now } = context;
  const [state = "", ...more] = url.searchParams.getAll("state");
  const loginState = await readState(config, request, state, now);
  if (!loginState?.confirmed || more.length > 0) throw noSuchLogin();
  // A browser that was sent to one provider cannot come back from another.
  if (url.pathname !== new URL(loginState.callback).pathname) throw noSuchLogin();
  let answer: Response;
  try {
    answer = await completeLogin(context, loginState);
  } catch (thrown) {
    const { authorization, redirect } = loginState.parameters;
    const refusal = toLoginRefusal(thrown, request.headers);
    answer = authorization
      ? deliverOAuthError(config, authorization, "access_denied", refusal.reason)
      : deliverRefusal(context, redirect, refusal);
  }
  // A login gets only one response.
  answer.headers.append("set-cookie", await expiredStateCookie(config, state));
  return answer;
}

async function completeLogin(anywhere: LoginContext, loginState: LoginState): Promise<Response> {
  const context = callAt(anywhere, loginState.provider);
  const { config, db, url, now } = context;
  const { parameters } = loginState;
  const named = await namedUids(context.databases, parameters.scopes);
  const [[provider], organizations] = await db.batch([
    selectProvider(db, loginState.provider),
    selectOrganizations(db, named),
  ]);
  if (!provider) throw tokenRefusal("the identity provider was deleted");
  const scopes = resolveScopes(named, organizations);
  const claims = await redeemCode(config, provider, url.searchParams, loginState, now);
  let issued: Issued = { statements: [] };
  const { authorization } = parameters;
  const capabilities = authorization && capabilitiesOf(authorization.scope);
  const login = await signIn(context, provider, claims, {
    invite: parameters.invite,
    async moreStatements(whole) {
      const narrowed = { ...whole, ...narrowClaims(whole, scopes, capabilities) };
      issued = authorization
        ? await newCode(context, authorization, narrowed)
        : await issueTokens(context, loginState, narrowed);
      return issued.statements;
    },
  });
  await writeElsewhere(context, parameters.identity, issued.elsewhere ?? []);
  const { code = "", token = "", refreshToken = "" } = issued;
  if (authorization) return deliverCode(config, authorization, code);
  const who = login.email ?? claims.sub;
  return deliverTokens(parameters.redirect, { token, refreshToken }, who);
}

/** The token or code of a login, and the statements that record it. */
interface Issued {
  statements: Statement[];
  /** These belong to the organization of an identity that the person assumes. */
  elsewhere?: Statement[];
  code?: string;
  token?: string;
  refreshToken?: string;
}

/** Issues the token of a login without an OAuth client: for the person, or for the identity that they assume. */
async function issueTokens(
  context: LoginContext,
  { parameters, provider }: LoginState,
  narrowed: LoginClaims,
): Promise<Issued> {
  const { db, now } = context;
  const bearer = await assumeIdentity(context, parameters, narrowed);
  const signed = await signAccessToken(context, bearer, parameters.audiences);
  const events =
    bearer.sub === narrowed.sub
      ? []
      : [identityUse(db, [bearer.sub], now), assumptionEvent(context, parameters, bearer, signed)];
  const isElsewhere = rootOf(bearer.sub) !== rootOf(provider) && isSpread(context.databases);
  const [here, elsewhere] = isElsewhere ? [[], events] : [events, []];
  const { token } = signed;
  const { headlessCode } = parameters;
  if (headlessCode !== "") {
    const stored = await storeSealedToken(context, headlessCode, token);
    return { statements: [...here, ...stored], elsewhere, token };
  }
  if (!issuesRefreshToken(parameters, narrowed)) return { statements: here, elsewhere, token };
  const fresh = await newTokenFamily(narrowed, now);
  const statements = [...here, ...storeStatements(db, fresh, now)];
  return { statements, elsewhere, token, refreshToken: fresh.token };
}

async function writeElsewhere(context: LoginContext, uid: string, statements: Statement[]) {
  const [first, ...rest] = statements;
  if (first) await commit(callAt(context, uid), [first, ...rest]);
}

/** The event of a login whose token is for another identity. The event of the login is about the person. */
const assumptionEvent = (
  context: LoginContext,
  { audiences, scopes }: LoginParameters,
  { sub, act, email }: Omit<LoginClaims, "idp">,
  { expires }: { expires: number },
) =>
  insertExchangeEvent(
    context,
    "/oauth",
    { sub, act, email },
    {
      ...{ kind: TokenExchange_Kind.LOGIN, audiences, scopes },
      expireTime: timestampFromMs(expires),
    },
  );

/**
 * A refresh token if the login requested one. There is never one if roles come from groups, because the
 * groups are read again at each login (contract). There is also none for a program elsewhere, so that a login
 * under false pretenses lasts an hour at most.
 */
const issuesRefreshToken = (
  { createRefreshToken, headlessCode }: LoginParameters,
  { groups }: LoginClaims,
) => createRefreshToken && headlessCode === "" && !groups;

/**
 * The claims of the requested identity, which must name the person. Without one, the claims of the person.
 */
async function assumeIdentity(
  { config, databases, now }: LoginContext,
  { identity }: LoginParameters,
  login: LoginClaims,
): Promise<Omit<LoginClaims, "idp">> {
  if (identity === "" || identity === login.sub) return login;
  const rows = await selectIdentitiesByUid(databases.databaseOf(identity), identity);
  // The row of the person may be written only with this login.
  const self = {
    ...{ uid: login.sub, createTime: now, relationship: null, issuer: null },
    ...{ relationshipTime: 0, firstUsedTime: NEVER_USED },
  };
  const own = { ...login, aud: config.issuerUrl };
  const row = assumeByOwnToken(config, own, [...rows, self], identity);
  // Mapped groups belong to the person, and to no other identity.
  const { idp: _, groups: __, ...rest } = login;
  const act = { iss: config.issuerUrl, sub: login.sub, aud: own.aud };
  return { ...rest, sub: row.uid, chain: [...login.chain, toChainLink(row)], act };
}
