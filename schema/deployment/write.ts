/** Writes wrangler.toml from workers.ts. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type RateClass, rateBindings, rateClasses, ratePeriod } from "./rate_limits.ts";
import {
  bucket,
  type DomainWorker,
  databases,
  domains,
  metricsDataset,
  newOrganizations,
  pullQueue,
  queue,
  rateLimits,
  sealingSecret,
  secrets,
  vars,
} from "./workers.ts";

/** Writes wrangler.toml into the project's folder. */
export const writeWranglerToml = (root: string): void =>
  writeFileSync(join(root, "wrangler.toml"), wranglerToml());

/** The text of wrangler.toml: the top level, followed by an environment for each domain. */
export const wranglerToml = (): string =>
  [topLevel, ...Object.entries(domains).map(([name, worker]) => environment(name, worker))].join(
    "\n",
  );

const lines = (entries: Record<string, string>) =>
  Object.entries(entries)
    .map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`)
    .join("");

/** The databases of a Worker. */
function boundTo(section: string): string {
  if (!databases.some(({ binding }) => binding === newOrganizations))
    throw new Error(`newOrganizations names ${newOrganizations}, which is not a database`);
  return databases
    .map(
      ({ binding, name, id }) => `[[${section}d1_databases]]
${lines({ binding, database_name: name, database_id: id, migrations_dir: "migrations" })}`,
    )
    .join("\n");
}

/** The queue of a Worker: every Worker can wake the sender of events, and one is the sender. */
const queues = (section: string, isSender: boolean) => `[[${section}queues.producers]]
${lines({ binding: queue.binding, queue: queue.name })}${isSender ? senderOf(section) : ""}`;

/**
 * A message has no content, so the sender does not wait for more of them. If one is lost, the schedule does its
 * work within a minute.
 */
const senderOf = (section: string) => `
[[${section}queues.consumers]]
${lines({ queue: queue.name })}max_batch_size = 100
max_batch_timeout = 0
max_concurrency = 5
max_retries = 3

[${section}triggers]
crons = ["* * * * *"]
`;

/**
 * The queue of pulls. The consumer waits a little, so that it writes many pulls at once. There is one at a time, so events
 * of pulls are written in the order of their batches.
 */
const pullsOf = (section: string) => `
[[${section}queues.producers]]
${lines({ binding: pullQueue.binding, queue: pullQueue.name })}
[[${section}queues.consumers]]
${lines({ queue: pullQueue.name })}max_batch_size = 100
max_batch_timeout = 5
max_concurrency = 1
max_retries = 100
retry_delay = 10
`;

/** The dataset of a Worker's metrics. */
const metricsOf = (section: string) =>
  metricsDataset === ""
    ? ""
    : `
[[${section}analytics_engine_datasets]]
${lines({ binding: "METRICS", dataset: metricsDataset })}`;

/** The bucket of a Worker. */
const bucketOf = (section: string, name = bucket.name) => `
[[${section}r2_buckets]]
${lines({ binding: bucket.binding, bucket_name: name })}`;

/**
 * The bucket and the queue of the registry's Worker. It cleans the bucket every ten minutes, and looks at mirrors and
 * copies every minute.
 */
const registryOf = (section: string) => `${bucketOf(section)}${pullsOf(section)}
[${section}triggers]
crons = ["*/10 * * * *", "*/1 * * * *"]
`;

const everyTenMinutes = (section: string) => `
[${section}triggers]
crons = ["*/10 * * * *"]
`;

/**
 * The first namespace of the counters, in production and at the top level. Bindings with the same namespace count
 * together, in all Workers of an account.
 */
const rateNamespaces = { production: 8_100, development: 8_200 };

/** The bindings that count the calls of some classes. */
const countersOf = (classes: readonly RateClass[], first: number) => `ratelimits = [
${rateBindings(rateLimits, classes, first)
  .map(({ name, namespace, limit }) => {
    const counted = `simple = { limit = ${limit}, period = ${ratePeriod} }`;
    return `  { name = "${name}", namespace_id = "${namespace}", ${counted} },\n`;
  })
  .join("")}]
