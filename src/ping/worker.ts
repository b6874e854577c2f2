import type { Env } from "../config.ts";
import type { Execution, Worker } from "../rpc/runtime.ts";
import { serve } from "../rpc/serve.ts";
import { workerFetch } from "../rpc/worker_fetch.ts";
import { healthService } from "./health.ts";
import { openapiPath, showOpenapi } from "./openapi.ts";
import { consolePath, serveConsole, serveSitePage, sitePath } from "./pages.ts";
import { pingService } from "./ping.ts";
import { pingV1 } from "./ping.v1.ts";
import { showRoot } from "./root.ts";

export const services = [pingService, pingV1];

const api = serve([...services, healthService]);

async function answer(request: Request, env: Env, execution: Execution): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === "/") return showRoot(request, env);
  if (pathname === openapiPath) return showOpenapi(request, env);
  if (consolePath.test(pathname)) return serveConsole(request, env);
  return sitePath.test(pathname) ? serveSitePage(request, env) : api.fetch(request, env, execution);
}

export default { fetch: workerFetch("ping", answer) } satisfies Worker;
