/**
 * The authorization endpoint (OAuth 2.1 section 4.1): a program asks for a code, and a person allows it by logging in.
 * The page names the program and the place where the code goes, because anyone can send a person to this address.
 */
import { findProvider } from "../identity_provider.ts";
import { type LoginContext, readForm, toLoginRefusal } from "../login/context.ts";
import { newState, noSuchLogin, redirectToProvider } from "../login/login.ts";
import { deliverOAuthError } from "../login/outcome.ts";
import { type AuthorizationPage, showAuthorization, showContinue } from "../login/pages.ts";
import { expiredStateCookie, readState, stateCookie } from "../login/state.ts";
import { isRegistered, maxClientIdLength, type OAuthClient, readClient } from "./clients.ts";
import { OAuthError } from "./errors.ts";
import {
  type AuthorizationRequest,
  checkResources,
  oneParameter,
  readScopes,
  requiredParameter,
} from "./parameters.ts";

/**
 * `GET /oauth/authorize`. As long as the client and its redirect URI are not known, an error is a page. Other errors go
 * to the redirect URI.
 */
export async function startAuthorization(context: LoginContext): Promise<Response> {
  const { config, now, url } = context;
  const { searchParams: query } = url;
  const client = await readClient(config, oneParameter(query, "client_id", maxClientIdLength));
  const redirectUri = requiredParameter(query, "redirect_uri");
  if (!isRegistered(client, redirectUri))
    throw new OAuthError("invalid_request", "redirect_uri must be one that the client registered");
  const [state = ""] = query.getAll("state");
  try {
    const authorization = readRequest(context, client, redirectUri);
    const kept = newState("", { ...parametersOf(context), authorization }, now, false);
    const idp = oneParameter(query, "idp_id");
    const page = showAuthorization(pageOf(authorization, { name: client.name, idp }, kept.state));
    page.headers.append("set-cookie", await stateCookie(config, { ...kept, client: client.name }));
    return page;
  } catch (thrown) {
    if (!(thrown instanceof OAuthError)) throw thrown;
    return deliverOAuthError(config, { redirectUri, state }, thrown.code, thrown.message);
  }
}

function readRequest(
  { config, url: { searchParams: query } }: LoginContext,
  { digest }: OAuthClient,
  redirectUri: string,
): AuthorizationRequest {
  const state = oneParameter(query, "state");
  if (requiredParameter(query, "response_type") !== "code")
    throw new OAuthError("unsupported_response_type", "response_type must be code");
  const challenge = requiredParameter(query, "code_challenge");
  if (!/^[A-Za-z0-9_-]{43}$/.test(challenge))
    throw new OAuthError("invalid_request", "code_challenge must be SHA-256 in base64url");
  if (oneParameter(query, "code_challenge_method") !== "S256")
    throw new OAuthError("invalid_request", "code_challenge_method must be S256");
  checkResources(query, config);
  return { client: digest, redirectUri, challenge, state, scope: readScopes(query) };
}

/** The parameters of the login, which has no redirect of its own. */
const parametersOf = ({ config }: LoginContext) => ({
  ...{ redirect: "", idp: "", audiences: [config.audience], scopes: [], identity: "" },
  ...{ createRefreshToken: false, headlessCode: "", invite: "" },
});

const pageOf = (
  { redirectUri, scope }: AuthorizationRequest,
  { name, idp }: { name: string; idp: string },
  state: string,
): AuthorizationPage => ({ name, idp, state, host: new URL(redirectUri).host, scope });

/** `POST /oauth/authorize`: the person has named their organization. The next page leads to its identity provider. */
export async function confirmAuthorization(context: LoginContext): Promise<Response> {
  const { config, db, request, now } = context;
  const form = await readForm(request);
  const state = form.get("state") ?? "";
  const idp = (form.get("idp_id") ?? "").trim().slice(0, 1024);
  const kept = await readState(config, request, state, now);
  const authorization = kept?.parameters.authorization;
  if (!kept || !authorization || kept.confirmed) throw noSuchLogin();
  const page = pageOf(authorization, { name: kept.client ?? "", idp }, state);
  try {
    const provider = idp === "" ? undefined : await findProvider(db, idp);
    if (!provider) return showAuthorization({ ...page, problem: notFoundText }, 404);
    const onward = await redirectToProvider(context, provider, { ...kept.parameters, idp });
    const next = showContinue(onward.headers.get("location") ?? "");
    for (const cookie of onward.headers.getSetCookie()) next.headers.append("set-cookie", cookie);
    next.headers.append("set-cookie", await expiredStateCookie(config, state));
    return next;
  } catch (thrown) {
    const { status, reason } = toLoginRefusal(thrown, request.headers);
    return showAuthorization({ ...page, problem: reason }, status);
  }
}

const notFoundText =
  "No identity provider has that name. Enter the name of a verified organization, or the uid of a group or identity provider.";
