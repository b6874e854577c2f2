/** The HTTP routes for logins, for browsers and for programs that control one. */
import type { IRequest, Router } from "itty-router";
import { invalidArgument } from "../../aip/errors.ts";
import type { Env } from "../../config.ts";
import { withCors } from "../../rpc/browsers.ts";
import type { Execution } from "../../rpc/runtime.ts";
import { hasIdentityProvider } from "../identity_provider.ts";
import { confirmAuthorization, startAuthorization } from "../oauth/authorize.ts";
import { registerClient } from "../oauth/clients.ts";
import { openRefreshToken } from "../oauth/codes.ts";
import { authorizeDevice } from "../oauth/device.ts";
import { issueTokens } from "../oauth/token.ts";
import { revokeTokenFamily } from "../refresh_token.ts";
import { finishLogin } from "./callback.ts";
import {
  answerWithJson,
  answerWithOAuth,
  answerWithPages,
  type LoginContext,
  readForm,
} from "./context.ts";
import { answerAboutDevice, askForCode, continueDevice, enterCode } from "./device.ts";
import { answerAboutInvite } from "./invite_question.ts";
import { confirmLogin, startLogin } from "./login.ts";

/** `GET /orgcheck?name=`: whether people can log in to a verified organization with that name. */
const checkOrganization = async ({ databases, url }: LoginContext) =>
  Response.json(await hasIdentityProvider(databases, url.searchParams.get("name") ?? ""), {
    headers: { "cache-control": "no-store", "access-control-allow-origin": "*" },
  });

/**
 * `POST /oauth/revoke` (RFC 7009) with a refresh token as `token` ends its login: all refresh tokens, and with the
 * session all access tokens. It returns 200 for every token, known or not. It returns INVALID_ARGUMENT without a token,
 * so that a client with an unreadable form does not consider its token revoked.
 */
async function revokeToken(context: LoginContext): Promise<Response> {
  const token = (await readForm(context.request)).get("token");
  if (!token) throw invalidArgument("token", "token is required in the form");
  // A refresh token of an OAuth client contains that of its login.
  const content = await openRefreshToken(context.config, token);
  await revokeTokenFamily(context, content?.token ?? token);
  return new Response(null, { headers: { "cache-control": "no-store" } });
}

/** Lets only POST through, because the wrapper for browsers must also see their preflight requests. */
const onlyPost =
  (answer: (context: LoginContext) => Promise<Response>) => async (context: LoginContext) =>
    context.request.method === "POST"
      ? answer(context)
      : new Response(null, { status: 405, headers: { allow: "POST" } });

/** The routes. They come before the RPCs, and each serves one method. */
export function addLoginRoutes(
  router: ReturnType<typeof Router<IRequest & Request, [Env, Execution]>>,
): void {
  router.get("/oauth", answerWithPages(startLogin));
  router.post("/oauth/confirm", answerWithPages(confirmLogin));
  router.post("/oauth/invite", answerWithPages(answerAboutInvite));
  router.get("/oauth/callback", answerWithPages(finishLogin));
  router.get("/oauth/callback/:provider+", answerWithPages(finishLogin));
  router.get("/oauth/authorize", answerWithPages(startAuthorization));
  router.post("/oauth/authorize", answerWithPages(confirmAuthorization));
  router.get("/oauth/device", answerWithPages(askForCode));
  router.post("/oauth/device", answerWithPages(enterCode));
  router.post("/oauth/device/login", answerWithPages(continueDevice));
  router.post("/oauth/device/answer", answerWithPages(answerAboutDevice));
  // Without CORS, because a page must not make the browsers of its readers request codes.
  router.all("/oauth/device_authorization", answerWithOAuth(onlyPost(authorizeDevice)));
  router.all("/oauth/token", withCors(answerWithOAuth(onlyPost(issueTokens))));
  router.all("/oauth/register", withCors(answerWithOAuth(onlyPost(registerClient))));
  router.all("/oauth/revoke", withCors(answerWithJson(onlyPost(revokeToken))));
  router.get("/orgcheck", answerWithJson(checkOrganization));
}
