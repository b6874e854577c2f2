/** The console: the same page at each of its paths, and the files that the page loads. */
import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Env } from "../../src/config.ts";
import ping from "../../src/ping/worker.ts";
import { httpRulesOf, rpcs } from "../contract/rpcs.ts";
import { baseUrl, callRest } from "../world/platform.ts";
import { corpEnv } from "./corp.ts";

const send = (path: string, init?: RequestInit) =>
  fetch(`${baseUrl()}${path}`, { redirect: "manual", ...init });

const [file = ""] = readdirSync(new URL("../../site/dist/console/assets", import.meta.url));
const asset = `/console/assets/${file}`;
const deepLinks = ["/console/repos/0123/tags?q=a%2Fb", "/console/a.b/c.png", "/console/assetsx"];
const paths = ["/", "/console", "/console/", "/console/signed-in?code=x", ...deepLinks];

test.each(paths)("%s is the page, which is checked again each time", async (path) => {
  const answer = await send(path, { headers: { accept: "text/html" } });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toMatch(/^text\/html/);
  expect(answer.headers.get("cache-control")).toBe("no-cache");
  expect(await answer.text()).toBe(await (await send("/console")).text());
  const etag = answer.headers.get("etag") ?? "";
  const again = await send(path, { headers: { "if-none-match": etag } });
  expect([again.status, await again.text()]).toEqual([304, ""]);
});

test.each(paths)("HEAD of %s returns the headers of the page, and nothing else", async (path) => {
  const answer = await send(path, { method: "HEAD" });
  expect([answer.status, await answer.text()]).toEqual([200, ""]);
  expect(answer.headers.get("content-type")).toMatch(/^text\/html/);
});

describe.each(["/console", "/console/repos", asset])("%s", (path) => {
  test.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])("refuses %s", async (method) => {
    const body = method === "POST" ? "x=1" : null;
    const answer = await send(path, { method, body });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });
});

test("a file of the console has its digest in its name, and is cached for a year", async () => {
  const answer = await send(asset);
  await answer.body?.cancel();
  expect(file).toMatch(/-[0-9a-z]{8,}\.\w+$/i);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
});

test.each(["/console/assets/", "/console/assets/main-000000000000.js", "/console/assets/a/b"])(
  "%s is missing, and that is not cached",
  async (path) => {
    const answer = await send(path);
    await answer.body?.cancel();
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([404, "no-store"]);
  },
);

test("an address that only leads to another one is not cached, and stays on this host", async () => {
  const { status, headers } = await send("/console/assets/..%2f..%2f%2fevil.example");
  expect([status, headers.get("cache-control")]).toEqual([307, "no-store"]);
  expect(new URL(headers.get("location") ?? "", baseUrl()).origin).toBe(baseUrl());
});

test.each(["/console.html", "/consoles", "/console/../_headers", "//console"])(
  "%s is not a path of the console",
  async (path) => {
    const { status, body } = await callRest(path);
    expect([status, body.code]).toEqual([404, 5]);
  },
);

test.each(["GET", "POST"])(
  "%s /console/local-owner exists only on a machine of one person",
  async (method) => {
    const { status, headers, body } = await callRest("/console/local-owner", { method });
    expect([status, headers.get("content-type"), body.code]).toEqual([404, "application/json", 5]);
  },
);

test.each([...paths, asset])("the policy of %s allows only files of this host", async (path) => {
  const { headers } = await send(path);
  const policy = headers.get("content-security-policy") ?? "";
  expect(policy).not.toMatch(/unsafe|\*|https?:\/\/(?!localhost:8787)/);
  expect(policy.split("; ").toSorted()).toEqual(
    [
      ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "font-src 'self'"],
      ...["img-src 'self' data:", "connect-src 'self' http://localhost:8787"],
      ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
      ...["require-trusted-types-for 'script'", "trusted-types readme"],
    ].toSorted(),
  );
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("referrer-policy")).toBe("no-referrer");
  expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
  expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
  expect(headers.get("permissions-policy")).toMatch(/^(?:[a-z-]+=\(\)(?:, |$))+$/);
});

test("no call of the API has a path of the console", () => {
  const all = rpcs.flatMap(({ method }) => httpRulesOf(method).map(({ path }) => path));
  expect(all.length).toBeGreaterThan(100);
  // A variable as the first segment would match any path.
  expect(all.filter((path) => /^\/(console\b|\{)/.test(path))).toEqual([]);
});

test("a Worker without the page reports that, and the API still works", async () => {
  const missing = { ASSETS: { fetch: async () => new Response("none", { status: 404 }) } };
  const execution = { waitUntil: () => {} };
  for (const assets of [missing, {}]) {
    const env = { ...corpEnv, ...assets } as unknown as Env;
    for (const path of ["/", "/console", "/console/repos"]) {
      const answer = await ping.fetch(
        new Request(`https://api.corp.example${path}`),
        env,
        execution,
      );
      expect([path, answer.status, answer.headers.get("cache-control")]).toEqual([
        ...[path, 501, "no-store"],
      ]);
    }
    const json = await ping.fetch(
      new Request("https://api.corp.example/", { headers: { accept: "application/json" } }),
      env,
      execution,
    );
    expect(json.status).toBe(200);
  }
});
