/** How often a pushed document is read, and when: once, for an image that the repository has, within the limits. */
import { beforeEach, describe, expect, test } from "vitest";
import { newOrganization } from "../../world/personas.ts";
import { callRest, costOf, sql } from "../../world/platform.ts";
import {
  descriptorOf,
  manifestType,
  newImageOf,
  newTarget,
  pushBlob,
  pushImage,
  putManifest,
} from "../client.ts";

let target: Awaited<ReturnType<typeof newTarget>>;
beforeEach(async () => {
  target = await newTarget();
});

/** An SBOM with so many packages. With 2,000 it is large, so that it is read after the response. */
const sbomOf = (name: string, packages: number) =>
  JSON.stringify({
    spdxVersion: "SPDX-2.3",
    SPDXID: "SPDXRef-DOCUMENT",
    name,
    packages: Array.from({ length: packages }, (_, at) => ({
      SPDXID: `SPDXRef-${at}`,
      name: `package-${at}`,
      versionInfo: "1.0.0",
      externalRefs: [
        {
          referenceCategory: "PACKAGE-MANAGER",
          referenceType: "purl",
          referenceLocator: `pkg:npm/package-${at}@1.0.0`,
        },
      ],
    })),
  });
const [small, large] = [20, 2_000];

/** Pushes a manifest with documents about the image with this manifest. */
async function attach(subject: string, documents: string[], note = "") {
  if (note === "") for (const blob of ["{}", ...documents]) await pushBlob(target, blob);
  const { text, digest } = newImageOf({
    artifactType: "application/vnd.example",
    annotations: { note },
    config: descriptorOf("{}", "application/vnd.oci.empty.v1+json"),
    layers: documents.map((document) => descriptorOf(document, "application/spdx+json")),
    subject: descriptorOf(subject, manifestType),
  });
  const answer = await putManifest(target, digest, text);
  expect(answer.status).toBe(201);
  return { digest, rowsWritten: costOf(answer).rowsWritten };
}

const ofRepo = `in (select uid from repos where parent = ?)`;
const sboms = () =>
  sql<{ digest: string; name: string; packages: number }>(
    `select digest, name, (select count(*) from sbom_packages where sbom_uid = sboms.uid) as packages
     from sboms where parent ${ofRepo} order by name`,
    target.organization.uid,
  );
const unread = async () =>
  (
    await sql<{ data: string }>(
      `select data from events where repo_uid ${ofRepo} and type = 'dev.vendor.registry.push.v1' order by seq desc limit 1`,
      target.organization.uid,
    )
  ).flatMap(({ data }): string[] => JSON.parse(data).body.unread ?? []);
/** The number of documents that are noted and not read. */
const waiting = async () =>
  (
    await sql(
      `select 1 from pushed_documents join repo_storage on repo_storage.id = repo_id
       where repo_storage.parent = ? and read_time is null`,
      target.organization.uid,
    )
  ).length;
const documentBytes = async () =>
  (
    await sql<{ n: number }>(
      "select document_bytes as n from organization_storage where uid = ?",
      target.organization.uid,
    )
  )[0]?.n;

