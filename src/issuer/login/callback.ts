/** The end of a login in a browser: `GET /oauth/callback`, where providers send people back. */
import { callAt } from "../../auth/call.ts";
import { namedUids } from "../../auth/verified_names.ts";
import { resolveScopes, selectOrganizations } from "../exchange_parameters.ts";
import { selectProvider } from "../identity_provider.ts";
import { tokenRefusal } from "../upstream.ts";
import { completeLogin, deliverFailure } from "./completion.ts";
import type { LoginContext } from "./context.ts";
import { askAboutDevice } from "./device.ts";
import { askAboutInvite } from "./invite_question.ts";
import { noSuchLogin } from "./login.ts";
import { redeemCode } from "./oidc_client.ts";
import { expiredStateCookie, type LoginState, loginLifetime, readState } from "./state.ts";

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
    answer = await continueLogin(context, loginState);
  } catch (thrown) {
    answer = deliverFailure(context, loginState.parameters, thrown);
  }
  // A login gets only one response.
  answer.headers.append("set-cookie", await expiredStateCookie(config, state));
  return answer;
}

/** Signs the person in. A person with an invite is asked first. */
async function continueLogin(anywhere: LoginContext, loginState: LoginState): Promise<Response> {
  const context = callAt(anywhere, loginState.provider);
  const { db, url, now } = context;
  const { parameters } = loginState;
  const named = await namedUids(context.databases, parameters.scopes);
  const [[provider], organizations] = await db.batch([
    selectProvider(db, loginState.provider),
    selectOrganizations(db, named),
  ]);
  if (!provider) throw tokenRefusal("the identity provider was deleted");
  const scopes = resolveScopes(named, organizations);
  const claims = await redeemCode(context, provider, url.searchParams, loginState);
  const login = { parameters, provider, claims };
  if (parameters.device) return askAboutDevice(context, login, parameters.device);
  if (parameters.invite === "") return completeLogin(context, login, scopes);
  return askAboutInvite(context, login, { scopes, until: now + loginLifetime });
}
