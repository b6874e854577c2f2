import { describe, expect, test } from "vitest";
import { sql } from "../../world/platform.ts";
import { callApi, newTenant } from "../callers.ts";
import { listAdvisories, outbox } from "../osv/osv_imports.ts";
import {
  csafDocument,
  csafProduct,
  csafVulnerability,
  loaded,
  productTree,
} from "./csaf_imports.ts";
import {
  countsOf,
  type Json,
  loadCsaf,
  loadOpenVex,
  openVexOf,
  refusedFields,
} from "./vex_imports.ts";

describe("a status becomes an event of the advisory on the product", () => {
  test.each(["first_affected", "known_affected", "last_affected"])(
    "%s: affected, with the remediation",
    async (list) => {
      const remediations = [
        { category: "workaround", details: "Do not drop it.", product_ids: ["OS:OLD"] },
        {
          category: "vendor_fix",
          details: "Update.",
          url: "https://psirt.acme.example/fix",
          group_ids: ["G"],
        },
        { category: "vendor_fix", details: "Of another.", product_ids: ["OS:NEW"] },
      ];
      const one = csafVulnerability({ product_status: { [list]: ["OS:OLD"] }, remediations });
      const note = "Do not drop it.\n\nUpdate.\nhttps://psirt.acme.example/fix";
      expect(await loaded(csafDocument([one]))).toMatchObject([
        {
          artifactName: "Acme Linux",
          artifactType: "product",
          componentName: "anvil",
          componentType: "rpm",
          componentLocation: "pkg:rpm/acme/anvil@2.4-1?arch=x86_64",
          aliases: ["CVE-2024-3001"],
          author: "Acme PSIRT",
          events: [{ truePositiveDetermination: { note }, createTime: "2024-05-01T10:00:00.000Z" }],
        },
      ]);
    },
  );

  test("affected without a planned fix: fix not planned", async () => {
    const remediations = [{ category: "no_fix_planned", details: "Old.", product_ids: ["OS:OLD"] }];
    const one = csafVulnerability({ product_status: { known_affected: ["OS:OLD"] }, remediations });
    expect(await loaded(csafDocument([one]))).toMatchObject([
      { events: [{ fixNotPlanned: { note: "Old." } }] },
    ]);
  });

  test.each(["fixed", "first_fixed"])(
    "%s: fixed in the version of the component, and not of its platform",
    async (list) => {
      const one = csafVulnerability({ product_status: { [list]: ["OS:NEW", "NEW"] } });
      const all = await loaded(csafDocument([one]));
      expect(all.map(({ artifactName, events }) => [artifactName, events])).toMatchObject(
        expect.arrayContaining([
          ["anvil", [expect.objectContaining({ fixed: { fixedVersion: "2.5-1" } })]],
          ["Acme Linux", [expect.objectContaining({ fixed: { fixedVersion: "2.5-1" } })]],
        ]),
      );
    },
  );

  test("known_not_affected: a false positive, by the flag and with the impact", async () => {
    const one = csafVulnerability({
      product_status: { known_not_affected: ["OS:OLD", "OS:NEW"] },
      flags: [{ label: "vulnerable_code_not_in_execute_path", group_ids: ["G"] }],
      threats: [
        { category: "impact", details: "Never called." },
        { category: "exploit_status", details: "None." },
      ],
    });
    const events = (await loaded(csafDocument([one]))).map((advisory) => advisory.events);
    expect(events).toHaveLength(2);
    expect(events).toContainEqual([
      expect.objectContaining({
        falsePositiveDetermination: {
          type: "TYPE_VULNERABLE_CODE_NOT_IN_EXECUTION_PATH",
          note: "Never called.",
        },
      }),
    ]);
    expect(events).toContainEqual([
      expect.objectContaining({ falsePositiveDetermination: { note: "Never called." } }),
    ]);
  });

  test("under_investigation: a detection, and recommended alone: nothing", async () => {
    const statuses = { under_investigation: ["OLD"], recommended: ["NEW"] };
    expect(
      await loaded(csafDocument([csafVulnerability({ product_status: statuses })])),
    ).toMatchObject([
      { artifactName: "anvil", artifactArchitecture: "x86_64", events: [{ detection: {} }] },
    ]);
  });

  test("with scores, other ids, references and notes of the vulnerability", async () => {
    const { group, token } = await newTenant();
    const vector = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H";
    const one = csafVulnerability({
      title: "Anvils fall",
      ids: [{ system_name: "Tracker", text: "ACME-77" }],
      notes: [
        { category: "summary", text: "Short." },
        { category: "description", text: "Anvils fall down." },
      ],
      references: [{ category: "external", summary: "CVE", url: "https://cve.example/3001" }],
      scores: [{ cvss_v3: { version: "3.1", vectorString: vector }, products: ["OS:OLD"] }],
    });
    await loadCsaf(token, group, csafDocument([one]));
    expect((await listAdvisories(token)).all).toMatchObject([
      {
        aliases: ["CVE-2024-3001", "ACME-77"],
        severities: [{ type: "TYPE_CVSS_V3", score: vector }],
      },
    ]);
    const [metadata] = await sql("select * from vulnerability_metadata where parent = ?", group);
    expect(metadata).toMatchObject({ summary: "Anvils fall", details: "Anvils fall down." });
    expect(JSON.parse(String(metadata?.refs))).toEqual([
      { type: 1, url: "https://psirt.acme.example/1" },
      { type: 10, url: "https://cve.example/3001" },
    ]);
    const documents = await sql("select origin from advisory_documents where parent = ?", group);
    expect(documents).toEqual([{ origin: "Acme Linux" }]);
  });

  test("of nested parts, each separately", async () => {
    const statuses = { under_investigation: ["OS:OLD:LIB", "OS:OLD", "LIB"] };
    const all = await loaded(csafDocument([csafVulnerability({ product_status: statuses })]));
    expect(all.map(({ artifactName, componentName }) => [artifactName, componentName])).toEqual(
      expect.arrayContaining([
        ["Acme Linux", "anvil"],
        ["Acme Linux", "org.acme:hammer"],
        ["org.acme:hammer", "org.acme:hammer"],
      ]),
    );
    expect(new Set(all.map(({ advisoryId }) => advisoryId)).size).toBe(3);
  });
});

