/** The products of CSAF documents: their ranges, their helpers, and their exports. */
import { describe, expect, test } from "vitest";
import { newTenant } from "../callers.ts";
import { csafDocument, csafProduct, csafVulnerability, loaded } from "./csaf_imports.ts";
import { everyUid, type Json, loadCsaf, readAdvisory } from "./vex_imports.ts";

/** A product tree with one product, in a branch with a range of versions. */
const ranged = (name: string, purl = "pkg:deb/debian/web"): Json => ({
  branches: [
    { category: "product_version_range", name, product: csafProduct("P1", purl, "ACME Web") },
  ],
});
const update = { category: "vendor_fix", details: "Update.", product_ids: ["P1"] };

/** Exports of the only advisory of a document. */
async function exported(document: Json, formats: string[]) {
  const { group, token } = await newTenant();
  const answer = await loadCsaf(token, group, document);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  const [uid = ""] = await everyUid(token);
  const read = formats.map((format) => readAdvisory(token, uid, `?format=${format}`));
  return (await Promise.all(read)).map(({ body }) => body);
}

describe("a range of versions", () => {
  const affected = (tree: Json) =>
    csafDocument(
      [csafVulnerability({ product_status: { known_affected: ["P1"] }, remediations: [update] })],
      { product_tree: tree },
    );

  test("is in every export what it was", async () => {
    const range = "vers:deb/>=1.0|<2.0";
    const [osv, csaf, openVex] = await exported(affected(ranged(range)), [
      ...["osv", "csaf", "openvex"],
    ]);
    expect(osv.affected).toMatchObject([
      {
        package: { ecosystem: "Debian", name: "web", purl: "pkg:deb/debian/web" },
        ranges: [{ type: "ECOSYSTEM", events: [{ introduced: "1.0" }, { fixed: "2.0" }] }],
      },
    ]);
    expect(csaf).toMatchObject({
      product_tree: {
        branches: [
          {
            branches: [
              {
                ...{ category: "product_version_range", name: range },
                product: { product_identification_helper: { purl: "pkg:deb/debian/web" } },
              },
            ],
          },
        ],
      },
      vulnerabilities: [{ remediations: [{ category: "vendor_fix", details: "Update." }] }],
    });
    const purl = "pkg:deb/debian/web?vers=vers%3Adeb%2F%3E%3D1.0%7C%3C2.0";
    expect(openVex.statements[0].products).toEqual([{ "@id": purl, identifiers: { purl } }]);
  });

  test.each([
    ["vers:deb/<=2.0", [{ introduced: "0" }, { last_affected: "2.0" }]],
    ["vers:deb/>=3.0", [{ introduced: "3.0" }]],
    ["vers:deb/*", [{ introduced: "0" }]],
  ])("%s has these events in OSV", async (range, events) => {
    const [osv] = await exported(affected(ranged(range)), ["osv"]);
    expect(osv.affected[0].ranges).toEqual([{ type: "ECOSYSTEM", events }]);
  });

  test.each([
    "all before the second",
    "vers:deb/>1.0|<2.0",
    "vers:rpm/<2.0",
    "vers:deb/not a version",
  ])("%s is kept as text, and OSV gets no range", async (range) => {
    const [osv, csaf] = await exported(affected(ranged(range)), ["osv", "csaf"]);
    expect(osv.affected[0]).toMatchObject({
      ranges: [],
      database_specific: { version_range: range },
    });
    expect(JSON.stringify(csaf.product_tree)).toContain(JSON.stringify(range));
  });

  test("makes one advisory for each range of a product", async () => {
    const [first, second] = ["vers:deb/<1.0", "vers:deb/<2.0"].map(
      (range) => (ranged(range).branches as Json[])[0] ?? {},
    );
    const branches = [first, { ...second, product: csafProduct("P2", "pkg:deb/debian/web") }];
    const one = csafVulnerability({ product_status: { under_investigation: ["P1", "P2"] } });
    const all = await loaded(csafDocument([one], { product_tree: { branches } }));
    expect(all).toHaveLength(2);
  });
});

test("the helper of a relationship names the component, and the fixed version is its own", async () => {
  const helper = { purl: "pkg:rpm/acme/web@1.0-1.el9?arch=x86_64" };
  const tree = {
    full_product_names: [
      csafProduct("OS", { cpe: "cpe:/o:acme:os:9" }, "OS"),
      { product_id: "C1", name: "web-1.0" },
    ],
    relationships: [
      {
        ...{ category: "default_component_of", product_reference: "C1" },
        relates_to_product_reference: "OS",
        full_product_name: {
          ...{ product_id: "C1@OS", name: "web as a component of OS 9" },
          product_identification_helper: helper,
        },
      },
    ],
  };
  const one = csafVulnerability({ product_status: { fixed: ["C1@OS"] } });
  expect(await loaded(csafDocument([one], { product_tree: tree }))).toMatchObject([
    {
      componentName: "web",
      componentLocation: "pkg:rpm/acme/web@1.0-1.el9?arch=x86_64",
      artifactArchitecture: "x86_64",
      events: [{ fixed: { fixedVersion: "1.0-1.el9" } }],
    },
  ]);
});

test("status, range, kind of remediation and justification of each product survive an export", async () => {
  const ids = (list: string) => [`${list}-1`];
  const lists = ["first_affected", "known_affected", "first_fixed", "fixed", "known_not_affected"];
  const branches = lists.map((list, at) => ({
    ...{ category: "product_version_range", name: `vers:deb/<${at + 1}.0` },
    product: csafProduct(`${list}-1`, `pkg:deb/debian/${list.replaceAll("_", "-")}`),
  }));
  const kinds = ["mitigation", "no_fix_planned", "vendor_fix", "workaround", "none_available"];
  const one = csafVulnerability({
    product_status: Object.fromEntries(lists.map((list) => [list, ids(list)])),
    remediations: lists.map((list, at) => ({
      ...{ category: kinds[at], details: `About ${list}.`, product_ids: ids(list) },
    })),
    flags: [{ label: "component_not_present", product_ids: ids("known_not_affected") }],
  });
  const { group, token } = await newTenant();
  await loadCsaf(token, group, csafDocument([one], { product_tree: { branches } }));
  const summaries = new Set<string>();
  for (const uid of await everyUid(token)) {
    const { body } = await readAdvisory(token, uid, "?format=csaf");
    const [vulnerability] = body.vulnerabilities as Json[];
    const [list = ""] = Object.keys(vulnerability?.product_status as Json);
    const [remedy] = (vulnerability?.remediations ?? []) as Json[];
    const [flag] = (vulnerability?.flags ?? []) as Json[];
    const range = /vers:deb\/<\d\.0/.exec(JSON.stringify(body.product_tree))?.[0];
    summaries.add([list, range, remedy?.category, remedy?.details, flag?.label].join(" "));
  }
  expect(summaries).toEqual(
    new Set(
      lists.map((list, at) =>
        [
          ...[list, `vers:deb/<${at + 1}.0`, kinds[at], `About ${list}.`],
          list === "known_not_affected" ? "component_not_present" : undefined,
        ].join(" "),
      ),
    ),
  );
});
