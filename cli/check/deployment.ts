/**
 * Checks wrangler.toml: its ten Workers must agree, and together they must serve every call. wrangler checks each
 * environment separately. It does not compare them, and it does not know which RPCs a route must reach.
 */
import { type DescMethod, type DescService, getOption } from "@bufbuild/protobuf";
import { services } from "../../schema/descriptors.ts";
import { http } from "../../schema/gen/google/api/annotations_pb.js";
import {
  type D1Binding,
  environmentFor,
  patternOf,
  type WorkerConfig,
  type WranglerToml,
} from "../cloudflare/wrangler_toml.ts";
import { sealingDomains, secretsNeeded } from "../keys.ts";

/** Returns what is wrong. `domains` are the folders of src that contain a Worker. */
export function deploymentBreaches(toml: WranglerToml, domains: string[]): string[] {
  return [
    ...sameNames(Object.keys(toml.env), domains),
    ...Object.entries(toml.env).flatMap(([domain, worker]) => workerBreaches(toml, domain, worker)),
    ...previewBreaches(toml),
    ...assetBreaches(toml),
    ...services.flatMap((service) => serviceBreaches(toml, service)),
    ...hostBreaches(toml),
  ];
}

function sameNames(environments: string[], domains: string[]): string[] {
  return [
    ...domains.filter((name) => !environments.includes(name)).map((name) => `no [env.${name}]`),
    ...environments
      .filter((name) => !domains.includes(name))
      .map((name) => `[env.${name}] has no src/${name}/worker.ts`),
  ];
}

function workerBreaches(toml: WranglerToml, domain: string, worker: WorkerConfig): string[] {
  const section = `[env.${domain}]`;
  const [first = worker] = Object.values(toml.env);
  const keys = (vars: object = {}) => Object.keys(vars).sort().join(", ");
  const breaches = [];
  if (worker.name !== `${toml.name}-${domain}`)
    breaches.push(`${section} has the wrong name, ${worker.name}`);
  if (worker.main !== `src/${domain}/worker.ts`)
    breaches.push(`${section} has the wrong main, ${worker.main}`);
  if (worker.workers_dev !== false) breaches.push(`${section} is also reachable on workers.dev`);
  if (!same(worker.d1_databases, toml.d1_databases)) {
    breaches.push(`${section} has a different database from the top level`);
  }
  if (!same(worker.vars, first.vars))
    breaches.push(`${section} has different vars from ${first.name}`);
  if (keys(worker.vars) !== keys(toml.vars)) {
    breaches.push(`${section} must have the same vars as the top level: ${keys(toml.vars)}`);
  }
  const secrets = secretsNeeded({ seals: sealingDomains.includes(domain) });
  if (!same(worker.secrets?.required, secrets)) {
    breaches.push(`${section} must require these secrets: ${secrets.join(", ")}`);
  }
  return breaches;
}

function previewBreaches(toml: WranglerToml): string[] {
  const { vars = {}, d1_databases = [] } = toml.previews ?? {};
  const bindings = (list: D1Binding[]) => list.map(({ binding }) => binding).join();
  const breaches = Object.keys(vars)
    .filter((name) => !(name in (toml.vars ?? {})))
    .map((name) => `[previews.vars] has ${name}, which no Worker reads`);
  // A preview has one database, whatever production has.
  if (bindings(d1_databases) !== "DB") breaches.push("[previews] must bind the database DB alone");
  // With an id, this would be the production database.
  if (d1_databases.some(({ database_id }) => database_id))
    breaches.push("[previews] must not name a database");
  return breaches;
}

/** The Worker must run first, so that no file can shadow a call. Its ping says which files are served. */
function assetBreaches({ assets, env }: WranglerToml): string[] {
  const breaches = Object.entries(env)
    .filter(([, worker]) => worker.assets)
    .map(([domain]) => `[env.${domain}] must not have its own assets`);
  if (assets?.binding !== "ASSETS") breaches.push("the top level does not bind ASSETS");
  if (assets?.run_worker_first !== true)
    breaches.push("the top level serves files before it runs the Worker");
  return breaches;
}

