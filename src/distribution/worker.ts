import { type IRequest, Router } from "itty-router";
import { preflightAnswer, readableAnywhere } from "../rpc/browsers.ts";
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
  async fetch(request, env) {
    return preflightAnswer(request) ?? readableAnywhere(await router.fetch(request as never, env));
  },
} satisfies Worker;
