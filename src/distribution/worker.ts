import { type IRequest, Router } from "itty-router";
import type { Env } from "../config.ts";
import { openToBrowsers } from "../rpc/browsers.ts";
import type { Worker } from "../rpc/serve.ts";
import { notFound } from "./errors.ts";
import { token } from "./registry_token.ts";
import { registry } from "./v2.ts";
import { type Handled, handled } from "./visit.ts";

const router = Router<IRequest & Request, Handled, Response>();
router.all("/token", handled(token));
router.all("/v2/*", handled(registry));
router.all(
  "*",
  handled(() => Promise.reject(notFound())),
);

export default {
  fetch: openToBrowsers((request: Request, env: Env) => router.fetch(request as never, env)),
} satisfies Worker;
