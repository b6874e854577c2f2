/** The whole platform in one Worker, for development, previews and small installs. */
import advisory from "./advisory/worker.ts";
import type { Env } from "./config.ts";
import distribution from "./distribution/worker.ts";
import events from "./events/worker.ts";
import iam from "./iam/worker.ts";
import issuer from "./issuer/worker.ts";
import libraries from "./libraries/worker.ts";
import ping from "./ping/worker.ts";
import registry from "./registry/worker.ts";
import type { Execution, Worker } from "./rpc/runtime.ts";
import vulnerabilities from "./vulnerabilities/worker.ts";

const domains = new Map<string, Worker>(
  Object.entries({
    ...{ iam, scim: iam },
    libraries,
    advisory,
    events,
    ping,
    vulnerabilities,
    // The iam Worker serves identities, although their package in version 1 is that of events.
    "events.Identities": iam,
    ...{ registry, apko: registry },
    ...{
      auth: issuer,
      sts: issuer,
      oidc: issuer,
      oauth: issuer,
      orgcheck: issuer,
      ".well-known": issuer,
    },
    ...{ token: distribution, v2: distribution },
  }),
);

const paths = /^\/(?:(?:[a-z0-9-]+\.)?platform\.)?(events\.Identities|\.well-known|v2|[a-z]+)/;

export default {
  fetch(request: Request, env: Env, execution: Execution): Promise<Response> {
    const [, domain = ""] = paths.exec(new URL(request.url).pathname) ?? [];
    return (domains.get(domain) ?? ping).fetch(request, env, execution);
  },
  queue: events.queue,
  async scheduled(controller, env, execution): Promise<void> {
    await events.scheduled(controller, env, execution);
    await iam.scheduled(controller, env, execution);
    await distribution.scheduled(controller, env, execution);
  },
} satisfies Worker;
