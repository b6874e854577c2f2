/** Other paths of the registry host: the version check, and paths that it does not serve. */
import { expect, test } from "vitest";
import { newUser, randomUid } from "../world/personas.ts";
import { callRest, registryAudience } from "../world/platform.ts";
import {
  newImage,
  newVerified,
  publicImage,
  pullToken,
  refusalOf,
  registryToken,
} from "./stored_images.ts";

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
  ["GET", "/v2/_catalog/"],
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

/** Names that no repository has, with their parts encoded, and whether a challenge can contain them. */
const impossibleNames: [name: string, isInChallenge: boolean][] = [
  ["ubuntu", true],
  ["UPPER/x", false],
  ["org//image", false],
  ["org/..image", false],
  ["org/im%22age", false],
  ["org/im%20age", false],
  ["org/im%0D%0Aage", false],
  ["org/image%ff", false],
  ["%C3%B6rg/image", false],
  [`org/${"a".repeat(400)}`, false],
];

/** Requests, as paths after the name, and the refusal of a caller with a login. */
const requests: [method: string, path: string, refusal: [number, string]][] = [
  ["GET", "manifests/latest", [404, "NAME_UNKNOWN"]],
  ["HEAD", "manifests/latest", [404, "NAME_UNKNOWN"]],
  ["DELETE", "manifests/latest", [404, "NAME_UNKNOWN"]],
  ["PUT", "manifests/latest", [400, "NAME_INVALID"]],
  ["GET", `blobs/sha256:${"0".repeat(64)}`, [404, "NAME_UNKNOWN"]],
  ["DELETE", `blobs/sha256:${"0".repeat(64)}`, [404, "NAME_UNKNOWN"]],
  ["GET", "tags/list", [404, "NAME_UNKNOWN"]],
  ["GET", "_vendor/history/latest", [404, "NAME_UNKNOWN"]],
  ["GET", `_vendor/images/sha256:${"0".repeat(64)}`, [404, "NAME_UNKNOWN"]],
  // A 404 would say that the registry has no such endpoint.
  ["GET", `referrers/sha256:${"0".repeat(64)}`, [400, "NAME_INVALID"]],
  ["POST", "blobs/uploads/", [400, "NAME_INVALID"]],
  ["GET", "blobs/uploads/x", [404, "NAME_UNKNOWN"]],
  ["PATCH", "blobs/uploads/x", [400, "NAME_INVALID"]],
  ["PUT", "_vendor/uploads/x", [400, "NAME_INVALID"]],
];

test.for(impossibleNames)(
  "the name %s is unknown to reads and deletions and invalid for writes, and without a login 401",
  async ([name, isInChallenge]) => {
    const token = await somebody();
    for (const [method, path, refusal] of requests) {
      const before = await callRest(`/v2/${name}/${path}`, { method });
      expect(before.status).toBe(401);
      const challenge = before.headers.get("www-authenticate") ?? "";
      expect(challenge.includes(`scope="repository:${name}:`)).toBe(isInChallenge);
      expect(challenge.includes("scope=")).toBe(isInChallenge);
      const after = await callRest(`/v2/${name}/${path}`, { method, token });
      if (method === "HEAD") expect(after.status).toBe(refusal[0]);
      else expect([method, path, ...refusalOf(after)]).toEqual([method, path, ...refusal]);
    }
  },
);

test("a token that anyone can get does not count as a login for a name that cannot exist", async () => {
  const { name } = await publicImage(["latest"]);
  const answer = await callRest("/v2/ubuntu/manifests/latest", { token: await pullToken(name) });
  expect(refusalOf(answer)).toEqual([401, "UNAUTHORIZED"]);
});

const impossibleTags = ["", "-bad", ".x", "a%20b", "a%0Ab", "a%ff", "x".repeat(129)];
const impossibleDigests = ["sha256:bad", "md5:d41d8cd98f00b204e9800998ecf8427e", "sha256:", ":"];

test.for([
  ["manifests", [...impossibleTags, ...impossibleDigests], "MANIFEST_UNKNOWN"],
  ["blobs", [...impossibleTags, ...impossibleDigests], "BLOB_UNKNOWN"],
  ["_vendor/images", ["latest", ...impossibleDigests], "MANIFEST_UNKNOWN"],
  ["_vendor/history", [...impossibleTags, ...impossibleDigests], "MANIFEST_UNKNOWN"],
] as const)("a read or deletion of impossible %s is 404", async ([path, references, code]) => {
  const organization = await newVerified();
  await newImage(organization);
  const name = `${organization.name}/image`;
  const token = await registryToken(organization.owner.uid);
  const stranger = await somebody();
  for (const reference of references) {
    const target = `/v2/${name}/${path}/${reference}`;
    for (const method of path.startsWith("_") ? ["GET"] : ["GET", "DELETE"]) {
      const answer = await callRest(target, { method, token });
      expect([target, method, ...refusalOf(answer)]).toEqual([target, method, 404, code]);
      expect(refusalOf(await callRest(target, { method, token: stranger }))[0]).toBe(403);
    }
    expect((await callRest(target, { method: "HEAD", token })).status).toBe(404);
    expect((await callRest(target)).status).toBe(401);
    const absent = await callRest(target.replace("/image/", "/absent/"), { token });
    expect(refusalOf(absent)).toEqual([404, "NAME_UNKNOWN"]);
  }
});

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
