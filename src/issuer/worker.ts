import { type IRequest, Router } from "itty-router";
import { configOf, type Env } from "../config.ts";
import { withCors } from "../rpc/browsers.ts";
import { redirectToApiHost, refuseMethod } from "../rpc/root.ts";
import type { Execution, Worker } from "../rpc/runtime.ts";
import { serve } from "../rpc/serve.ts";
import { workerFetch } from "../rpc/worker_fetch.ts";
import { authV1 } from "./auth.v1.ts";
import { showDiscovery, showKeys, showKeysAsPem } from "./discovery.ts";
import { addLoginRoutes } from "./login/routes.ts";
import { securityTokenService } from "./security_token.ts";

export const services = [securityTokenService, authV1];

const rpcs = serve(services);

const router = Router<IRequest & Request, [Env, Execution], Response>();
router.all("/.well-known/openid-configuration", withCors(showDiscovery));
router.all("/.well-known/oauth-authorization-server", withCors(showDiscovery));
router.all("/.well-known/jwks.json", showKeys);
router.all("/.well-known/jwks.pem", showKeysAsPem);
addLoginRoutes(router);
router.all("/", redirectRoot);
router.all("*", (request, env, execution) => rpcs.fetch(request, env, execution));

/** Redirects to the API host if the issuer has a host of its own. */
function redirectRoot(request: Request, env: Env): Response | undefined {
  try {
    const config = configOf(env);
    const away = redirectToApiHost(config.issuerUrl, config);
    return away && (refuseMethod(request, config) ?? away);
  } catch {
    // The next route reports what is wrong with the configuration.
    return undefined;
  }
}

// The router adds the parameters and the query to the request, but the type Request has no members for them.
export default {
  fetch: workerFetch("issuer", (request, env: Env, execution: Execution) =>
    router.fetch(request as never, env, execution),
  ),
} satisfies Worker;