`;

const hourly = (section: string) => `
[${section}triggers]
crons = ["17 * * * *"]
`;

const topLevel = `# Written by \`npm run gen\`. Edit schema/deployment/workers.ts or schema/deployment/write.ts instead.

# The top level is the whole platform in one Worker: development, previews, small installs.
name = "platform"
main = "src/platform.ts"
compatibility_date = "2026-10-01"
# From 2026-08-04 on, a compatibility date enables Node's API. The Workers do not need it, and its globals take
# a large part of a cold start.
compatibility_flags = ["no_nodejs_compat", "no_nodejs_compat_v2"]
# Without the wrappers that keep the names of functions, a Worker's gzip is 6 to 8 % smaller. Stacks in the
# logs are still readable, because a deployment uploads the source map.
keep_names = false
upload_source_maps = true
${countersOf(rateClasses, rateNamespaces.development)}
${boundTo("")}
# It says what \`wrangler dev\` needs, and does nothing for other commands.
[build]
command = "node cli/local/wrangler_dev.js"

# The console, the reference and the guides, which \`node site/build.ts\` builds. Every request goes to the Worker first
# (src/ping/worker.ts), so that no file can hide a call. An environment inherits the assets and cannot remove
# them: each Worker is deployed with them, and only ping serves them.
[assets]
directory = "site/dist"
binding = "ASSETS"
not_found_handling = "404-page"
run_worker_first = true

${queues("", true)}${pullsOf("")}${bucketOf("")}
[vars]
${lines(vars.development)}
# A branch's own platform (\`npm run preview\`).
[previews.vars]
${lines(vars.preview)}
[[previews.d1_databases]]
${lines({ binding: "DB", database_name: `${databases[0]?.name}-preview` })}
${bucketOf("previews.", `${bucket.name}-preview`).trimStart()}
[previews.observability]
enabled = true

# Production: one Worker for each domain.
`;

/** The bindings to the Workers of other domains. */
const services = (section: string, domains: string[]) =>
  domains
    .map(
      (name) => `
[[${section}services]]
${lines({ binding: `DOMAIN_${name.toUpperCase()}`, service: `platform-${name}` })}`,
    )
    .join("");

/** The Worker of one domain in production. */
function environment(name: string, worker: DomainWorker): string {
  const classes = worker.rateClasses ?? ["read", "list", "write"];
  const required = [...secrets, ...(worker.seals ? [sealingSecret] : [])];
  return `[env.${name}]
name = "platform-${name}"
main = "src/${name}/worker.ts"
workers_dev = false
routes = [
${routes(name, worker)
  .map((route) => `  ${route},\n`)
  .join("")}]
${countersOf(classes, rateNamespaces.production)}
${boundTo(`env.${name}.`)}
${queues(`env.${name}.`, worker.sendsEvents === true)}${worker.storesBlobs ? registryOf(`env.${name}.`) : ""}${worker.noticesExpiries ? hourly(`env.${name}.`) : ""}${worker.runsPlans ? everyTenMinutes(`env.${name}.`) : ""}${services(`env.${name}.`, worker.calls ?? [])}${metricsOf(`env.${name}.`)}
[env.${name}.vars]
${lines(vars.production)}
[env.${name}.secrets]
required = [${required.map((name) => JSON.stringify(name)).join(", ")}]

[env.${name}.observability]
enabled = true
`;
}

/**
 * The routes of a domain: all other paths of its host, REST paths, and gRPC with and without the vendor's
 * name in front.
 */
function routes(name: string, worker: DomainWorker): string[] {
  const { host, paths = [name], patterns: more = [], packages = [name] } = worker;
  const api = new URL(vars.production.BASE_URL).host;
  const services = packages.flatMap((packageName) => {
    const methods = `platform.${packageName}${packageName.includes(".") ? "/" : "."}*`;
    return [methods, `${vars.production.VENDOR}.${methods}`];
  });
  const own = host
    ? [`{ pattern = "${new URL(vars.production[host]).host}", custom_domain = true }`]
    : [];
  const patterns = [...more, ...paths.map((path) => `${path}/*`), ...services];
  return [...own, ...patterns.map((pattern) => JSON.stringify(`${api}/${pattern}`))];
}
