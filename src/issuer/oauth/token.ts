/** The token endpoint (OAuth 2.1 section 3.2): exchanges codes and refresh tokens for access tokens. */
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { TokenExchange_Kind } from "../../../schema/gen/platform/events/v2/occurrences_pb.js";
import { sha256 } from "../../aip/sha256.ts";
import { retryStale } from "../../aip/stale.ts";
import { maxTokenLength } from "../../auth/claims.ts";
import { signAccessToken } from "../access_token.ts";
import { type LoginContext, readForm } from "../login/context.ts";
import { familyLifetime, findLogin, rotate } from "../refresh_token.ts";
import { insertExchangeEvent } from "../token_events.ts";
import { deviceGrant, isCommand, maxClientIdLength } from "./clients.ts";
import { openCode, openRefreshToken, type RefreshContent, sealRefreshToken } from "./codes.ts";
import { openDeviceCode, takeGrant } from "./device_codes.ts";
import { OAuthError } from "./errors.ts";
import { challengeOf, checkResources, requiredParameter } from "./parameters.ts";
import { exchangeAssertion, exchangeSubjectToken } from "./token_exchange.ts";

const path = "/oauth/token";

/** The longest code or refresh token. */
const maxGrantLength = 4096;

/** The most bytes of a form: a token of another issuer, and the other parameters. */
const maxFormBytes = maxTokenLength + 32 * 1024;

/** The handler of each grant. */
const grants: Record<string, (context: LoginContext, form: URLSearchParams) => Promise<Response>> =
  {
    authorization_code: redeemCode,
    refresh_token: refresh,
    [deviceGrant]: redeemDeviceCode,
    "urn:ietf:params:oauth:grant-type:token-exchange": exchangeSubjectToken,
    "urn:ietf:params:oauth:grant-type:jwt-bearer": exchangeAssertion,
  };

/** The grants of the token endpoint, for discovery. */
export const grantTypes = Object.keys(grants);

/** `POST /oauth/token`. Its clients are public: PKCE and the encrypted grant take the place of a secret. */
export async function issueTokens(context: LoginContext): Promise<Response> {
  const form = await readForm(context.request, maxFormBytes);
  const grant = requiredParameter(form, "grant_type");
  const handle = Object.hasOwn(grants, grant) ? grants[grant] : undefined;
  if (handle) return handle(context, form);
  const text = `grant_type must be one of ${grantTypes.join(", ")}`;
  throw new OAuthError("unsupported_grant_type", text);
}

/** Throws OAuthError if a grant belongs to another client. */
async function requireClient(form: URLSearchParams, client: string): Promise<void> {
  const id = requiredParameter(form, "client_id", maxClientIdLength);
  if ((await sha256(id)) !== client)
    throw new OAuthError("invalid_grant", "the grant was issued to another client");
}

async function redeemCode(context: LoginContext, form: URLSearchParams): Promise<Response> {
  checkResources(form, context.config);
  const content = await openCode(context.config, requiredParameter(form, "code", maxGrantLength));
  if (!content) throw new OAuthError("invalid_grant", "the code is not valid");
  await requireClient(form, content.client);
  if (requiredParameter(form, "redirect_uri") !== content.redirectUri)
    throw new OAuthError("invalid_grant", "redirect_uri must be the one of the authorization");
  const challenge = await challengeOf(requiredParameter(form, "code_verifier"));
  if (challenge !== content.challenge)
    throw new OAuthError("invalid_grant", "code_verifier does not belong to the code_challenge");
  return retryStale(() => issue(context, content, TokenExchange_Kind.AUTHORIZATION_CODE));
}

async function refresh(context: LoginContext, form: URLSearchParams): Promise<Response> {
  checkResources(form, context.config);
  const refreshToken = requiredParameter(form, "refresh_token", maxGrantLength);
  const content = await openRefreshToken(context.config, refreshToken);
  if (!content) throw new OAuthError("invalid_grant", "the refresh token is not valid");
  await requireClient(form, content.client);
  return retryStale(() => issue(context, content, TokenExchange_Kind.REFRESH_TOKEN));
}

async function redeemDeviceCode(context: LoginContext, form: URLSearchParams): Promise<Response> {
  checkResources(form, context.config);
  const code = requiredParameter(form, "device_code", maxGrantLength);
  const content = await openDeviceCode(context.config, code);
  if (!content) throw new OAuthError("invalid_grant", "the device code is not valid");
  await requireClient(form, content.client);
  const token = await takeGrant(context, content);
  return retryStale(() => issue(context, { ...content, token }, TokenExchange_Kind.DEVICE_CODE));
}

/** With the issuer as an audience, platformctl can exchange its token for one of the registry. */
const audiencesOf = async ({ config }: LoginContext, client: string) =>
  (await isCommand(client)) ? [config.issuerUrl, config.audience] : [config.audience];

/** Uses the grant, and returns an access token and the next refresh token. */
async function issue(
  context: LoginContext,
  { client, scope, token }: RefreshContent,
  kind: TokenExchange_Kind,
): Promise<Response> {
  const { config, now } = context;
  const { row, claims, tokenContext } = await findLogin(context, token, path);
  const isRefresh = kind === TokenExchange_Kind.REFRESH_TOKEN;
  const expireTime = isRefresh ? row.expireTime : now + familyLifetime;
  const audiences = await audiencesOf(context, client);
  const access = await signAccessToken(context, claims, audiences, expireTime);
  const event = insertExchangeEvent(context, path, claims, {
    kind,
    audiences,
    expireTime: timestampFromMs(access.expires),
  });
  // Groups are read again at each login, so they have no refresh token. A device has none, so that a login under false
  // pretenses lasts an hour at most. Then no one gets the next token.
  const isLast = claims.groups !== undefined || kind === TokenExchange_Kind.DEVICE_CODE;
  const [nextExpires, sessionExpires] = isLast ? [now, access.expires] : [expireTime, expireTime];
  const next = await rotate(tokenContext, row, event, nextExpires, sessionExpires);
  const refreshToken = isLast
    ? undefined
    : await sealRefreshToken(config, { client, scope, token: next.token });
  const body = {
    access_token: access.token,
    token_type: "Bearer",
    expires_in: Math.floor((access.expires - now) / 1000),
    scope,
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
  };
  return Response.json(body, { headers: { "cache-control": "no-store", pragma: "no-cache" } });
}