describe("an import of CSAF documents", () => {
  test("changes nothing when repeated, adds the changes of a newer release, and ignores an older one", async () => {
    const { group, token } = await newTenant();
    const other = csafVulnerability({ cve: "CVE-2024-3002" });
    const first = csafDocument([csafVulnerability(), other]);
    expect(countsOf(await loadCsaf(token, group, first))).toEqual([2, 0, 0]);
    expect(countsOf(await loadCsaf(token, group, first))).toEqual([0, 0, 2]);
    const tracking = {
      ...{ id: "ACME-1", version: "2", status: "final" },
      current_release_date: "2024-06-01T10:00:00+02:00",
    };
    const fixed = csafVulnerability({ product_status: { fixed: ["OS:OLD"] } });
    const second = csafDocument([fixed, other], { document: { tracking } });
    expect(countsOf(await loadCsaf(token, group, second))).toEqual([0, 1, 1]);
    expect(countsOf(await loadCsaf(token, group, first))).toEqual([0, 0, 2]);
    const { all } = await listAdvisories(token, "latest_event_type=EVENT_TYPE_FILTER_FIXED");
    expect(all).toMatchObject([{ events: [{ detection: {} }, { fixed: {} }] }]);
    expect(await outbox(group)).toMatchObject([
      { type: "dev.vendor.api.vulnerabilities.csaf_documents.imported.v1" },
      { type: "dev.vendor.api.vulnerabilities.csaf_documents.imported.v1" },
    ]);
  });

  test("continues the statements of an OpenVEX document about the same package", async () => {
    const { group, token } = await newTenant();
    const said = {
      vulnerability: { name: "CVE-2024-3001" },
      products: [{ "@id": "pkg:rpm/acme/anvil@2.4-1?arch=x86_64" }],
      status: "under_investigation",
      timestamp: "2024-04-01T00:00:00Z",
    };
    await loadOpenVex(token, group, openVexOf([said]));
    const one = csafVulnerability({ product_status: { fixed: ["OLD"] } });
    expect(countsOf(await loadCsaf(token, group, csafDocument([one])))).toEqual([0, 1, 0]);
    expect((await listAdvisories(token)).all).toMatchObject([
      { events: [{ detection: {} }, { fixed: { fixedVersion: "2.4-1" } }] },
    ]);
  });

  test("products of the same id in two documents are different products", async () => {
    const { group, token } = await newTenant();
    const of = (name: string) =>
      csafDocument([csafVulnerability({ product_status: { under_investigation: ["P"] } })], {
        product_tree: { full_product_names: [{ product_id: "P", name }] },
      });
    expect(countsOf(await loadCsaf(token, group, of("Anvil"), of("Rocket")))).toEqual([2, 0, 0]);
    const names = (await listAdvisories(token)).all.map(({ artifactName }) => artifactName);
    expect(names.sort()).toEqual(["Anvil", "Rocket"]);
  });
});

