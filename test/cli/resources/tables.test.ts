import { stripVTControlCharacters } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { resources, supportsVerb } from "../../../cli/resources/catalog.ts";
import { columnsOf } from "../../../cli/resources/columns.ts";
import { importRecords, osvRecordOf, publicGroup } from "../../advisory/public_feed.ts";
import { pushBlob } from "../../distribution/client.ts";
import { registryToken } from "../../distribution/stored_images.ts";
import { insertAdvisory } from "../../vulnerabilities/advisories/stored_advisories.ts";
import { createResource, fakeDigest, type Organization, randomName } from "../../world/personas.ts";
import { sql } from "../../world/platform.ts";
import { tiers } from "../../world/tiers.ts";
import { commandsOf } from "../command.ts";
import { createCases, insertDelivery, newResourceWorld } from "./one_of_each.ts";

const vector = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H";
const severity = [{ type: "CVSS_V3", score: vector }];
const library = randomName("library");
const details = "It falls over. So it does.";
const published = osvRecordOf(randomName("origin"), { severity, details });

let organization: Organization;
let subscription: string;
let run: Awaited<ReturnType<typeof commandsOf>>;

/** One of every resource that can be listed. */
beforeAll(async () => {
  const world = await newResourceWorld();
  organization = world.organization;
  const { owner, uid } = organization;
  run = await commandsOf(organization);
  const env = { PLATFORM_GROUP: organization.name };
  for (const [name, args] of createCases) {
    const { word } = resources().find((one) => one.name === name) ?? { word: name };
    const made = await run(["create", word, ...(await args(world))], { env });
    // A key is created with a warning.
    const err = made.err.replace(/^Warning: a key .*\n/, "");
    expect({ word, code: made.code, err }).toEqual({ word, code: 0, err: "" });
  }
  const [made] = await sql<{ uid: string }>("select uid from subscriptions where parent = ?", uid);
  subscription = made?.uid ?? "";
  await insertDelivery(subscription);
  const [{ uid: repo } = { uid: "" }] = await sql<{ uid: string }>(
    "select uid from repos where parent = ? and name = 'python'",
    uid,
  );
  const old = { name: "0.9", digest: fakeDigest("old"), deprecated: true };
  await createResource(`/registry/v2/tags/${repo}`, owner.token, old);
  const token = await registryToken(owner.uid);
  await pushBlob({ name: `${uid}/python`, token }, "bytes");
  const affected = [
    {
      package: { ecosystem: "PyPI", name: library },
      versions: ["1.0"],
      ranges: [{ type: "ECOSYSTEM", events: [{ introduced: "0" }, { fixed: "2.0" }] }],
    },
  ];
  await importRecords(
    owner.token,
    uid,
    osvRecordOf(library, { severity, affected, id: "OSV-OURS-1" }),
  );
  const feed = await publicGroup();
  await importRecords(feed.token, feed.group, published);
  await createResource(`/iam/v2/terms/${uid}`, owner.token, { documentIds: ["sfdpa.v1"] });
  await insertAdvisory(
    uid,
    { artifact_type: "image", artifact_name: "python", advisory_id: "IMAGE-1" },
    [{ type: 3, create_time: Date.parse("2026-05-01T12:00:00Z"), detail: '{"fixedVersion":"1"}' }],
  );
});

/** The rows that a list of these resources needs. */
const needed: Record<string, () => string[]> = {
  artifactVersion: () => ["--artifact", library],
  delivery: () => ["--subscription", subscription],
  document: () => ["--cves", published.aliases[0] ?? ""],
  manifest: () => ["--repo", "python"],
  pastTag: () => ["--repo", "python", "--at", new Date().toISOString()],
  resolvedVulnsReport: () => [
    ...["--image-refs", JSON.stringify({ repo: "python" })],
    ...["--start-time", "2026-05-01", "--end-time", "2026-05-01"],
  ],
  vulnerabilityMetadata: () => ["--ids", published.aliases[0] ?? ""],
};

const listed = resources().filter((one) => supportsVerb(one, "list"));

const list = async (words: string, name: string, columns?: number) => {
  const args = ["list", words, ...(needed[name]?.() ?? [])];
  const env = { PLATFORM_GROUP: organization.name };
  const { code, out, err } = await run(args, { env, ...(columns && { columns }) });
  expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
  return stripVTControlCharacters(out).split("\n").slice(0, -1);
};

/** The beginning of JSON. */
const json = /^[{[]/;

for (const [some, tier] of tiers(listed, ({ parent }) => `${parent}`))
  test.for(some)("$words: no cell is JSON, in a pipe or on a terminal", tier, async (resource) => {
    const { name, words } = resource;
    const rows = await list(words, name);
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      const cells = row.split("\t");
      expect(cells).toHaveLength(columnsOf(resource).length);
      for (const cell of cells) expect(cell).not.toMatch(json);
    }
    for (const columns of [80, 120, 400]) {
      const shown = await list(words, name, columns);
      // Tests in other files create roles without an organization at the same time, and everyone can read
      // those.
      expect(shown.length)[name === "role" ? "toBeGreaterThan" : "toBe"](
        rows.length + (name === "role" ? 0 : 1),
      );
      for (const line of shown) {
        expect(line.length).toBeLessThanOrEqual(columns);
        for (const cell of line.split(/ {2,}/)) expect(cell).not.toMatch(json);
      }
    }
  });

test.each(listed)("$words: no column is a message, unless it has its own format", (resource) => {
  const raw = columnsOf(resource).filter(
    ({ field, compute }) => !compute && ["message", "json", "bytes"].includes(field?.kind ?? ""),
  );
  expect(raw.map(({ path }) => path)).toEqual([]);
});

test("an advisory shows its severity and its status, also on 80 columns", async () => {
  const shown = await list("advisories", "advisory", 80);
  expect(shown[0]).toMatch(/^ADVISORY ID +SEVERITY +STATUS +ARTIFACT +ALIASES/);
  expect(shown.find((line) => line.startsWith("OSV-OURS-1"))).toMatch(
    /^OSV-OURS-1 +7\.5 high +fixed /,
  );
});

test("metadata of a vulnerability shows its severity and its first sentence", async () => {
  const shown = await list("vulnerability-metadata", "vulnerabilityMetadata", 80);
  expect(shown[0]).toMatch(/^ID +SEVERITY +SUMMARY +UPDATED$/);
  expect(shown[1]).toMatch(/^CVE-\w+ +7\.5 high +It falls over\. +\S/);
});

test("JSON is the response of the API", async () => {
  const { out } = await run(
    ["list", "vulnerability-metadata", "--ids", published.aliases[0] ?? "", "-o", "json"],
    { env: { PLATFORM_GROUP: organization.name } },
  );
  expect(JSON.parse(out).vulnerabilityMetadata).toMatchObject([
    { details, severities: [{ type: "TYPE_CVSS_V3", score: vector }] },
  ]);
});
