/**
 * Attacks on a person who opens a response of the platform in a browser. Its bytes can come from someone else, and one
 * host can serve them next to the console.
 */
import { beforeAll, describe, expect, test, vi } from "vitest";
import { domains } from "../../schema/deployment/workers.ts";
import type { Env } from "../../src/config.ts";
import type { Execution, Worker } from "../../src/rpc/runtime.ts";
import {
  digestOf,
  type Image,
  newTarget,
  pushImage,
  send,
  type Target,
} from "../distribution/client.ts";
import { corpEnv } from "../ping/corp.ts";
import { newOrganization, randomUid } from "../world/personas.ts";
import { baseUrl, vendor } from "../world/platform.ts";

const known = { "if-none-match": "*" };
const inert = "sandbox; default-src 'none'";

/** A kind of response, its status, and the request for it. `TOKEN` in a header stands for a token of the API. */
type Row = [kind: string, status: number, path: string, init?: RequestInit];

const authorized = { headers: { authorization: "Bearer TOKEN" } };
const preflight = {
  method: "OPTIONS",
  headers: { origin: "https://a.example", "access-control-request-method": "POST" },
};
const post = (type = "application/json", body = "{}") => ({
  method: "POST",
  headers: { "content-type": type },
  body,
});
const provider = `${randomUid()}/0000000000000001`;

/** Rows for a Worker of the API. `list` is the path of a List. */
const api = (list: string): Row[] => [
  ["success", 200, list, authorized],
  ["401", 401, list],
  ["400", 400, `${list}?x=1`, authorized],
  ["unknown path", 404, `${list.split("/").slice(0, 3).join("/")}/no/such/path`],
  ["preflight", 204, list, preflight],
];

const rows: Record<string, Row[]> = {
  iam: [
    ...api("/iam/v2/roles"),
    [
      "gRPC-Web",
      200,
      "/platform.iam.v2.GroupsService/ListGroups",
      post("application/grpc-web+proto"),
    ],
    ["SCIM", 401, `/scim/v2/${provider}/Users`],
    ["unknown path of SCIM", 404, "/scim/v2/nowhere"],
  ],
  registry: api("/registry/v2/repos"),
  vulnerabilities: api("/vulnerabilities/v2/advisories"),
  libraries: [
    ["success", 200, "/libraries/v2/artifacts?ecosystems=ECOSYSTEM_PYTHON", authorized],
    ...api("/libraries/v2/artifacts").slice(1),
  ],
  advisory: [
    ["success", 200, "/advisory/v2/documents"],
    ["400", 400, "/advisory/v2/documents?x=1"],
    ["unknown path", 404, "/advisory/v2/no/such/path"],
    ["preflight", 204, "/advisory/v2/documents", preflight],
  ],
  events: api("/events/v2/subscriptions"),
  ping: [
    ["success", 200, "/ping/v2/ping"],
    ["HEAD", 200, "/ping/v2/ping", { method: "HEAD" }],
    ["400", 400, "/ping/v2/ping?x=1"],
    ["unknown path", 404, "/no/such/path"],
    ["preflight", 204, "/ping/v2/ping", preflight],
    ["Connect", 200, "/platform.ping.v2.PingService/Ping", post()],
    ["page at /", 200, "/", { headers: { accept: "text/html" } }],
    ["JSON at /", 200, "/", { headers: { accept: "application/json" } }],
    ["OpenAPI document", 200, "/openapi.json"],
    ["page of the console", 200, "/console/repositories"],
    ["missing file of the console", 404, "/console/assets/x.js"],
    ["guide", 200, "/docs/start"],
    ["missing guide", 404, "/docs/nowhere"],
    ["redirect", 307, "/docs/"],
    ["refused method of a page", 405, "/docs/start", { method: "PUT" }],
  ],
  issuer: [
    ["success", 200, "/.well-known/openid-configuration"],
    ["keys", 200, "/.well-known/jwks.json"],
    ["page", 400, "/oauth?idp=nobody"],
    ["401", 401, "/sts/exchange", post()],
    ["error of OAuth", 400, "/oauth/token", { method: "POST" }],
    ["unknown path", 404, "/sts/nowhere"],
    ["preflight", 204, "/oauth/token", preflight],
  ],
  distribution: [
    ["400 of a token", 400, "/token?service=other"],
    ["401", 401, "/v2/"],
    ["401 for a name that cannot exist", 401, "/v2/UPPER/tags/list"],
    ["405 of a token", 405, "/token", { method: "DELETE" }],
    ["preflight", 204, "/v2/", preflight],
  ],
  mcp: [
    ["success", 200, "/.well-known/oauth-protected-resource/mcp"],
    ["401", 401, "/mcp", post()],
    ["405", 405, "/mcp"],
    ["unknown path", 404, "/mcp/nowhere"],
    ["preflight", 204, "/mcp", preflight],
  ],
};

