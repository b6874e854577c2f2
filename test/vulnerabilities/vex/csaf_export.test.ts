/** An advisory as a CSAF document says what its OpenVEX document says, and can be imported again. */
import { describe, expect, test } from "vitest";
import { newTenant } from "../callers.ts";
import { box, loadOsv } from "../osv/osv_imports.ts";
import {
  countsOf,
  everyUid,
  imagePurl,
  type Json,
  loadCsaf,
  loadOpenVex,
  openVexOf,
  readAdvisory,
  statementOf,
} from "./vex_imports.ts";

const csafOf = async (token: string, uid: string): Promise<Json> => {
  const { status, body } = await readAdvisory(token, uid, "?format=csaf");
  expect(status).toBe(200);
  return body;
};

/** The only vulnerability of a document. */
function vulnerabilityOf(document: Json): Json {
  expect(document.vulnerabilities).toHaveLength(1);
  return (document.vulnerabilities as Json[])[0] ?? {};
}

const products = [
  { "@id": "pkg:pypi/box@1.0" },
  { "@id": "pkg:pypi/box" },
  { "@id": imagePurl, subcomponents: [{ "@id": "pkg:apk/alpine/libssl3@3.0.8-r3" }] },
];

describe("a statement", () => {
  const sayings: [Json, string, Json][] = [
    [{ status: "under_investigation" }, "under_investigation", {}],
    [
      { status: "affected", action_statement: "Turn it off." },
      "known_affected",
      { remediations: [{ category: "mitigation", details: "Turn it off." }] },
    ],
    [
      { status: "fixed", status_notes: "Rebuilt." },
      "fixed",
      { remediations: [{ category: "vendor_fix", details: "Rebuilt." }] },
    ],
    [
      { status: "not_affected", impact_statement: "No." },
      "known_not_affected",
      { threats: [{ category: "impact", details: "No." }] },
    ],
    [
      { status: "not_affected", justification: "component_not_present" },
      "known_not_affected",
      { flags: [{ label: "component_not_present" }] },
    ],
  ];

  test.each(sayings)(
    "%j is in the list %s, and changes nothing when it is imported again",
    async (said, list, more) => {
      const { group, token } = await newTenant();
      const vulnerability = {
        ...{ name: "CVE-2024-1001", description: "A box opens by itself." },
        aliases: ["GHSA-aaaa-bbbb-cccc"],
      };
      await loadOpenVex(
        token,
        group,
        openVexOf([statementOf({ ...said, products, vulnerability })]),
      );
      const uids = await everyUid(token);
      const documents = await Promise.all(uids.map((uid) => csafOf(token, uid)));
      for (const document of documents) {
        const found = vulnerabilityOf(document);
        expect(found).toMatchObject({
          cve: "CVE-2024-1001",
          ids: [{ system_name: "GHSA", text: "GHSA-aaaa-bbbb-cccc" }],
          notes: [{ category: "description", text: "A box opens by itself." }],
          product_status: { [list]: [expect.any(String)] },
          ...more,
        });
        expect(document.document).toMatchObject({
          publisher: { name: "vex@vendor.example" },
          tracking: { version: "1", current_release_date: "2024-05-01T10:00:00.000Z" },
        });
      }
      expect(countsOf(await loadCsaf(token, group, ...documents))).toEqual([0, 0, products.length]);
    },
  );
});

test("each approved event is a revision, and the newest one gives the version and the date", async () => {
  const { group, token } = await newTenant();
  await loadOpenVex(token, group, openVexOf([statementOf()]));
  const fixed = statementOf({ status: "fixed", timestamp: "2024-06-01T00:00:00Z" });
  await loadOpenVex(token, group, openVexOf([fixed]));
  const [uid = ""] = await everyUid(token);
  expect((await csafOf(token, uid)).document).toMatchObject({
    ...{ category: "csaf_vex", csaf_version: "2.0", title: "CVE-2024-1001 in box" },
    tracking: {
      ...{ version: "2", status: "final" },
      initial_release_date: "2024-05-01T10:00:00.000Z",
      current_release_date: "2024-06-01T00:00:00.000Z",
      revision_history: [{ number: "1" }, { number: "2" }],
    },
  });
});

test("an OSV record has its fixed versions as fixed and the package as affected, with the update as the remedy", async () => {
  const { group, token } = await newTenant();
  await loadOsv(token, group, box);
  const [uid = ""] = await everyUid(token);
  const document = await csafOf(token, uid);
  const names = (document.product_tree as { full_product_names: Json[] }).full_product_names;
  expect(names.map(({ product_identification_helper: helper }) => helper)).toEqual(
    ["", "@1.2", "@2.1", "@3.0.1"].map((version) => ({ purl: `pkg:pypi/box${version}` })),
  );
  const { product_status, remediations } = vulnerabilityOf(document);
  const [whole, ...versions] = names.map(({ product_id }) => product_id);
  expect(product_status).toEqual({ known_affected: [whole], fixed: versions });
  expect(remediations).toContainEqual({
    ...{ category: "vendor_fix", details: "Update to 1.2 or 2.1 or 3.0.1." },
    product_ids: [whole],
  });
  const other = await newTenant();
  expect(countsOf(await loadCsaf(other.token, other.group, document))).toEqual([4, 0, 0]);
});

test("a product with a hash keeps it, and an id of another source is not called a CVE id", async () => {
  const { group, token } = await newTenant();
  const hashed = { "@id": "https://vendor.example/anvil", hashes: { "sha-256": "ab".repeat(32) } };
  const vulnerability = { name: "ACME-7" };
  await loadOpenVex(token, group, openVexOf([statementOf({ products: [hashed], vulnerability })]));
  const [uid = ""] = await everyUid(token);
  const document = await csafOf(token, uid);
  expect(document.product_tree).toMatchObject({
    full_product_names: [
      {
        name: "https://vendor.example/anvil",
        product_identification_helper: {
          hashes: [{ file_hashes: [{ algorithm: "sha256", value: "ab".repeat(32) }] }],
        },
      },
    ],
  });
  const found = vulnerabilityOf(document);
  expect(found).toMatchObject({ ids: [{ system_name: "ACME", text: "ACME-7" }] });
  expect(found).not.toHaveProperty("cve");
  expect(found.notes).toEqual([
    { category: "general", text: "The platform has no description of ACME-7." },
  ]);
});
