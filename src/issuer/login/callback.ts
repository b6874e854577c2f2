/** The end of a login in a browser: `GET /oauth/callback`, where providers send people back to. */

import { NEVER_USED } from "../../../schema/tables/identities.ts";
import { signAccessToken } from "../access_token.ts";
import { resolveScopes, selectOrganizations } from "../asked.ts";
import { assumedByOwn, linkTo, selectByUid } from "../identity.ts";
import { selectProvider } from "../identity_provider.ts";
import { narrow } from "../narrowing.ts";
import { newFamily, storeStatements } from "../refresh_token.ts";
import { type LoginClaims, signIn } from "../sign_in.ts";
import { refusal } from "../upstream.ts";
import { leaveToken } from "./headless.ts";
import { unknownLogin } from "./login.ts";
import { redeem } from "./oidc_client.ts";
import { deliverRefusal, deliverTokens } from "./outcome.ts";
import type { LoginParameters } from "./parameters.ts";
import { dropState, type LoginState, readState } from "./state.ts";
import { refusalOf, type Visit } from "./visit.ts";

/**
 * Takes the provider's answer, from the browser only that was sent there: without its cookie nothing
 * is believed, not even where to go next.
 */
export async function finishLogin(visit: Visit): Promise<Response> {
  const { config, request, url, now } = visit;
  const [state = "", ...more] = url.searchParams.getAll("state");
  const kept = await readState(config, request, state, now);
  if (!kept?.confirmed || more.length > 0) throw unknownLogin();
  // Who was sent to one provider does not come back from another.
  if (url.pathname !== new URL(kept.callback).pathname) throw unknownLogin();
  let answer: Response;
  try {
    answer = await admit(visit, kept);
  } catch (thrown) {
    answer = deliverRefusal(kept.parameters.redirect, refusalOf(thrown));
  }
  // A login is answered once.
  answer.headers.append("set-cookie", await dropState(config, state));
  return answer;
}

async function admit(visit: Visit, kept: LoginState): Promise<Response> {
  const { config, db, url, now } = visit;
  const { parameters } = kept;
  const [[provider], organizations] = await db.batch([
    selectProvider(db, kept.provider),
    selectOrganizations(db, parameters.scopes),
  ]);
  if (!provider) throw refusal("the identity provider was deleted");
  const scopes = resolveScopes(parameters.scopes, organizations);
  const claims = await redeem(config, provider, url.searchParams, kept, now);
  let token = "";
  let refreshToken = "";
  const login = await signIn(visit, provider, claims, {
    invite: parameters.invite,
    async also(whole) {
      const narrowed = { ...whole, ...narrow(whole, scopes, undefined) };
      const bearer = await assume(visit, parameters, narrowed);
      ({ token } = await signAccessToken(visit, bearer, parameters.audiences));
      const { headlessCode } = parameters;
      if (headlessCode !== "") return leaveToken(visit, headlessCode, token);
      if (!getsRefreshToken(parameters, narrowed)) return [];
      const fresh = await newFamily(narrowed, now);
      refreshToken = fresh.token;
      return storeStatements(db, fresh, now);
    },
  });
  const who = login.email ?? claims.sub;
  return deliverTokens(parameters.redirect, { token, refreshToken }, who);
}

/**
 * A refresh token where one was asked for. Never where roles come from groups, which are read anew
 * at each login (contract); nor for a program elsewhere, so that a login which somebody was talked
 * into lasts an hour at most.
 */
const getsRefreshToken = (
  { createRefreshToken, headlessCode }: LoginParameters,
  { groups }: LoginClaims,
) => createRefreshToken && headlessCode === "" && !groups;

/** The claims of the identity that was asked for, which must name the person; without one, theirs. */
async function assume(
  { config, db, now }: Visit,
  { identity }: LoginParameters,
  login: LoginClaims,
): Promise<Omit<LoginClaims, "idp">> {
  if (identity === "" || identity === login.sub) return login;
  const rows = await selectByUid(db, identity);
  // The person may be only about to be written.
  const self = {
    ...{ uid: login.sub, createTime: now, relationship: null, issuer: null },
    ...{ relationshipTime: 0, firstUsedTime: NEVER_USED },
  };
  const own = { ...login, aud: config.issuerUrl };
  const row = assumedByOwn(config, own, [...rows, self], identity);
  // Mapped groups are the person's, and no other identity's.
  const { idp: _, groups: __, ...rest } = login;
  const act = { iss: config.issuerUrl, sub: login.sub, aud: own.aud };
  return { ...rest, sub: row.uid, chain: [...login.chain, linkTo(row)], act };
}
