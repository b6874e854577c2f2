/** Logins over plain HTTP: what a browser, or a client around one, asks of the issuer. */
import type { IRequest, Router } from "itty-router";
import { invalidArgument } from "../../aip/errors.ts";
import type { Env } from "../../config.ts";
import { hasProvider } from "../identity_provider.ts";
import { revoke } from "../refresh_token.ts";
import { finishLogin } from "./callback.ts";
import { confirmLogin, startLogin } from "./login.ts";
import { readForm, type Visit, withJson, withPages } from "./visit.ts";

/** `GET /orgcheck?name=`: whether a verified organization of that name can be logged in to. */
const checkOrganization = async ({ db, url }: Visit) =>
  Response.json(await hasProvider(db, url.searchParams.get("name") ?? ""), {
    headers: { "cache-control": "no-store", "access-control-allow-origin": "*" },
  });

/**
 * `POST /oauth/revoke` (RFC 7009) with `token`, a refresh token: it and all refresh tokens of its
 * login work no more. Access tokens live on for their hour. 200 for every token, known or not, and
 * INVALID_ARGUMENT for none: a client whose form was not understood must not take its token for revoked.
 */
async function revokeToken({ db, request, now }: Visit): Promise<Response> {
  const token = (await readForm(request)).get("token");
  if (!token) throw invalidArgument("token", "token is not in the form");
  await revoke(db, token, now);
  return new Response(null, { headers: { "cache-control": "no-store" } });
}

/** The routes. They come before the RPCs, and answer one verb each. */
export function addLoginRoutes(router: ReturnType<typeof Router<IRequest & Request, [Env]>>): void {
  router.get("/oauth", withPages(startLogin));
  router.post("/oauth/confirm", withPages(confirmLogin));
  router.get("/oauth/callback", withPages(finishLogin));
  router.get("/oauth/callback/:provider+", withPages(finishLogin));
  router.post("/oauth/revoke", withJson(revokeToken));
  router.get("/orgcheck", withJson(checkOrganization));
}
