/** `/` of each host: the console for people, and a description of the platform for programs. */
import { describe, expect, test, vi } from "vitest";
import type { Env } from "../../src/config.ts";
import distribution from "../../src/distribution/worker.ts";
import issuer from "../../src/issuer/worker.ts";
import { showRoot } from "../../src/ping/root.ts";
import { callRest, issuer as origin, vendor } from "../world/platform.ts";
import { corpEnv } from "./corp.ts";

const execution = { waitUntil: () => {} };
const programs = { accept: "application/json" };

describe("the root of the platform", () => {
  test.each([
    ["application/json", true],
    ["application/json, text/html;q=0.9", true],
    ["text/html;q=0.5, application/*", true],
    ["text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8", false],
    ["*/*", false],
    ["application/json;q=0", false],
    ["image/png", false],
  ])("with Accept: %s is JSON: %s", async (accept, isJson) => {
    const { status, headers, body } = await callRest("/", { headers: { accept } });
    expect([status, headers.get("content-type") === "application/json"]).toEqual([200, isJson]);
    if (isJson) expect(body).toMatchObject({ vendor, api: "http://localhost:8787" });
    else expect(headers.get("content-type")).toMatch(/^text\/html/);
    // A cache must not return the page to a program.
    expect(headers.get("vary")).toBe("Accept");
  });

  test("links only to documents that exist", async () => {
    const { body } = await callRest("/", { headers: programs });
    const names = ["console", "reference", "guides", "openapi", "protos", "discovery", "health"];
    for (const name of names) {
      const url = new URL(body[name]);
      const { status } = await callRest(url.pathname);
      expect([name, url.origin, status]).toEqual([name, origin, 200]);
    }
  });

  test("sends no query to the database", async () => {
    // A response has this header if the call opened the database.
    for (const headers of [{}, programs]) {
      const answer = await callRest("/", { headers });
      expect([answer.status, answer.headers.get("server-timing")]).toEqual([200, null]);
    }
  });

  test.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])("returns 405 for %s", async (method) => {
    const { status, headers, body } = await callRest("/", { method });
    expect([status, headers.get("allow"), body.code]).toEqual([405, "GET, HEAD", 12]);
  });

  test("has a HEAD response without a body, and can be read by scripts of another origin", async () => {
    expect(await callRest("/", { method: "HEAD" })).toMatchObject({ status: 200, body: undefined });
    const headers = { origin: "https://a.example", ...programs };
    expect((await callRest("/", { headers })).headers.get("access-control-allow-origin")).toBe("*");
  });
});

/** A database binding that fails the test if it is queried. */
const untouchable = new Proxy(
  {},
  { get: (_, name) => expect.fail(`asked the database: ${String(name)}`) },
);

/** The environment of the Workers of a platform with three hosts. */
const env = {
  ...corpEnv,
  DB: { withSession: () => untouchable },
} as unknown as Env;

test("has only the names of its own platform", async () => {
  const json = await showRoot(new Request("https://x.example/", { headers: programs }), env);
  expect(await json.json()).toMatchObject({
    vendor: "corp",
    api: "https://api.corp.example",
    audience: "https://api.corp.example",
    issuer: "https://sts.corp.example",
    reference: "https://api.corp.example/docs",
    discovery: "https://sts.corp.example/.well-known/openid-configuration",
    registry: "https://oci.corp.example",
    registryAudience: "oci.corp.example",
    console: "https://api.corp.example/console",
  });
});

test("names a missing setting", async () => {
  const broken = { ...env, SIGNING_KEYS: "" };
  using log = vi.spyOn(console, "error").mockReturnValue();
  const answer = await showRoot(new Request("https://api.corp.example/"), broken);
  expect([answer.status, await answer.text()]).toEqual([
    500,
    expect.stringContaining("SIGNING_KEYS"),
  ]);
  expect(log).toHaveBeenCalledExactlyOnceWith(
    expect.stringContaining("configuration is missing SIGNING_KEYS"),
  );
});

describe.each([
  ["issuer", issuer, "https://sts.corp.example/"],
  ["registry", distribution, "https://oci.corp.example/"],
])("the root of the %s", (_, worker, url) => {
  test("links to that of the API if the API has a separate host", async () => {
    for (const method of ["GET", "HEAD"]) {
      const { status, headers } = await worker.fetch(new Request(url, { method }), env, execution);
      expect([status, headers.get("location")]).toEqual([302, "https://api.corp.example/"]);
    }
    const posted = await worker.fetch(new Request(url, { method: "POST" }), env, execution);
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });

  test("does not exist if all have separate hosts", async () => {
    const { BASE_URL } = env;
    const one = { ...env, REGISTRY_URL: BASE_URL, ISSUER_URL: BASE_URL };
    expect((await worker.fetch(new Request(url), one, execution)).status).toBe(404);
  });
});