/**
 * Returns the domain that serves a package: `platform.iam.v2` belongs to iam. The package of the issuer is not named
 * after its domain. Identities belong to iam, although version 1 has them in another package.
 */
export function domainOf({ typeName }: DescService): string {
  if (typeName === "platform.events.Identities") return "iam";
  const [, domain = ""] = typeName.split(".");
  return domain === "oidc" || domain === "auth" ? "issuer" : domain;
}

function serviceBreaches(toml: WranglerToml, service: DescService): string[] {
  const domain = domainOf(service);
  const { BASE_URL = "", VENDOR = "" } = toml.env[domain]?.vars ?? {};
  if (!URL.canParse(BASE_URL)) return [`${service.typeName} has no Worker with a BASE_URL`];
  return service.methods
    .flatMap((method) => [
      `/${service.typeName}/${method.name}`,
      `/${VENDOR}.${service.typeName}/${method.name}`,
      ...restPaths(method),
    ])
    .flatMap((path) => [...new Set([path, path.replace(/(?<=[./])v2(?=[./])/, "v2beta1")])])
    .map((path) => ({ path, taker: environmentFor(toml, `${BASE_URL}${path}`) }))
    .filter(({ taker }) => taker !== domain)
    .map(({ path, taker }) => `${path} goes to ${taker ?? "no Worker"} instead of ${domain}`);
}

/** Returns an address for every `google.api.http` rule of a method, with its variables filled in. */
export function restPaths(method: DescMethod): string[] {
  const rule = getOption(method, http);
  return [rule, ...rule.additionalBindings].flatMap(({ pattern }) =>
    typeof pattern.value === "string" ? [pattern.value.replace(/\{[^}]*\}/g, "0123/4567")] : [],
  );
}

/** Paths on the API host that belong to ping and that no RPC of it has. */
const pages = [
  ...["/", "/console", "/console/assets/x.js", "/console/iam/v2", "/docs", "/docs/start"],
  ...["/openapi.json", "/grpc.health.v1.Health/Check"],
];

function hostBreaches(toml: WranglerToml): string[] {
  const hosts = { BASE_URL: "ping", ISSUER_URL: "issuer", REGISTRY_URL: "distribution" };
  const vars = Object.values(toml.env)[0]?.vars ?? {};
  const known = Object.keys(hosts).map((name) => URL.parse(vars[name] ?? "")?.host);
  // Paths that no RPC has: the rest of each host, SCIM and the pages.
  const lost = [
    ...Object.entries(hosts).map(([name, domain]) => ({ url: `${vars[name]}/nowhere`, domain })),
    { url: `${vars.BASE_URL}/scim/v2/nowhere`, domain: "iam" },
    ...["/mcp", "/mcp/write", "/.well-known/oauth-protected-resource/mcp"].map((path) => ({
      url: `${vars.BASE_URL}${path}`,
      domain: "mcp",
    })),
    ...pages.map((path) => ({ url: `${vars.BASE_URL}${path}`, domain: "ping" })),
  ]
    .filter(({ url, domain }) => !URL.canParse(url) || environmentFor(toml, url) !== domain)
    .map(({ url, domain }) => `${url} does not go to ${domain}`);
  const strange = Object.values(toml.env)
    .flatMap(({ routes = [] }) => routes.map(patternOf))
    .filter((pattern) => !known.includes(pattern.split("/")[0]))
    .map((pattern) => `route ${pattern} uses a host that no var names`);
  return [...lost, ...strange];
}

/** Whether two values are the same JSON. The order of members does not matter. */
function same(a: unknown, b: unknown): boolean {
  const text = (value: unknown) =>
    JSON.stringify(value, (_, inner) =>
      inner && typeof inner === "object" && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort())
        : inner,
    );
  return text(a) === text(b);
}
