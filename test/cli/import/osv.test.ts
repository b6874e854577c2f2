import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mediaTypeOf } from "../../../cli/import/manifest.ts";
import { parseOsvRecord } from "../../../cli/import/osv.ts";
import { createResource, newOrganization } from "../../world/personas.ts";
import { commandsOf, newFolder, newStateFolder, platformctl } from "../command.ts";

const record = (id: string, modified = "2024-01-01T00:00:00Z") => ({
  id,
  modified,
  affected: [{ package: { ecosystem: "PyPI", name: "pip", purl: "pkg:pypi/pip" } }],
});
const parse = (text: string) => parseOsvRecord({ number: 1, bytes: Buffer.from(text) });

test.each([
  ["[]", "", "not a JSON object"],
  ['{"modified":"x"}', "id", "id is missing"],
  ['{"id":"A"}', "modified", "modified is missing"],
  ['{"id":1,"modified":"x"}', "id", "id must be a string"],
])("%s is not a record", (text, field, message) => {
  expect(parse(text)).toEqual({ field, message });
});

test("a record counts by the rows that it causes, so that no batch is too large", () => {
  const versions = Array.from({ length: 20_000 }, (_, i) => `${i}`);
  const many = {
    ...record("A"),
    affected: [{ package: { ecosystem: "PyPI", name: "x" }, versions }],
  };
  expect(parse(JSON.stringify(many))).toMatchObject({ bytes: expect.closeTo(756_000, -4) });
  expect(parse(JSON.stringify({ ...many, affected: [null, { versions: 1 }] }))).toMatchObject({
    bytes: expect.closeTo(450, -3),
  });
});

test("without --group, records go to PLATFORM_GROUP", async () => {
  const [first, second] = [await newOrganization(), await newOrganization()];
  const env = { PLATFORM_STATE: await newStateFolder(first), PLATFORM_GROUP: first.name };
  const args = ["import", "osv", "-", "--json"];
  const input = JSON.stringify(record("OSV-USUAL-1"));
  const { code, out, err } = await platformctl(args, { env, input });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(JSON.parse(out)).toMatchObject({ created: 1, group: { uid: first.uid } });
  const other = await platformctl([...args, "--group", second.name], { env, input });
  expect(other.err).toContain("NOT_FOUND");
});

test("records are created once, updated if newer, and otherwise unchanged", async () => {
  const organization = await newOrganization();
  const importRecords = await commandsOf(organization);
  const load = async (...records: object[]) => {
    const input = records.map((one) => JSON.stringify(one)).join("\n");
    const args = ["import", "osv", "-", "--group", organization.name, "--json"];
    const { out, err } = await importRecords(args, { input });
    expect(err).toBe("");
    const { created, updated, unchanged } = JSON.parse(out);
    return [created, updated, unchanged];
  };
  expect(await load(record("PYSEC-1"), record("PYSEC-2"))).toEqual([2, 0, 0]);
  const newer = record("PYSEC-2", "2024-02-02T00:00:00Z");
  expect(await load(record("PYSEC-1"), newer, record("PYSEC-3"))).toEqual([1, 1, 1]);
});

test("a record that cannot be read is left out and named by its line, and ends a strict import", async () => {
  const organization = await newOrganization();
  const importRecords = await commandsOf(organization);
  const lines = [record("PYSEC-1"), record("PYSEC-2", "yesterday"), record("PYSEC-3")];
  const input = `\n${lines.map((one) => JSON.stringify(one)).join("\n")}`;
  const args = ["import", "osv", "-", "--group", organization.name];
  const stopped = await importRecords([...args, "--strict"], { input });
  expect(stopped.code).toBe(2);
  expect(stopped.err).toMatch(/^error: Line 3: .*modified.*\nNothing was imported\.\n/);
  const done = await importRecords(args, { input });
  expect(done.code).toBe(0);
  expect(done.out).toMatch(/\n {2}2 created, 0 updated, 0 unchanged, 1 left out\n$/);
  expect(done.err).toMatch(/^Left out:\n {2}Line 3 \(PYSEC-2\): modified must be a time .*\n$/);
  const json = await importRecords([...args, "--json"], { input });
  expect(JSON.parse(json.out)).toMatchObject({
    skippedCount: 1,
    skipped: [{ line: 3, id: "PYSEC-2", reason: expect.stringContaining("modified") }],
  });
  expect(json.err).toBe("");
});

test.each([
  [{ mediaType: "x/y" }, "x/y"],
  [{ manifests: [] }, "application/vnd.oci.image.index.v1+json"],
  [{ config: {}, layers: [] }, "application/vnd.oci.image.manifest.v1+json"],
])("the media type of %j is %s", (document, mediaType) => {
  expect(mediaTypeOf(Buffer.from(JSON.stringify(document)))).toBe(mediaType);
});

test.each(["", "null", "[]", "{}", "\u00ff"])("%j is not a manifest", (text) => {
  expect(() => mediaTypeOf(Buffer.from(text, "latin1"))).toThrow(/manifest/);
});

test("a manifest is stored byte for byte, and a second time is not an error", async () => {
  const organization = await newOrganization();
  const env = { PLATFORM_STATE: await newStateFolder(organization) };
  const repo = await createResource(
    `/registry/v2/repos/${organization.uid}`,
    organization.owner.token,
    {
      name: "app",
    },
  );
  const content = '{ "config": {"size": 5},\n\n "layers": [ {"size": 7} ] }\n';
  const file = join(await newFolder(), "manifest.json");
  await writeFile(file, content);
  const digest = `sha256:${createHash("sha256").update(content).digest("hex")}`;
  for (const _ of ["first", "again"]) {
    const args = ["import", "manifest", file, "--repo", repo.uid, "--json"];
    const { out, err } = await platformctl(args, { env });
    expect(err).toBe("");
    expect(JSON.parse(out)).toMatchObject({ digest, size: "12" });
  }
});
