/** The document at `/openapi.json`. */
import { describe, expect, test } from "vitest";
import type { Env } from "../../src/config.ts";
import { showOpenapi } from "../../src/ping/openapi.ts";
import { baseUrl, callRest } from "../world/platform.ts";
import { corpEnv } from "./corp.ts";

describe("the served document", () => {
  test("contains only this platform's own addresses", async () => {
    const { status, headers, body } = await callRest("/openapi.json");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/json");
    expect(body.servers).toEqual([{ url: "http://localhost:8787", description: "The API" }]);
    expect(body.paths["/oauth"].servers[0].url).toBe("http://localhost:8787");
    expect(JSON.stringify(body)).not.toMatch(/https:\/\/(api|registry|issuer)\.example\.com/);
    expect(JSON.stringify(body)).not.toContain('"registry.example.com"');
  });

  test("can be read by scripts of any origin", async () => {
    const { headers } = await callRest("/openapi.json", {
      headers: { origin: "https://a.example" },
    });
    expect(headers.get("access-control-allow-origin")).toBe("*");
    const preflight = await callRest("/openapi.json", {
      method: "OPTIONS",
      headers: { origin: "https://a.example", "access-control-request-method": "GET" },
    });
    expect(preflight.status).toBeLessThan(300);
  });

  test("is not sent again to a client that has it", async () => {
    const first = await callRest("/openapi.json");
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toMatch(/^(W\/)?"[0-9a-f]{32}"$/);
    const again = await callRest("/openapi.json", { headers: { "if-none-match": etag } });
    expect([again.status, again.body]).toEqual([304, undefined]);
    const other = await callRest("/openapi.json", { headers: { "if-none-match": '"other"' } });
    expect(other.status).toBe(200);
    expect(other.body).toEqual(first.body);
  });

  test("has a HEAD response without a body, and no other verb", async () => {
    const head = await fetch(`${baseUrl()}/openapi.json`, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const { status, headers, body } = await callRest("/openapi.json", { body: {} });
    expect([status, headers.get("allow"), body.code]).toEqual([501, "GET, HEAD", 12]);
  });
});

/** The environment of a Worker of another platform. `text` is its file. */
const envOf = (text: string | undefined, etag: string) =>
  ({
    ...corpEnv,
    ASSETS: {
      fetch: async () =>
        new Response(text ?? "none", { status: text ? 200 : 404, headers: { etag } }),
    },
  }) as unknown as Env;

const served = async (env: Env) =>
  showOpenapi(new Request("https://api.corp.example/openapi.json"), env);

test("has each name replaced once, by one of the same kind", async () => {
  const text =
    "https://api.example.com https://registry.example.com/v2/a/_vendor/history/b " +
    "https://issuer.example.com registry.example.com iam.platform.example dev.vendor.api.x";
  const answer = await served(envOf(text, '"1"'));
  expect(await answer.text()).toBe(
    "https://api.corp.example https://oci.corp.example/v2/a/_corp/history/b " +
      "https://sts.corp.example oci.corp.example iam.platform.corp.example dev.corp.api.x",
  );
});

test("has another etag if the file differs", async () => {
  const env = envOf("one", '"1"');
  const [first, again] = [await served(env), await served(env)];
  expect(again.headers.get("etag")).toBe(first.headers.get("etag"));
  env.ASSETS = envOf("two", '"2"').ASSETS;
  const changed = await served(env);
  expect(changed.headers.get("etag")).not.toBe(first.headers.get("etag"));
  expect(await changed.text()).toBe("two");
});

test("is reported as missing by a Worker without the file", async () => {
  const answer = await served(envOf(undefined, ""));
  expect(answer.status).toBe(501);
  expect((await answer.json()) as object).toMatchObject({
    code: 12,
    message: expect.stringContaining("site/dist"),
  });
});
