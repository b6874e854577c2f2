import { createHash } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { plantedDigest } from "../../paging/tree.ts";
import { createResource, newOrganization, type Organization } from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";

const index = "application/vnd.oci.image.index.v1+json";
const single = "application/vnd.oci.image.manifest.v1+json";
const dockerList = "application/vnd.docker.distribution.manifest.list.v2+json";
const docker = "application/vnd.docker.distribution.manifest.v2+json";

let organization: Organization;
let repo: string;
beforeEach(async () => {
  organization = await newOrganization();
  const { token } = organization.owner;
  repo = (await createResource(`/registry/v2/repos/${organization.uid}`, token, { name: "r" })).uid;
});

const put = (mediaType: string, content: unknown) =>
  callRest(`/registry/v2/manifests/${repo}`, {
    token: organization.owner.token,
    body: {
      mediaType,
      content: btoa(typeof content === "string" ? content : JSON.stringify(content)),
    },
  });

const events = async () => {
  const [row] = await sql<{ n: number }>(
    "select count(*) as n from events where type like '%manifest.created.v1' and group_uid = ?",
    organization.uid,
  );
  return row?.n;
};

test.each([single, docker])(
  "a manifest of type %s is stored by the digest of its bytes",
  async (type) => {
    const content = JSON.stringify({
      config: { size: 10 },
      layers: [{ size: 100 }, { size: 1000 }],
      annotations: { any: "thing" },
    });
    const { status, body } = await put(type, content);
    const hash = createHash("sha256").update(content).digest("hex");
    expect(status).toBe(200);
    expect(body).toEqual({
      uid: `${repo}/${hash.slice(0, 16)}`,
      digest: `sha256:${hash}`,
      mediaType: type,
      size: "1110",
      createTime: body.updateTime,
      updateTime: expect.any(String),
      etag: expect.any(String),
    });
  },
);

test.each([index, dockerList])(
  "an index of type %s names its architectures in order",
  async (type) => {
    const entry = (n: number, platform?: object) => ({ digest: plantedDigest(n), platform });
    const { status, body } = await put(type, {
      mediaType: type,
      manifests: [
        entry(1, { os: "linux", architecture: "arm64" }),
        entry(2, { os: "linux", architecture: "amd64" }),
        entry(3, { os: "linux", architecture: "arm", variant: "v7" }),
        entry(4, { os: "unknown", architecture: "unknown" }),
        entry(5),
      ],
    });
    expect(status).toBe(200);
    expect([body.architectures, body.size]).toEqual([["arm64", "amd64", "arm/v7"], "0"]);
  },
);

test("the same bytes again change nothing and write no event", async () => {
  const content = { config: { size: 1 }, layers: [] };
  const first = await put(single, content);
  const again = await put(single, content);
  expect(again.body).toEqual(first.body);
  expect(await events()).toBe(1);
});

describe("content that is not a manifest is rejected", () => {
  test.each([
    ["no JSON", single, "nope", "content"],
    ["no object", single, "null", "content"],
    ["a list", single, "[]", "content"],
    [
      "another media type inside",
      single,
      { mediaType: docker, config: {}, layers: [] },
      "media_type",
    ],
    ["a media type of neither kind", "text/plain", {}, "media_type"],
    ["no layers", single, { config: { size: 1 } }, "content"],
    ["no config", single, { layers: [] }, "content"],
    ["a layer that is null", single, { config: { size: 1 }, layers: [null] }, "content"],
    ["a config that is null", single, { config: null, layers: [] }, "content"],
    ["a layer without a size", single, { config: { size: 1 }, layers: [{}] }, "content"],
    ["a size below zero", single, { config: { size: -1 }, layers: [] }, "content"],
    ["half a byte", single, { config: { size: 0.5 }, layers: [] }, "content"],
    [
      "sizes above the largest integer",
      single,
      { config: { size: 2 ** 53 - 1 }, layers: [{ size: 2 ** 53 - 1 }] },
      "content",
    ],
    ["no manifests", index, {}, "content"],
    ["manifests that are not a list", index, { manifests: {} }, "content"],
    ["an entry that is null", index, { manifests: [null] }, "content"],
    ["an entry that is a text", index, { manifests: ["x"] }, "content"],
    ["an entry without a digest", index, { manifests: [{}] }, "content"],
    ["a digest of another kind", index, { manifests: [{ digest: "md5:x" }] }, "content"],
  ])("%s", async (_, type, content, field) => {
    const answer = await put(type, content);
    expect([answer.status, answer.body.code]).toEqual([400, 3]);
    expect(answer.body.details[1].fieldViolations[0].field).toBe(field);
    expect(await sql("select uid from manifests where parent = ?", repo)).toEqual([]);
    expect(await events()).toBe(0);
  });

  test("content that is not base64, or is absent", async () => {
    for (const body of [{ mediaType: single, content: "%%" }, { mediaType: single }, {}]) {
      const answer = await callRest(`/registry/v2/manifests/${repo}`, {
        token: organization.owner.token,
        body,
      });
      expect(answer.status).toBe(400);
    }
  });
});
