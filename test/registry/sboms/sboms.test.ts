import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import { fakeDigest, newOrganization, type Organization } from "../../world/personas.ts";
import { callRest, costOf, sql } from "../../world/platform.ts";
import { long } from "../../world/tiers.ts";
import { newRepoIn, putSbom, sha256Of } from "../images/stored_images.ts";
import { cycloneDxDocument, largeSpdxDocument, spdx3Document, spdxDocument } from "./documents.ts";

let organization: Organization;
let repo: string;
beforeEach(async () => {
  organization = await newOrganization();
  repo = await newRepoIn(organization);
});

const digest = fakeDigest("1");
const put = (document: unknown, at = digest) => putSbom(organization, repo, at, document);
const send = (body: unknown) =>
  callRest(`/registry/v2/sboms/${repo}`, { token: organization.owner.token, body });

const events = () =>
  sql<{ data: string }>(
    "select data from events where type like '%sbom.created.v1' and group_uid = ? order by rowid",
    organization.uid,
  );

const counted = async () => {
  const [row] = await sql<{ descendants: number }>(
    "select descendants from counts where ancestor = ? and kind = 'sboms'",
    organization.uid,
  );
  return row?.descendants ?? 0;
};

test("an SBOM is stored with the facts in its document", async () => {
  const text = JSON.stringify(spdxDocument());
  const { status, body } = await put(text);
  expect(status).toBe(200);
  expect(body).toEqual({
    uid: expect.stringMatching(new RegExp(`^${repo}/[0-9a-f]{16}$`)),
    digest,
    format: "SBOM_FORMAT_SPDX",
    specVersion: "2.3",
    name: "registry.example/python",
    packageCount: 4,
    size: `${text.length}`,
    contentDigest: sha256Of(text),
    createTime: body.updateTime,
    updateTime: expect.any(String),
    etag: expect.any(String),
  });
  const other = await put(cycloneDxDocument(), fakeDigest("2"));
  expect(other.body).toMatchObject({
    format: "SBOM_FORMAT_CYCLONEDX",
    specVersion: "1.6",
    name: "registry.example/app:1",
    packageCount: 5,
  });
  const third = await put(spdx3Document(), fakeDigest("3"));
  expect(third.body).toMatchObject({
    format: "SBOM_FORMAT_SPDX",
    specVersion: "3.0.1",
    name: "registry.example/python",
    packageCount: 3,
  });
  const broken = { ...spdx3Document(), "@graph": [{ type: "software_Package", spdxId: "a" }] };
  const refused = await put(broken, fakeDigest("4"));
  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.body)).toContain("@graph[0].name is required");
  expect(await counted()).toBe(3);
});

test("the same document again, plain or gzip, changes nothing and writes no event", async () => {
  const text = JSON.stringify(spdxDocument());
  const first = await put(text);
  const plain = await send({ digest, content: Buffer.from(text).toString("base64") });
  const packed = gzipSync(text, { level: 1 }).toString("base64");
  for (const again of [await put(text), plain, await send({ digest, content: packed })]) {
    expect(again.body).toEqual(first.body);
  }
  expect(await events()).toHaveLength(1);
});

test("another document of the image replaces the first", async () => {
  const first = await put(spdxDocument());
  const second = await put(cycloneDxDocument());
  const { uid, createTime, updateTime } = first.body;
  expect(second.body).toMatchObject({ uid, createTime, format: "SBOM_FORMAT_CYCLONEDX" });
  expect(second.body.updateTime > updateTime).toBe(true);
  const rows = await sql("select uid from sboms where parent = ?", repo);
  expect([rows.length, await counted(), (await events()).length]).toEqual([1, 1, 2]);
});

test("an SBOM of almost 8 MiB fits into one call and is returned unchanged", long, async () => {
  const text = JSON.stringify(largeSpdxDocument(6000, () => randomBytes(6).toString("hex")));
  const { token } = organization.owner;
  expect(text.length).toBeGreaterThan(7_500_000);
  const made = await put(text);
  expect([made.status, made.body.packageCount, made.body.size]).toEqual([
    200,
    6004,
    `${text.length}`,
  ]);
  expect(costOf(made).roundTrips).toBe(2);
  const at = `/registry/v1/repos/${repo}`;
  const raw = await callRest(`${at}/digest/${digest}/rawsbom`, { token });
  expect(raw.body.rawSbom).toBe(text);
  const read = await callRest(`${at}/digests/${digest}/sbom`, { token });
  expect(read.body.graph.nodes).toHaveLength(12_004);
  expect(Buffer.from(read.body.rawSbom, "base64").toString()).toBe(text);
  const packages = await callRest(`${at}/manifestmetdata`, { token });
  expect(packages.body.items[0].pkgMetadata).toHaveLength(6003);
});

describe("content is rejected with its field, and nothing is stored", () => {
  const packed = (text: string) => gzipSync(text).toString("base64");
  const huge = JSON.stringify({ ...spdxDocument(), comment: "x".repeat(8 * 2 ** 20) });
  const noise = JSON.stringify({
    ...spdxDocument(),
    comment: randomBytes(560_000).toString("hex"),
  });
  test.each([
    ["neither format", packed("{}"), /content must be SPDX/],
    [
      "broken inside",
      packed('{"spdxVersion":"SPDX-2.3","packages":[{}]}'),
      /packages\[0\]\.SPDXID/,
    ],
    ["no JSON", packed("<xml/>"), /content is not JSON/],
    ["cut gzip", packed("{}").slice(0, 16), /content is not valid gzip/],
    [
      "gzip with more behind it",
      `${gzipSync("{}").toString("hex")}00ff`,
      /content is not valid gzip/,
    ],
    ["larger than 8 MiB unpacked", packed(huge), /content must have at most 8388608 bytes/],
    ["a bomb", packed(" ".repeat(200_000_000)), /content must have at most 8388608 bytes/],
  ])("%s", async (name, content, message) => {
    const bytes = name.includes("behind")
      ? Buffer.from(content, "hex").toString("base64")
      : content;
    const { status, body } = await send({ digest, content: bytes });
    expect([status, body.details[1].fieldViolations[0].field]).toEqual([400, "content"]);
    expect(body.message).toMatch(message);
    expect(body.message.length).toBeLessThan(500);
    expect(await sql("select uid from sboms where parent = ?", repo)).toEqual([]);
    expect(await events()).toEqual([]);
  });

  test("content that fits into a call can be stored, even if gzip hardly compresses it", async () => {
    expect((await send({ digest, content: packed(noise) })).status).toBe(200);
  });
});

test("an invalid digest is rejected", async () => {
  expect((await put(spdxDocument(), "latest")).body.details[1].fieldViolations[0].field).toBe(
    "digest",
  );
});

test("the deletion of the repository deletes its SBOMs", async () => {
  await put(spdxDocument());
  const { token } = organization.owner;
  const gone = await callRest(`/registry/v2/repos/${repo}`, { method: "DELETE", token });
  expect(gone.status).toBe(200);
  expect(await sql("select uid from sboms where parent = ?", repo)).toEqual([]);
  expect(await counted()).toBe(0);
  const insert = `insert into sboms (uid, create_time, update_time, digest, format, spec_version, name,
    package_count, size, content_digest, packages, content) values (?, 1, 1, ?, 1, '2.3', '', 0, 0, '', '', '')`;
  await expect(sql(insert, `${repo}/${"0".repeat(16)}`, digest)).rejects.toThrow(/parent is gone/);
});