describe.for([
  ["small", small],
  ["large", large],
] as const)("a %s document", ([size, packages]) => {
  test("is read once, also if later manifests name it with other subjects", async () => {
    const document = sbomOf("one", packages);
    const images = [
      await pushImage(target, "a"),
      await pushImage(target, "b"),
      await pushImage(target, "c"),
    ];
    const [first, ...others] = images as [(typeof images)[0], ...typeof images];
    await attach(first.text, [document]);
    await expect.poll(sboms).toEqual([{ digest: first.digest, name: "one", packages }]);
    expect(await documentBytes()).toBe(document.length);
    for (const other of others) {
      const { rowsWritten } = await attach(other.text, [document], "again");
      // The manifest and its events, but no package.
      expect(rowsWritten).toBeLessThan(100);
      expect(await unread()).toEqual([expect.stringContaining("already read")]);
    }
    const { rowsWritten } = await attach(first.text, [document], "again");
    expect(rowsWritten).toBeLessThan(100);
    expect(await unread()).toEqual([]);
    expect(await sboms()).toEqual([{ digest: first.digest, name: "one", packages }]);
    expect(await documentBytes()).toBe(document.length);
  });

  test("waits until its image is pushed", async () => {
    const document = sbomOf("early", packages);
    const subject = newImageOf();
    await attach(subject.text, [document]);
    expect(await unread()).toEqual([expect.stringContaining("does not have")]);
    expect(await sboms()).toEqual([]);
    for (const blob of [subject.layer, subject.config]) await pushBlob(target, blob);
    expect((await putManifest(target, "latest", subject.text)).status).toBe(201);
    await expect.poll(sboms).toEqual([{ digest: subject.digest, name: "early", packages }]);
  });

  test("is not read beyond the limit of the organization, and is read when there is room", async () => {
    const document = sbomOf(`full ${size}`, packages);
    const image = await pushImage(target, "latest");
    for (const blob of ["{}", document]) await pushBlob(target, blob);
    const { uid } = target.organization;
    const limit = (sum: string) =>
      sql(`update organization_storage set byte_limit = ${sum} where uid = ?`, uid);
    // Enough for the manifest, but not for the document.
    await limit("bytes + reserved_bytes + 1500");
    await attach(image.text, [document], "no room");
    if (size === "small") expect(await unread()).toEqual([expect.stringContaining("limit")]);
    else await expect.poll(waiting).toBe(1);
    expect(await sboms()).toEqual([]);
    await limit("null");
    await attach(image.text, [document], "again");
    await expect.poll(sboms).toMatchObject([{ digest: image.digest }]);
  });
});

test("a manifest gives one document of a kind", async () => {
  const image = await pushImage(target, "latest");
  await attach(image.text, [sbomOf("first", small), sbomOf("second", small)]);
  expect(await unread()).toEqual([expect.stringContaining("another document of this kind")]);
  expect(await sboms()).toMatchObject([{ name: "first" }]);
  const late = await pushImage(target, "late");
  await attach(late.text, [sbomOf("late first", large), sbomOf("late second", large)]);
  await expect.poll(unread).toEqual([expect.stringContaining("another document of this kind")]);
  expect((await sboms()).map(({ name }) => name)).toEqual(["first", "late first"]);
});

test("a large document with a fault is stored, and an event says why it was not read", async () => {
  const image = await pushImage(target, "latest");
  await attach(image.text, [JSON.stringify({ spdxVersion: "SPDX-9.9", x: "x".repeat(200_000) })]);
  await expect.poll(unread).toEqual([expect.stringContaining("SPDX")]);
  expect(await documentBytes()).toBe(0);
});

test("an organization counts only its own documents", async () => {
  const image = await pushImage(target, "latest");
  await attach(image.text, [sbomOf("counted", small)]);
  const other = await newOrganization();
  expect(await documentBytes()).toBeGreaterThan(0);
  const rows = await sql(
    "select 1 from organization_storage where uid = ? and document_bytes > 0",
    other.uid,
  );
  expect(rows).toEqual([]);
});

test("the usage of an organization shows the bytes of its read documents, which count for its limit", async () => {
  const image = await pushImage(target, "latest");
  await attach(image.text, [sbomOf("used", small)]);
  const { uid, owner } = target.organization;
  const sum = "bytes + reserved_bytes + document_bytes";
  const [row] = await sql<{ counted: number; documents: number }>(
    `select ${sum} as counted, document_bytes as documents from organization_storage where uid = ?`,
    uid,
  );
  expect(row?.documents).toBeGreaterThan(0);
  await sql(`update organization_storage set byte_limit = ${sum} where uid = ?`, uid);
  const { body: usage } = await callRest(`/registry/v2/usages/${uid}`, { token: owner.token });
  expect(Number(usage.bytes) + Number(usage.reservedBytes)).toBe(row?.counted);
  const kind = "QUOTA_KIND_REGISTRY_BYTES";
  const used = { kind, used: String(row?.counted), limit: usage.limitBytes, nearLimit: true };
  expect(usage.quotas).toContainEqual(expect.objectContaining(used));
});
