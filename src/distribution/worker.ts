import { type IRequest, Router } from "itty-router";
import type { Env } from "../config.ts";
import { openToBrowsers } from "../rpc/browsers.ts";
import { toApiHost } from "../rpc/root.ts";
import type { Worker } from "../rpc/serve.ts";
import { methodUnsupported, notFound } from "./errors.ts";
import { token } from "./registry_token.ts";
import { registry } from "./v2.ts";
import { type Handled, handled, isRead, type Visit } from "./visit.ts";

const router = Router<IRequest & Request, Handled, Response>();
router.all("/token", handled(token));
router.all("/v2/*", handled(registry));
router.all("/", handled(root));
router.all(
  "*",
  handled(() => Promise.reject(notFound())),
);

/** The way to the API host, where the registry has a host of its own. */
async function root(visit: Visit): Promise<Response> {
  const away = toApiHost(visit.config.registryUrl, visit.config);
  if (!away) throw notFound();
  if (!isRead(visit)) throw methodUnsupported(visit.request.method);
  return away;
}

export default {
  // The router writes params and query into the request, which a Request has no members for.
  fetch: openToBrowsers((request: Request, env: Env) => router.fetch(request as never, env)),
} satisfies Worker;
