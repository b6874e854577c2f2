/**
 * Every document that the published schema of its format accepts is imported, or left out with a reason. None is an
 * error of the platform, and none is refused for its content. `FUZZ_DOCUMENTS=20000` tries more.
 */
import { readFileSync } from "node:fs";
import type { JsonValue } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import { long } from "../world/tiers.ts";
import { callApi, newTenant } from "./callers.ts";
import { documentsOf, type Pools } from "./schema_documents.ts";

const schemaOf = (file: string) =>
  JSON.parse(readFileSync(new URL(`schemas/${file}`, import.meta.url), "utf8"));

const purls = fc.constantFrom(
  ...["pkg:deb/debian/web@1.0?distro=debian-12", "pkg:rpm/acme/web", "pkg:npm/%40acme/a@1.0.0"],
  ...["pkg:oci/web@sha256%3A0f3a?tag=1", "pkg:pypi/Flask_Login", "pkg:generic/x#y"],
);
const ids = (prefix: string) => fc.constantFrom(...[1, 2, 3].map((n) => `${prefix}${n}`));
const cves = fc.constantFrom("CVE-2024-1001", "CVE-2024-1002", "CVE-2024-1003");
const vector = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H";
const score = (version: string) => fc.constant({ version, vectorString: vector });

/** Values that meet each other, so that documents get past the first look. */
const csafPools: Pools = {
  "#/$defs/product_id_t": ids("P"),
  "#/$defs/product_group_id_t": ids("G"),
  ...{ purl: purls, cve: cves, cvss_v2: score("2.0"), cvss_v3: score("3.1") },
  csaf_version: fc.constant("2.0"),
  cpe: fc.constantFrom("cpe:/o:acme:os:9", "cpe:2.3:a:acme:web:1:*:*:*:*:*:*:*"),
};

const times = fc.constantFrom("2024-01-01T00:00:00Z", "2024-02-01T00:00:00.5Z");
const osvPools: Pools = {
  ...{ purl: purls, modified: times, published: times, withdrawn: times },
  id: fc.integer({ min: 1, max: 100_000 }).map((number) => `OSV-2024-${number}`),
  ecosystem: fc.constantFrom("PyPI", "Maven", "npm", "Go", "Debian:12", "Alpine:v3.20", "GIT"),
  package: fc.constantFrom(
    ...[
      ["PyPI", "Flask_Login"],
      ["npm", "a"],
      ["Debian:12", "x"],
    ].map(([ecosystem, name]) => ({ ecosystem, name })),
  ) as Pools[string],
  severity: fc.constantFrom(
    [{ type: "CVSS_V3", score: vector }],
    [{ type: "Ubuntu", score: "low" }],
  ),
};

const hash = "ab".repeat(32);
const openVexPools: Pools = {
  purl: purls,
  "@context": fc.constantFrom("https://openvex.dev/ns", "https://openvex.dev/ns/v0.2.0"),
  "@id": fc.oneof(purls, fc.webUrl()),
  hashes: fc.constantFrom({}, { "sha-256": hash }, { md5: "x" }),
  identifiers: fc.constantFrom({ purl: "pkg:npm/a@1" }, { cpe23: "cpe:2.3:a:b:c:1:*:*:*:*:*:*:*" }),
};

const helpers = ["pkg:deb/debian/web", "pkg:oci/web", "pkg:npm/a@1"];
const productTree = {
  branches: helpers.map((purl, at) => ({
    ...{ category: "product_version_range", name: at === 0 ? "vers:deb/<2" : "all before it" },
    product: {
      ...{ product_id: `P${at + 1}`, name: `Product ${at + 1}` },
      product_identification_helper: { purl },
    },
  })),
  product_groups: [1, 2, 3].map((n) => ({
    group_id: `G${n}`,
    product_ids: ["P1", `P${(n % 2) + 2}`],
  })),
};

/** The CSAF documents of the profiles that are read come more often than the schema has them. */
const categories = fc.constantFrom(
  ...["csaf_vex", "csaf_security_advisory", "csaf_security_advisory", "csaf_base"],
);

const named = (document: JsonValue, change: object) => ({ ...(document as object), ...change });

const csafSchema = schemaOf("csaf-2.0.json");
const csafOfAnyTree = documentsOf(csafSchema, csafPools);
const csafOfOneTree = documentsOf(csafSchema, {
  ...csafPools,
  product_tree: fc.constant(productTree),
});
const csaf = fc
  .tuple(fc.oneof(csafOfAnyTree, { arbitrary: csafOfOneTree, weight: 4 }), categories)
  .map(([one, category]) => {
    const { document } = one as { document: object };
    return named(one, { document: { ...document, category } });
  });

const formats = [
  ["osvRecords", "records", documentsOf(schemaOf("osv-1.7.5.json"), osvPools), 100],
  ["openVexDocuments", "documents", documentsOf(schemaOf("openvex-0.2.0.json"), openVexPools), 50],
  ["csafDocuments", "documents", csaf, 20],
] as const;

for (const [total, tier, sample] of [
  [300, {}, { seed: 39 }],
  [Number(process.env.FUZZ_DOCUMENTS ?? 3000), long, {}],
] as const)
  test.for(formats)(
    `%s: ${total} documents`,
    { ...tier, timeout: 900_000 },
    async ([path, list, arbitrary, size]) => {
      const outcome = { created: 0, skipped: 0 };
      const batches = fc.array(arbitrary as fc.Arbitrary<JsonValue>, {
        minLength: size,
        maxLength: size,
      });
      const load = async (batch: JsonValue[]) => {
        const { group, token } = await newTenant();
        const { status, body } = await callApi(token, `${path}/${group}:import`, { [list]: batch });
        expect([status, status === 200 ? "" : JSON.stringify(body).slice(0, 1000)]).toEqual([
          200,
          "",
        ]);
        outcome.created += Number(body.created ?? 0);
        outcome.skipped += Number(body.skippedCount ?? 0);
        for (const { reason } of body.skipped ?? []) expect(reason).toMatch(/\w/);
      };
      await fc.assert(fc.asyncProperty(batches, load), {
        ...{ numRuns: Math.ceil(total / size), endOnFailure: true, ...sample },
      });
      // The documents got past the first look.
      expect(outcome.created).toBeGreaterThan(total / 50);
    },
  );
