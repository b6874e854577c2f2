/** The start of a login in a browser: `GET /oauth` (contract: browser login parameters). */
import { permissionDenied } from "../../aip/errors.ts";
import { findProvider, type Provider, selectProvider } from "../identity_provider.ts";
import { checkCode, fingerprintOf } from "./headless.ts";
import { authorizationUrl, newChallenge } from "./oidc_client.ts";
import { deliverRefusal } from "./outcome.ts";
import { secretHeaders, showConfirmation, showOnward } from "./pages.ts";
import { type LoginParameters, readParameters, readRedirect } from "./parameters.ts";
import { dropState, keepState, type LoginState, loginLife, readState } from "./state.ts";
import { type Refusal, readForm, refusalOf, type Visit } from "./visit.ts";

/** The words of the contract for a login that names nobody known. */
const notFound: Refusal = { status: 404, reason: "account not found" };

/**
 * `GET /oauth`: sends the person on to their identity provider, or asks first whether a waiting
 * program is theirs. What is wrong is told to the redirect, once that itself is known to be good.
 */
export async function startLogin(visit: Visit): Promise<Response> {
  const { config, db, url } = visit;
  const redirect = readRedirect(config, url.searchParams);
  try {
    const parameters = { redirect, ...readParameters(url.searchParams, config.audience) };
    if (parameters.headlessCode !== "") await checkCode(parameters.headlessCode);
    const provider = await findProvider(db, parameters.idp);
    if (!provider) return deliverRefusal(redirect, notFound);
    if (parameters.headlessCode === "") return await sendOn(visit, provider, parameters);
    return await askFirst(visit, provider, parameters);
  } catch (thrown) {
    return deliverRefusal(redirect, refusalOf(thrown));
  }
}

/**
 * Whoever sends somebody such an address gets their token, so it takes a click (RFC 8628 section
 * 5.4). The page's hidden state is worth nothing without the cookie of the same browser.
 */
async function askFirst(
  { config, now }: Visit,
  provider: Provider,
  parameters: LoginParameters,
): Promise<Response> {
  const kept = newState(provider, parameters, now, false);
  const page = showConfirmation({
    fingerprint: await fingerprintOf(parameters.headlessCode),
    provider: provider.name,
    state: kept.state,
  });
  page.headers.append("set-cookie", await keepState(config, kept));
  return page;
}

/** `POST /oauth/confirm`: the click on that page. */
export async function confirmLogin(visit: Visit): Promise<Response> {
  const { config, db, request, now } = visit;
  const state = (await readForm(request)).get("state") ?? "";
  const kept = await readState(config, request, state, now);
  if (!kept || kept.confirmed) throw unknownLogin();
  const [provider] = await selectProvider(db, kept.provider);
  if (!provider) return deliverRefusal("", notFound);
  const onward = await sendOn(visit, provider, kept.parameters);
  const page = showOnward(onward.headers.get("location") ?? "");
  for (const cookie of onward.headers.getSetCookie()) page.headers.append("set-cookie", cookie);
  page.headers.append("set-cookie", await dropState(config, state));
  return page;
}

/** The refusal of a step that this browser did not ask for, or too long ago. */
export const unknownLogin = () =>
  permissionDenied("this browser has no such login under way, or not any more; start it again");

async function sendOn(
  { config, now }: Visit,
  provider: Provider,
  parameters: LoginParameters,
): Promise<Response> {
  const kept = newState(provider, parameters, now, true);
  const { location, callback } = await authorizationUrl(config, provider, kept, now);
  const headers = new Headers({ ...secretHeaders, location });
  headers.append("set-cookie", await keepState(config, { ...kept, callback }));
  return new Response(null, { status: 302, headers });
}

const newState = (
  provider: Provider,
  parameters: LoginParameters,
  now: number,
  confirmed: boolean,
): LoginState => ({
  ...{ parameters, confirmed },
  ...newChallenge(),
  provider: provider.uid,
  callback: "",
  until: now + loginLife,
});
