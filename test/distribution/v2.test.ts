/** Other paths of the registry host: the version check, and paths that it does not serve. */
import { expect, test } from "vitest";
import { newUser, randomUid } from "../world/personas.ts";
import { callRest, registryAudience } from "../world/platform.ts";
import { refusalOf, registryToken } from "./stored_images.ts";

const somebody = async () => registryToken((await newUser()).uid);

test.for(["/v2/", "/v2"])(
  "%s requires a token, and the challenge names the token endpoint",
  async (path) => {
    const answer = await callRest(path);
    expect(refusalOf(answer)).toEqual([401, "UNAUTHORIZED"]);
    expect(answer.headers.get("www-authenticate")).toBe(
      `Bearer realm="http://localhost:8787/token",service="${registryAudience}"`,
    );
    expect(answer.headers.get("docker-distribution-api-version")).toBe("registry/2.0");
  },
);

test("/v2/ returns {} for a valid token, and HEAD has no body", async () => {
  const token = await somebody();
  const get = await callRest("/v2/", { token });
  expect([get.status, get.body]).toEqual([200, {}]);
  const head = await callRest("/v2/", { token, method: "HEAD" });
  expect([head.status, head.body]).toEqual([200, undefined]);
});

test("/v2/ rejects a token of a deleted identity, a wrong audience and a wrong verb", async () => {
  const ghost = await registryToken(randomUid());
  expect(refusalOf(await callRest("/v2/", { token: ghost }))).toEqual([401, "UNAUTHORIZED"]);
  const { token } = await newUser();
  expect(refusalOf(await callRest("/v2/", { token }))).toEqual([403, "DENIED"]);
  const post = await callRest("/v2/", { token: await somebody(), method: "POST" });
  expect(refusalOf(post)).toEqual([405, "UNSUPPORTED"]);
});

test.for([
  ["GET", "/v2/_catalog"],
  ["GET", "/v2/org/image/_other/history/latest"],
])("%s %s is unsupported, after authentication", async ([method = "", path = ""]) => {
  const before = await callRest(path, { method });
  expect(refusalOf(before)).toEqual([401, "UNAUTHORIZED"]);
  const after = await callRest(path, { method, token: await somebody() });
  expect(refusalOf(after)).toEqual([404, "UNSUPPORTED"]);
});

test("the challenge for an image's path names the scope that a pull requires", async () => {
  const { headers } = await callRest("/v2/org/image/manifests/latest");
  expect(headers.get("www-authenticate")).toContain('scope="repository:org/image:pull"');
});

test.for([
  ["/v2/Org/image/_vendor/history/latest", "NAME_INVALID"],
  ["/v2/image/_vendor/history/latest", "NAME_INVALID"],
  ["/v2/org/im%22age/_vendor/history/latest", "NAME_INVALID"],
  ["/v2/org/image%ff/_vendor/history/latest", "NAME_INVALID"],
])("%s is rejected with %s", async ([path = "", code = ""]) => {
  expect(refusalOf(await callRest(path))).toEqual([400, code]);
});

test.for(["", "-x", ".x", "a%20b", "a%0Ab", "x".repeat(129)])(
  "the tag %j is rejected",
  async (tag) => {
    const answer = await callRest(`/v2/org/image/_vendor/history/${tag}`, {
      token: await somebody(),
    });
    expect(refusalOf(answer)).toEqual([400, "TAG_INVALID"]);
  },
);

test("a history can be read with GET or HEAD", async () => {
  const token = await somebody();
  const post = await callRest("/v2/org/image/_vendor/history/latest", { token, body: {} });
  expect(refusalOf(post)).toEqual([405, "UNSUPPORTED"]);
});

test.for(["/token", "/v2/org/image/_vendor/history/latest"])(
  "a page of another origin can request %s, and read the response and its Link",
  async (path) => {
    const asked = { "access-control-request-method": "GET", origin: "https://console.example.com" };
    const preflight = await callRest(path, { method: "OPTIONS", headers: asked });
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([
      204,
      "*",
    ]);
    const { headers } = await callRest(path);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-expose-headers")).toContain("Link");
  },
);