test("texts have the lengths of the standard, and longer ones are cut with a mark", async () => {
  const { group, token } = await newTenant();
  const notes = [{ category: "description", text: "d".repeat(260_000) }];
  const details = "r".repeat(29_000);
  const remediations = [{ category: "vendor_fix", product_ids: ["OS:OLD"], details }];
  const name = "n".repeat(1001);
  const publisher = { category: "vendor", name, namespace: "https://acme.example" };
  const one = csafVulnerability({
    ...{ notes, remediations, product_status: { known_affected: ["OS:OLD"] } },
  });
  const answer = await loadCsaf(token, group, csafDocument([one], { document: { publisher } }));
  expect(countsOf(answer), JSON.stringify(answer.body)).toEqual([1, 0, 0]);
  const [advisory] = (await listAdvisories(token)).all;
  expect(advisory?.author).toBe(`${"n".repeat(999)}…`);
  expect(advisory?.events).toMatchObject([{ truePositiveDetermination: { note: details } }]);
  const [row] = await sql("select details from vulnerability_metadata where parent = ?", group);
  expect(String(row?.details)).toBe(`${"d".repeat(249_999)}…`);
});

test.each([
  ["a document without VEX", { category: "csaf_base" }, "document.category must be one of"],
  ["an informational advisory", { category: "csaf_informational_advisory" }, "document.category"],
  ["version 2.1", { csaf_version: "2.1" }, "document.csaf_version must be 2.0"],
])("%s is left out with the reason, and the others are imported", async (_, document, reason) => {
  const { group, token } = await newTenant();
  const documents = [
    csafDocument([csafVulnerability()], { document }),
    csafDocument([csafVulnerability()]),
  ];
  const { body } = await callApi(token, `csafDocuments/${group}:import`, { documents });
  expect(countsOf({ body })).toEqual([1, 0, 0]);
  expect(body.skipped).toEqual([
    { position: 0, id: "ACME-1", reason: expect.stringContaining(reason) },
  ]);
});

test.each(["draft", "interim"])("a late %s does not replace a final version", async (status) => {
  const { group, token } = await newTenant();
  const release = (version: string, state: string, day: number, list: string) =>
    csafDocument([csafVulnerability({ product_status: { [list]: ["OS:OLD"] } })], {
      document: {
        tracking: {
          ...{ id: "ACME-1", version, status: state },
          current_release_date: `2024-06-0${day}T10:00:00Z`,
        },
      },
    });
  const load = async (document: Json) => countsOf(await loadCsaf(token, group, document));
  expect(await load(release("1", "final", 1, "under_investigation"))).toEqual([1, 0, 0]);
  // A newer version that says the same changes nothing, and is still the newest.
  expect(await load(release("3", "final", 2, "under_investigation"))).toEqual([0, 0, 1]);
  expect(await load(release("2", status, 3, "fixed"))).toEqual([0, 0, 1]);
  expect(await load(release("10", status, 4, "fixed"))).toEqual([0, 1, 0]);
  const { all } = await listAdvisories(token);
  expect(all).toMatchObject([{ events: [{ detection: {} }, { fixed: {} }] }]);
});

