import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { baseUrl, callRest } from "../world/platform.ts";

const html = /^text\/html/;
const assets = readdirSync(new URL("../../site/dist/docs/assets", import.meta.url));
const asset = (name: RegExp) => `/docs/assets/${assets.find((file) => name.test(file))}`;

const asked = (path: string, init?: RequestInit) =>
  fetch(`${baseUrl()}${path}`, { redirect: "manual", ...init });

test.each(["/docs", "/docs/paging", "/docs/migrating"])("%s is a page", async (path) => {
  const answer = await asked(path);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toMatch(html);
  expect(answer.headers.get("content-security-policy")).toMatch(
    /^default-src 'none'; script-src 'self'/,
  );
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  expect(answer.headers.get("cache-control")).toContain("must-revalidate");
  expect(await answer.text()).toContain("<title>");
});

test("HEAD of a page returns its headers, and nothing else", async () => {
  const answer = await asked("/docs", { method: "HEAD" });
  expect([answer.status, await answer.text()]).toEqual([200, ""]);
  expect(answer.headers.get("content-type")).toMatch(html);
});

test.each([
  ["/docs/", "/docs"],
  ["/docs/paging/", "/docs/paging"],
  ["/docs/paging.html", "/docs/paging"],
])("%s redirects to %s", async (path, to) => {
  const answer = await asked(path);
  expect([answer.status, answer.headers.get("location")]).toEqual([307, to]);
});

test("a page that the client has is not sent again", async () => {
  const etag = (await asked("/docs/paging")).headers.get("etag") ?? "";
  expect(etag).not.toBe("");
  const answer = await asked("/docs/paging", { headers: { "if-none-match": etag } });
  expect([answer.status, await answer.text()]).toEqual([304, ""]);
});

test.each([
  [/^swagger-ui-bundle-.*\.js$/, "text/javascript"],
  [/^reference-.*\.js$/, "text/javascript"],
  [/^frame-.*\.css$/, "text/css"],
  [/^icon-.*\.svg$/, "image/svg+xml"],
  [/^home-.*\.webp$/, "image/webp"],
])("a file with its digest in its name is cached for a year: %s", async (name, type) => {
  const answer = await asked(asset(name));
  await answer.body?.cancel();
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toContain(type);
  expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
});

test.each([
  "/docs/nowhere",
  "/docs/404",
  "/docs/assets/swagger-ui-bundle-000000000000.js",
  "/docs/a/b/c",
])("%s is a page that reports it as missing, and is not cached", async (path) => {
  const answer = await asked(path);
  expect(answer.status).toBe(404);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(await answer.text()).toContain("There is no page here");
});

test.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])(
  "%s of a page is rejected",
  async (method) => {
    const answer = await asked("/docs", { method });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  },
);

describe("the paths of the API", () => {
  test.each(["/docs.html", "/_headers", "/docsx", "/docs/../_headers", "/index.html"])(
    "serve no file at %s outside /docs",
    async (path) => {
      const { status, body } = await callRest(path);
      expect([status, body.code]).toEqual([404, 5]);
    },
  );

  test("have no headers of the pages", async () => {
    const { status, headers, body } = await callRest("/ping/v2/ping");
    expect([status, body]).toEqual([200, { response: "pong" }]);
    expect(headers.get("cross-origin-opener-policy")).toBeNull();
    expect(headers.get("access-control-allow-origin")).toBe("*");
  });

  test("the document that the reference reads is JSON, with addresses of this platform", async () => {
    const { status, headers, body } = await callRest("/openapi.json");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toContain("json");
    expect(body.servers[0].url).toBe("http://localhost:8787");
    expect(body.paths["/registry/v2/repos"].get.summary).toBe("List repositories");
  });
});
