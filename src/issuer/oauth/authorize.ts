/**
 * The authorization endpoint (OAuth 2.1 section 4.1): a program asks for a code, and a person allows it by logging in.
 * The page names the program and the place where the code goes, because anyone can send a person to this address. A
 * login of the console needs no such page, because its code goes only to the platform itself.
 */
import { requestIdOf } from "../../aip/request_id.ts";
import { findProvider } from "../identity_provider.ts";
import { type LoginContext, readForm, toLoginRefusal } from "../login/context.ts";
import { newState, noSuchLogin, redirectToProvider } from "../login/login.ts";
import { deliverOAuthError } from "../login/outcome.ts";
import {
  type LoginRefusal,
  showAuthorization,
  showConsoleLogin,
  showContinue,
} from "../login/pages.ts";
import { expiredStateCookie, type LoginState, readState, stateCookie } from "../login/state.ts";
import {
  isConsole,
  isRegistered,
  maxClientIdLength,
  type OAuthClient,
  readClient,
} from "./clients.ts";
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
 * to the redirect URI. A login of the console can name the identity provider (`idp_id`) and an invite (`invite_code`).
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
    const invite = client.isConsole ? oneParameter(query, "invite_code") : "";
    const parameters = { ...parametersOf(context), authorization, invite };
    const kept = { ...newState("", parameters, now, false), client: client.name };
    const idp = oneParameter(query, "idp_id").trim();
    const onward =
      client.isConsole && idp !== "" ? await tryProvider(context, kept, idp) : undefined;
    if (onward instanceof Response) return onward;
    const page = await askForOrganization(context, kept, idp, onward);
    page.headers.append("set-cookie", await stateCookie(config, kept));
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
  redirect: "",
  idp: "",
  audiences: [config.audience],
  scopes: [],
  identity: "",
  createRefreshToken: false,
  headlessCode: "",
  invite: "",
});

/** Redirects to the identity provider that the person named. Returns a refusal if that is not possible. */
export async function tryProvider(
  context: LoginContext,
  { parameters }: LoginState,
  idp: string,
): Promise<Response | LoginRefusal> {
  try {
    const provider = idp === "" ? undefined : await findProvider(context.databases, idp);
    if (!provider) return { status: 404, reason: notFoundText };
    return await redirectToProvider(context, provider, { ...parameters, idp });
  } catch (thrown) {
    return toLoginRefusal(thrown, context.headers);
  }
}

/** The page where the person names their organization. A refusal is about the name that they entered before. */
async function askForOrganization(
  { headers }: LoginContext,
  { state, client: name = "", parameters: { authorization } }: LoginState,
  idp: string,
  refusal?: LoginRefusal,
): Promise<Response> {
  if (!authorization) throw noSuchLogin();
  const { client, redirectUri, scope } = authorization;
  const { status = 200, reason = "" } = refusal ?? {};
  const form = { state, idp, problem: reason, requestId: requestIdOf(headers) };
  if (await isConsole(client)) return showConsoleLogin(form, status);
  return showAuthorization({ name, host: new URL(redirectUri).host, scope }, form, status);
}

/** `POST /oauth/authorize`: the person has named their organization. The next page leads to its identity provider. */
export async function confirmAuthorization(context: LoginContext): Promise<Response> {
  const { config, request, now } = context;
  const form = await readForm(request);
  const state = form.get("state") ?? "";
  const idp = (form.get("idp_id") ?? "").trim().slice(0, 1024);
  const kept = await readState(config, request, state, now);
  if (!kept?.parameters.authorization || kept.confirmed) throw noSuchLogin();
  const onward = await tryProvider(context, kept, idp);
  if (!(onward instanceof Response)) return askForOrganization(context, kept, idp, onward);
  const next = showContinue(onward.headers.get("location") ?? "");
  for (const cookie of onward.headers.getSetCookie()) next.headers.append("set-cookie", cookie);
  next.headers.append("set-cookie", await expiredStateCookie(config, state));
  return next;
}

const notFoundText =
  "No identity provider has that name. Enter the name of a verified organization, or the uid of a group or identity provider.";
