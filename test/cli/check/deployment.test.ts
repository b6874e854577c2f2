import { readdirSync } from "node:fs";
import type { DescService } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { deploymentBreaches, restPaths } from "../../../cli/check/deployment.ts";
import {
  environmentFor,
  readWranglerToml,
  type WranglerToml,
} from "../../../cli/cloudflare/wrangler_toml.ts";
import { projectRoot } from "../../../cli/project.ts";
import { services } from "../../../schema/descriptors.ts";

const toml = readWranglerToml(`${projectRoot}/wrangler.toml`);
const domains = readdirSync(`${projectRoot}/src`, { recursive: true, encoding: "utf8" }).flatMap(
  (path) => /^(\w+)\/worker\.ts$/.exec(path)?.[1] ?? [],
);

/** The text of wrangler.toml after a change. */
function changed(change: (toml: WranglerToml) => void): string[] {
  const copy = structuredClone(toml);
  change(copy);
  return deploymentBreaches(copy, domains);
}

function at(toml: WranglerToml, domain: string) {
  const worker = toml.env[domain];
  if (!worker) throw new Error(`no [env.${domain}]`);
  return worker;
}

test("an environment serves the paths of its routes", async () => {
  const served: string[] = [];
  for (const [domain, { main, vars }] of Object.entries(toml.env)) {
    const worker = (await import(`${projectRoot}/${main}`)) as {
      services?: { desc: DescService }[];
    };
    for (const { desc } of worker.services ?? []) {
      served.push(desc.typeName);
      for (const method of desc.methods) {
        for (const path of [`/${desc.typeName}/${method.name}`, ...restPaths(method)]) {
          expect(`${path} ${environmentFor(toml, `${vars?.BASE_URL}${path}`)}`).toBe(
            `${path} ${domain}`,
          );
        }
      }
    }
  }
  const missing = services.map(({ typeName }) => typeName).filter((name) => !served.includes(name));
  expect(missing).toEqual([]);
  expect(new Set(served).size).toBe(served.length);
});

describe("the check fails when", () => {
  const breaks: [string, (toml: WranglerToml) => void][] = [
    ["a var differs", (it) => Object.assign(at(it, "iam").vars ?? {}, { AUDIENCE: "other" })],
    ["a var is missing", (it) => delete at(it, "events").vars?.VENDOR],
    ["a var is not in production", (it) => Object.assign(it.vars ?? {}, { NEW: "1" })],
    ["a secret is missing", (it) => at(it, "issuer").secrets?.required.pop()],
    [
      "a Worker gets a secret that it has no use for",
      (it) => at(it, "ping").secrets?.required.push("ENCRYPTION_KEYS"),
    ],
    ["the database differs", (it) => Object.assign(at(it, "ping"), { d1_databases: [] })],
    ["a domain has no Worker", (it) => delete it.env.advisory],
    [
      "a Worker starts elsewhere",
      (it) => Object.assign(at(it, "iam"), { main: "src/platform.ts" }),
    ],
    ["a Worker is open at workers.dev", (it) => delete at(it, "iam").workers_dev],
    ["a route is missing", (it) => at(it, "registry").routes?.shift()],
    [
      "the route of SCIM is missing",
      (it) => {
        const iam = at(it, "iam");
        iam.routes = iam.routes?.filter((route) => !String(route).includes("/scim/")) ?? [];
      },
    ],
    ["the pages go elsewhere", (it) => at(it, "issuer").routes?.push("api.example.com/docs/*")],
    ["the console goes elsewhere", (it) => at(it, "iam").routes?.push("api.example.com/console/*")],
    ["a route of gRPC is missing", (it) => at(it, "registry").routes?.splice(1, 1)],
    [
      "a route is taken by another",
      (it) => at(it, "ping").routes?.push("api.example.com/iam/v2/*"),
    ],
    ["a host belongs to no Worker", (it) => at(it, "iam").routes?.push("api.example.org/iam/*")],
    [
      "the vendor's name changes",
      (it) => {
        for (const { vars } of Object.values(it.env)) Object.assign(vars ?? {}, { VENDOR: "acme" });
      },
    ],
    [
      "a file may shadow a call",
      (it) => Object.assign(it.assets ?? {}, { run_worker_first: ["/x"] }),
    ],
    ["there are no pages", (it) => delete it.assets],
    [
      "a Worker has files of its own",
      (it) => Object.assign(at(it, "registry"), { assets: { directory: "." } }),
    ],
    [
      "previews have production's database",
      (it) => {
        Object.assign(it.previews ?? {}, { d1_databases: it.d1_databases });
      },
    ],
  ];
  // The all-zero id of the repository is an id as any other.
  test.each(breaks)("%s", (_, change) => expect(changed(change)).not.toEqual([]));
});
