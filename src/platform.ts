/** The whole platform in one Worker, for development, previews and small installs. */
import { pullQueue } from "../schema/deployment/workers.ts";
import advisory from "./advisory/worker.ts";
import type { Env } from "./config.ts";
import distribution from "./distribution/worker.ts";
import events from "./events/worker.ts";
import iam from "./iam/worker.ts";
import issuer from "./issuer/worker.ts";
import libraries from "./libraries/worker.ts";
import { mcpWorker } from "./mcp/worker.ts";
import ping from "./ping/worker.ts";
import registry from "./registry/worker.ts";
import { urlOf } from "./rpc/request_url.ts";
import { dropRest } from "./rpc/rest_of_body.ts";
import type { Execution, Worker } from "./rpc/runtime.ts";
import { workerRun } from "./rpc/traced_execution.ts";
import { workerFetch } from "./rpc/worker_fetch.ts";
import vulnerabilities from "./vulnerabilities/worker.ts";

const domains = new Map<string, Worker>(
  Object.entries({
    // The tools call the other domains within this Worker.
    mcp: mcpWorker((_, request, env, execution) => answer(request, env, execution)),
    iam,
    scim: iam,
    "leaked-keys": iam,
    libraries,
    advisory,
    events,
    ping,
    vulnerabilities,
    // The iam Worker serves identities, although their package in version 1 is that of events.
    "events.Identities": iam,
    registry,
    apko: registry,
    auth: issuer,
    sts: issuer,
    oidc: issuer,
    oauth: issuer,
    orgcheck: issuer,
    ".well-known": issuer,
    token: distribution,
    v2: distribution,
  }),
);

const paths =
  /^\/(?:(?:[a-z0-9-]+\.)?platform\.)?(events\.Identities|\.well-known|leaked-keys|v2|[a-z]+)/;

/** The metadata of the MCP endpoints. The other well-known documents are those of the issuer. */
const resourceMetadata = /^\/\.well-known\/oauth-protected-resource/;

function answer(request: Request, env: Env, execution: Execution): Promise<Response> {
  const { pathname } = urlOf(request);
  const [, first = ""] = paths.exec(pathname) ?? [];
  const domain = resourceMetadata.test(pathname) ? "mcp" : first;
  return (domains.get(domain) ?? ping).fetch(request, env, execution);
}

export default {
  // The handlers see this request and no copy, because it has an id.
  fetch: workerFetch("platform", async (request, env: Env, execution: Execution) => {
    const response = await answer(request, env, execution);
    await dropRest(request);
    return response;
  }),
  queue: async (batch, env, execution) => {
    const { queue } = batch as { queue: string };
    const receiver = queue === pullQueue.name ? distribution : events;
    await receiver.queue(batch, env, execution);
  },
  scheduled: workerRun("platform", "schedule", async (controller, env, execution) => {
    await events.scheduled(controller, env, execution);
    await iam.scheduled(controller, env, execution);
    await registry.scheduled(controller, env, execution);
    await distribution.scheduled(controller, env, execution);
  }),
} satisfies Worker;
