/** The start of a login in a browser: `GET /oauth` (contract: browser login parameters). */
import { permissionDenied } from "../../aip/errors.ts";
import { findProvider, type Provider, selectProvider } from "../identity_provider.ts";
import { type LoginContext, readForm, toLoginRefusal } from "./context.ts";
import { checkHeadlessCode, fingerprintOf } from "./headless.ts";
import { authorizationUrl, newChallenge } from "./oidc_client.ts";
import { deliverRefusal } from "./outcome.ts";
import { type LoginRefusal, noStoreHeaders, showConfirmation, showContinue } from "./pages.ts";
import { type LoginParameters, readParameters, readRedirect } from "./parameters.ts";
import {
  expiredStateCookie,
  type LoginState,
  loginLifetime,
  readState,
  stateCookie,
} from "./state.ts";

/** The text of the contract for a login with an unknown provider. */
const accountNotFound: LoginRefusal = { status: 404, reason: "account not found" };

/**
 * `GET /oauth` sends the person to their identity provider. If a program elsewhere waits for the token, it
 * asks first whether the program is theirs. Errors go to the redirect address, once that address is known to
 * be allowed.
 */
export async function startLogin(context: LoginContext): Promise<Response> {
  const { config, databases, url } = context;
  const redirect = readRedirect(config, url.searchParams);
  try {
    const parameters = { redirect, ...readParameters(url.searchParams, config.audience) };
    if (parameters.headlessCode !== "") await checkHeadlessCode(parameters.headlessCode);
    const provider = await findProvider(databases, parameters.idp);
    if (!provider) return deliverRefusal(context, redirect, accountNotFound);
    if (parameters.headlessCode === "")
      return await redirectToProvider(context, provider, parameters);
    return await askForConfirmation(context, provider, parameters);
  } catch (thrown) {
    return deliverRefusal(context, redirect, toLoginRefusal(thrown, context.request.headers));
  }
}

/**
 * Anyone who sends a person such an address gets their token, so the person must confirm it with a click (RFC
 * 8628 section 5.4). The hidden state in the page is useless without the cookie of the same browser.
 */
async function askForConfirmation(
  { config, now }: LoginContext,
  provider: Provider,
  parameters: LoginParameters,
): Promise<Response> {
  const kept = newState(provider.uid, parameters, now, false);
  const page = showConfirmation({
    fingerprint: await fingerprintOf(parameters.headlessCode),
    provider: provider.name,
    state: kept.state,
  });
  page.headers.append("set-cookie", await stateCookie(config, kept));
  return page;
}

/** `POST /oauth/confirm`: the click on that page. */
export async function confirmLogin(context: LoginContext): Promise<Response> {
  const { config, databases, request, now } = context;
  const state = (await readForm(request)).get("state") ?? "";
  const kept = await readState(config, request, state, now);
  if (!kept || kept.confirmed) throw noSuchLogin();
  const [provider] = await selectProvider(databases.databaseOf(kept.provider), kept.provider);
  if (!provider) return deliverRefusal(context, "", accountNotFound);
  const onward = await redirectToProvider(context, provider, kept.parameters);
  const page = showContinue(onward.headers.get("location") ?? "");
  for (const cookie of onward.headers.getSetCookie()) page.headers.append("set-cookie", cookie);
  page.headers.append("set-cookie", await expiredStateCookie(config, state));
  return page;
}

/** The error for a step that this browser did not request, or requested too long ago. */
export const noSuchLogin = () =>
  permissionDenied("this browser has no such login in progress; start the login again");

export async function redirectToProvider(
  context: LoginContext,
  provider: Provider,
  parameters: LoginParameters,
): Promise<Response> {
  const { config, now } = context;
  const kept = newState(provider.uid, parameters, now, true);
  const { location, callback } = await authorizationUrl(context, provider, kept);
  const headers = new Headers({ ...noStoreHeaders, location });
  headers.append("set-cookie", await stateCookie(config, { ...kept, callback }));
  return new Response(null, { status: 302, headers });
}

/** The state of a login through a provider, whose uid is empty if the person must still name it. */
export const newState = (
  provider: string,
  parameters: LoginParameters,
  now: number,
  confirmed: boolean,
): LoginState => ({
  parameters,
  confirmed,
  ...newChallenge(),
  provider,
  callback: "",
  until: now + loginLifetime,
});
