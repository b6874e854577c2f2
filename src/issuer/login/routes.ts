/** Logins over plain HTTP: what a browser, or a client around one, asks of the issuer. */
import type { IRequest, Router } from "itty-router";
import { invalidArgument } from "../../aip/errors.ts";
import type { Env } from "../../config.ts";
import { hasIdentityProvider } from "../identity_provider.ts";
import { revokeTokenFamily } from "../refresh_token.ts";
import { finishLogin } from "./callback.ts";
import { answerWithJson, answerWithPages, type LoginContext, readForm } from "./context.ts";
import { confirmLogin, startLogin } from "./login.ts";

/** `GET /orgcheck?name=`: whether a verified organization of that name can be logged in to. */
const checkOrganization = async ({ db, url }: LoginContext) =>
  Response.json(await hasIdentityProvider(db, url.searchParams.get("name") ?? ""), {
    headers: { "cache-control": "no-store", "access-control-allow-origin": "*" },
  });

/**
 * `POST /oauth/revoke` (RFC 7009) with `token`, a refresh token: it and all refresh tokens of its
 * login work no more. Access tokens live on for their hour. 200 for every token, known or not, and
 * INVALID_ARGUMENT for none: a client whose form was not understood must not take its token for revoked.
 */
async function revokeToken({ db, request, now }: LoginContext): Promise<Response> {
  const token = (await readForm(request)).get("token");
  if (!token) throw invalidArgument("token", "token is not in the form");
  await revokeTokenFamily(db, token, now);
  return new Response(null, { headers: { "cache-control": "no-store" } });
}

/** The routes. They come before the RPCs, and answer one verb each. */
export function addLoginRoutes(router: ReturnType<typeof Router<IRequest & Request, [Env]>>): void {
  router.get("/oauth", answerWithPages(startLogin));
  router.post("/oauth/confirm", answerWithPages(confirmLogin));
  router.get("/oauth/callback", answerWithPages(finishLogin));
  router.get("/oauth/callback/:provider+", answerWithPages(finishLogin));
  router.post("/oauth/revoke", answerWithJson(revokeToken));
  router.get("/orgcheck", answerWithJson(checkOrganization));
}