describe("is rejected, with the position, for", () => {
  const tracking = { id: "A", version: "1", status: "final", current_release_date: "2024" };
  const bad: [string, Json, string[]][] = [
    [
      "another profile",
      csafDocument([csafVulnerability()], { document: { category: "csaf_base" } }),
      ["document.category"],
    ],
    [
      "another version",
      csafDocument([csafVulnerability()], { document: { csaf_version: "1.2" } }),
      ["document.csaf_version"],
    ],
    [
      "no publisher",
      csafDocument([csafVulnerability()], { document: { publisher: undefined } }),
      ["document.publisher.namespace", "document.publisher.name"],
    ],
    [
      "a release at no time",
      csafDocument([csafVulnerability()], { document: { tracking } }),
      ["document.tracking.current_release_date"],
    ],
    ["no vulnerability", csafDocument([]), ["vulnerabilities"]],
    ["none of it", {}, ["document.category", "document.csaf_version", "document.title"]],
    [
      "a product defined twice",
      csafDocument([csafVulnerability({ product_status: { under_investigation: ["P"] } })], {
        product_tree: {
          full_product_names: [csafProduct("P", "pkg:npm/a"), csafProduct("P", "pkg:npm/b")],
        },
      }),
      ["product_tree.full_product_names[1].product_id"],
    ],
    [
      "an invalid purl",
      csafDocument([csafVulnerability({ product_status: { under_investigation: ["P"] } })], {
        product_tree: { full_product_names: [csafProduct("P", "npm:a")] },
      }),
      ["product_tree.full_product_names[0].product_identification_helper.purl"],
    ],
    [
      "products that are parts of each other",
      csafDocument([csafVulnerability()], {
        product_tree: {
          ...productTree,
          relationships: [
            ...(productTree.relationships as Json[]),
            ...[
              ["A", "B"],
              ["B", "A"],
            ].map(([id, of]) => ({
              category: "default_component_of",
              full_product_name: { product_id: id, name: id },
              product_reference: "LIB",
              relates_to_product_reference: of,
            })),
          ],
        },
      }),
      [
        "product_tree.relationships[3].relates_to_product_reference",
        "product_tree.relationships[4].relates_to_product_reference",
      ],
    ],
  ];
  test.each(bad)("a document with %s", async (_, document, fields) => {
    const { group, token } = await newTenant();
    const answer = await loadCsaf(token, group, csafDocument([csafVulnerability()]), document);
    const named = refusedFields(answer);
    expect(named).toEqual(expect.arrayContaining(fields.map((field) => `documents[1].${field}`)));
    if (Object.keys(document).length > 0) expect(named).toHaveLength(fields.length);
    expect((await listAdvisories(token)).totalCount).toBe("0");
  });

  const badVulnerabilities: [string, Json, string[]][] = [
    ["no name", { cve: undefined }, ["cve"]],
    ["an invalid CVE", { cve: "CVE-1" }, ["cve"]],
    ["an unknown product", { product_status: { fixed: ["NOWHERE"] } }, ["product_status.fixed[0]"]],
    ["an unknown status", { product_status: { safe: ["OLD"] } }, ["product_status.safe"]],
    [
      "a status that every object has",
      { product_status: { constructor: ["OLD"] } },
      ["product_status.constructor"],
    ],
    [
      "two statuses of one product",
      { product_status: { fixed: ["OLD"], under_investigation: ["OLD"] } },
      ["product_status.under_investigation[0]"],
    ],
    [
      "not affected without a reason",
      { product_status: { known_not_affected: ["OLD"] } },
      ["product_status.known_not_affected[0]"],
    ],
    [
      "affected without a remediation",
      { product_status: { known_affected: ["OLD"] } },
      ["product_status.known_affected[0]"],
    ],
    [
      "a flag of an unknown group",
      { flags: [{ label: "component_not_present", group_ids: ["H"] }] },
      ["flags[0].group_ids[0]"],
    ],
    ["a flag with another meaning", { flags: [{ label: "fine" }] }, ["flags[0].label"]],
    [
      "a score without a vector",
      { scores: [{ cvss_v3: { baseScore: 1 }, products: ["OLD"] }] },
      ["scores[0].cvss_v3.vectorString"],
    ],
  ];
  test.each(badVulnerabilities)("a vulnerability with %s", async (_, change, fields) => {
    const { group, token } = await newTenant();
    const answer = await loadCsaf(
      token,
      group,
      csafDocument([csafVulnerability(), csafVulnerability(change)]),
    );
    const at = "documents[0].vulnerabilities[1]";
    expect(refusedFields(answer)).toEqual(fields.map((field) => `${at}.${field}`));
  });
});