/** Responses that are pages or their files have policies of their own. */
const pages = /^\/(?:$|console|docs|oauth\?)/;

let token = "";
beforeAll(async () => {
  ({ token } = (await newOrganization()).owner);
});

function request(origin: string, path: string, { headers, ...init }: RequestInit = {}) {
  const all = Object.entries((headers ?? {}) as Record<string, string>);
  const filled = all.map(([name, value]) => [name, value.replace("TOKEN", token)] as const);
  return fetch(origin + path, { ...init, redirect: "manual", headers: Object.fromEntries(filled) });
}

test("every Worker is in the table", () => {
  expect(Object.keys(rows).sort()).toEqual(Object.keys(domains).sort());
});

describe.each(Object.entries(rows))("no browser guesses the type of a response of %s", (_, all) => {
  test.each(all)("%s: %i", async (kind, status, path, init) => {
    const answer = await request(baseUrl(), path, init);
    await answer.arrayBuffer();
    expect([kind, answer.status]).toEqual([kind, status]);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    const policy = answer.headers.get("content-security-policy");
    if (pages.test(path) && kind !== "JSON at /") expect(policy).toMatch(/^default-src 'none'; /);
    else expect(policy).toBe(inert);
  });
});

test("nor of a page that has not changed, which keeps its policy", async () => {
  const page = await request(baseUrl(), "/console");
  await page.arrayBuffer();
  const etag = page.headers.get("etag") ?? "";
  const answer = await request(baseUrl(), "/console", { headers: { "if-none-match": etag } });
  expect(answer.status).toBe(304);
  for (const name of ["x-content-type-options", "content-security-policy"])
    expect(answer.headers.get(name)).toBe(page.headers.get(name));
});

/** Calls the Worker as its own host does. */
async function atOwnHost(domain: string, path: string, env: Env) {
  const { default: worker } = (await import(`../../src/${domain}/worker.ts`)) as {
    default: Worker;
  };
  const execution = { waitUntil() {} } as unknown as Execution;
  return worker.fetch(new Request(`https://own.test${path}`), env, execution);
}

test.each(Object.keys(domains))("nor of a 500 of %s", async (domain) => {
  const [[, , path = ""] = []] = rows[domain] ?? [];
  using log = vi.spyOn(console, "error").mockReturnValue();
  const answer = await atOwnHost(domain, path, {} as Env);
  expect(log).toHaveBeenCalledOnce();
  expect(answer.status).toBe(500);
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
});

test.each(["issuer", "distribution"])("nor of a redirect of the host of %s", async (domain) => {
  const answer = await atOwnHost(domain, "/", {
    ...corpEnv,
    DB: { withSession: () => ({}) },
  } as unknown as Env);
  expect(answer.status).toBe(302);
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
});

describe("a browser runs nothing in stored bytes", () => {
  let target: Target;
  let image: Image;
  beforeAll(async () => {
    target = await newTarget();
    image = await pushImage(target, "latest");
  });

  test.each<[string, () => string, number, RequestInit["headers"]?]>([
    ["a blob", () => `blobs/${digestOf(image.layer)}`, 200],
    ["a part of a blob", () => `blobs/${digestOf(image.layer)}`, 206, { range: "bytes=0-3" }],
    ["a blob that has not changed", () => `blobs/${digestOf(image.layer)}`, 304, known],
    ["a manifest", () => "manifests/latest", 200],
    ["a manifest that has not changed", () => "manifests/latest", 304, known],
    ["the contents of an image", () => `_${vendor}/images/${image.digest}`, 200],
    ["referrers", () => `referrers/${image.digest}`, 200],
    ["tags", () => "tags/list", 200],
    ["the history of a tag", () => `_${vendor}/history/latest`, 200],
    ["an error with a name", () => "manifests/missing", 404],
  ])("%s", async (_, path, status, headers = {}) => {
    for (const method of status === 206 ? ["GET"] : ["GET", "HEAD"]) {
      const sent = { method, headers: headers as Record<string, string> };
      const answer = await send(target, path(), sent);
      await answer.arrayBuffer();
      expect(answer.status).toBe(status);
      expect(answer.headers.get("content-security-policy")).toBe(inert);
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    }
  });
});
