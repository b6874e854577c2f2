/** The page at `/`, which says what the platform is and links to the rest. */
import { describe, expect, test, vi } from "vitest";
import type { Env } from "../../src/config.ts";
import distribution from "../../src/distribution/worker.ts";
import issuer from "../../src/issuer/worker.ts";
import { showRoot } from "../../src/ping/root.ts";
import { callRest, vendor } from "../world/platform.ts";
import { corpEnv } from "./corp.ts";

const execution = { waitUntil: () => {} };
const programs = { accept: "application/json" };

describe("the root of the platform", () => {
  test("is a page that runs and loads nothing, and cannot be framed", async () => {
    const { status, headers, body } = await callRest("/");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'nonce-[0-9a-f-]{36}'; .*frame-ancestors 'none'$/,
    );
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("vary")).toBe("Accept");
    expect(body).toContain(`<h1>Platform API of ${vendor}</h1>`);
    expect(body).not.toMatch(/<script|<img|<link|<form/);
  });

  test("links only to pages that exist", async () => {
    const { body } = await callRest("/");
    const links = [...body.matchAll(/href="http:\/\/localhost:8787(\/[^"]+)"/g)].map(
      ([, path]) => path,
    );
    expect(links).toEqual([
      "/docs",
      "/docs/start",
      "/openapi.json",
      "/docs/protos.tar.gz",
      "/.well-known/openid-configuration",
      "/ping/v2/ping",
      "/docs/platformctl",
    ]);
    for (const path of links) expect([path, (await callRest(path)).status]).toEqual([path, 200]);
  });

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
  const page = await showRoot(new Request("https://api.corp.example/"), env);
  const text = await page.text();
  expect(text).toContain("<h1>Platform API of corp</h1>");
  expect(text).not.toMatch(/localhost|\bexample\.com|<script>/);
  const json = await showRoot(new Request("https://x.example/", { headers: programs }), env);
  expect(await json.json()).toMatchObject({
    vendor: "corp",
    api: "https://api.corp.example",
    reference: "https://api.corp.example/docs",
    discovery: "https://sts.corp.example/.well-known/openid-configuration",
    registry: "https://oci.corp.example",
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
