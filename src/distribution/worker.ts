import { type IRequest, Router } from "itty-router";
import type { Env } from "../config.ts";
import { runMatching } from "../matching/run.ts";
import { indexPendingReports, indexPendingSboms } from "../registry/findings/reindex.ts";
import { withCors } from "../rpc/browsers.ts";
import { openDatabase } from "../rpc/database.ts";
import { redirectToApiHost } from "../rpc/root.ts";
import type { Execution, Worker } from "../rpc/runtime.ts";
import { workerRun } from "../rpc/traced_execution.ts";
import { workerFetch } from "../rpc/worker_fetch.ts";
import { cleanUp } from "./cleanup.ts";
import {
  isGetOrHead,
  type RegistryContext,
  type RouteArguments,
  registryRoute,
} from "./context.ts";
import { methodUnsupported, pathNotFound } from "./errors.ts";
import { watchUpstreams } from "./mirror/watch.ts";
import { announcePlans } from "./pulls/known_pulls.ts";
import { handlePulls } from "./pulls/write_pulls.ts";
import { issueRegistryToken } from "./registry_token.ts";
import { runScheduled } from "./scheduled.ts";
import { recheckSignatures } from "./signatures/recheck.ts";
import { signVerdicts } from "./signatures/sign_verdicts.ts";
import { copyRepos } from "./sync/copy_repos.ts";
import { handleV2 } from "./v2.ts";

/** The triggers of production (schema/deployment/write.ts). Any other one does everything. */
const triggers = { cleanUp: "*/10 * * * *", mirrors: "*/1 * * * *" };

const router = Router<IRequest & Request, RouteArguments, Response>();
router.all("/token", registryRoute(issueRegistryToken));
router.all("/v2/*", registryRoute(handleV2));
router.all("/", registryRoute(redirectRoot));
router.all(
  "*",
  registryRoute(() => Promise.reject(pathNotFound())),
);

/** Redirects to the API host if the registry has a host of its own. */
async function redirectRoot(context: RegistryContext): Promise<Response> {
  const away = redirectToApiHost(context.config.registryUrl, context.config);
  if (!away) throw pathNotFound();
  if (!isGetOrHead(context)) throw methodUnsupported(context.request.method);
  return away;
}

/** Does the matching of images with records that no response has done. */
const matchImages = (context: RegistryContext, end: number) =>
  runMatching(context, context.db, end);

/** Verifies signatures again, and then signs the verdicts that have changed. */
async function verifyAndSign(context: RegistryContext, end: number): Promise<void> {
  try {
    await recheckSignatures(context, end);
  } finally {
    await signVerdicts(context, end);
  }
}

export default {
  // The router adds the parameters and the query to the request, but the type Request has no members for
  // them.
  fetch: workerFetch(
    "distribution",
    withCors((request: Request, env: Env, execution: Execution) =>
      router.fetch(request as never, env, execution),
    ),
  ),
  queue: workerRun("distribution", "queue", handlePulls),
  scheduled: workerRun("distribution", "schedule", async (controller, env, execution) => {
    const { cron } = controller as { cron: string };
    try {
      if (cron !== triggers.cleanUp)
        await runScheduled(env, execution, [
          ...[announcePlans, watchUpstreams, copyRepos, matchImages, verifyAndSign],
        ]);
      if (cron !== triggers.mirrors) await cleanUp(env, execution);
    } finally {
      const { databases } = openDatabase(env, execution);
      for (const db of databases.all) {
        await indexPendingReports(db);
        await indexPendingSboms(db);
      }
    }
  }),
} satisfies Worker;
