/**
 * What wrangler.toml must be: nine Workers that agree, and together take every call. wrangler checks each
 * environment for itself: it compares no two of them, and knows no RPC that a route has to reach.
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

/** What is wrong. `domains` are the folders of src that hold a Worker. */
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
  const at = `[env.${domain}]`;
  const [first = worker] = Object.values(toml.env);
  const keys = (vars: object = {}) => Object.keys(vars).sort().join(", ");
  const found = [];
  if (worker.name !== `${toml.name}-${domain}`) found.push(`${at} is named ${worker.name}`);
  if (worker.main !== `src/${domain}/worker.ts`) found.push(`${at} starts at ${worker.main}`);
  if (worker.workers_dev !== false) found.push(`${at} is open at workers.dev as well`);
  if (!same(worker.d1_databases, toml.d1_databases)) {
    found.push(`${at} has another database than the top level`);
  }
  if (!same(worker.vars, first.vars)) found.push(`${at} has other vars than ${first.name}`);
  if (keys(worker.vars) !== keys(toml.vars)) {
    found.push(`${at} does not name the vars of the top level: ${keys(toml.vars)}`);
  }
  const secrets = secretsNeeded({ seals: sealingDomains.includes(domain) });
  if (!same(worker.secrets?.required, secrets)) {
    found.push(`${at} does not require the secrets that it needs: ${secrets.join(", ")}`);
  }
  return found;
}

function previewBreaches(toml: WranglerToml): string[] {
  const { vars = {}, d1_databases = [] } = toml.previews ?? {};
  const bindings = (list: D1Binding[] = []) => list.map(({ binding }) => binding).join();
  const found = Object.keys(vars)
    .filter((name) => !(name in (toml.vars ?? {})))
    .map((name) => `[previews.vars] has ${name}, which no Worker reads`);
  if (bindings(d1_databases) !== bindings(toml.d1_databases)) {
    found.push("[previews] binds other databases than the top level");
  }
  // With the id it would be the database of production.
  if (d1_databases.some(({ database_id }) => database_id))
    found.push("[previews] names a database");
  return found;
}

/** With the Worker first, no file can shadow a call; which files are served is for ping to say. */
function assetBreaches({ assets, env }: WranglerToml): string[] {
  const found = Object.entries(env)
    .filter(([, worker]) => worker.assets)
    .map(([domain]) => `[env.${domain}] has assets of its own`);
  if (assets?.binding !== "ASSETS") found.push("the top level binds no ASSETS");
  if (assets?.run_worker_first !== true) found.push("files are served before the Worker is asked");
  return found;
}

/**
 * The domain that serves a package: `platform.iam.v2` is iam's; the issuer has no domain's name, and
 * identities are kept by iam, whatever the package of version 1 says.
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
    .map(({ path, taker }) => `${path} goes to ${taker ?? "nobody"} instead of ${domain}`);
}

/** An address for every `google.api.http` rule of a method, its variables filled. */
export function restPaths(method: DescMethod): string[] {
  const rule = getOption(method, http);
  return [rule, ...rule.additionalBindings].flatMap(({ pattern }) =>
    typeof pattern.value === "string" ? [pattern.value.replace(/\{[^}]*\}/g, "0123/4567")] : [],
  );
}

function hostBreaches(toml: WranglerToml): string[] {
  const hosts = { BASE_URL: "ping", ISSUER_URL: "issuer", REGISTRY_URL: "distribution" };
  const vars = Object.values(toml.env)[0]?.vars ?? {};
  const known = Object.keys(hosts).map((name) => URL.parse(vars[name] ?? "")?.host);
  // What no RPC has a path for: the rest of each host, SCIM, and the pages.
  const lost = [
    ...Object.entries(hosts).map(([name, domain]) => ({ url: `${vars[name]}/nowhere`, domain })),
    { url: `${vars.BASE_URL}/scim/v2/nowhere`, domain: "iam" },
    ...["/docs", "/docs/start", "/openapi.json", "/grpc.health.v1.Health/Check"].map((path) => ({
      url: `${vars.BASE_URL}${path}`,
      domain: "ping",
    })),
  ]
    .filter(({ url, domain }) => !URL.canParse(url) || environmentFor(toml, url) !== domain)
    .map(({ url, domain }) => `${url} does not go to ${domain}`);
  const strange = Object.values(toml.env)
    .flatMap(({ routes = [] }) => routes.map(patternOf))
    .filter((pattern) => !known.includes(pattern.split("/")[0]))
    .map((pattern) => `route ${pattern} is on a host that no var names`);
  return [...lost, ...strange];
}

/** Whether two values are the same JSON, whatever the order of members. */
function same(a: unknown, b: unknown): boolean {
  const text = (value: unknown) =>
    JSON.stringify(value, (_, inner) =>
      inner && typeof inner === "object" && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort())
        : inner,
    );
  return text(a) === text(b);
}
