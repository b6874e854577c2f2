import { describe, expect, test } from "vitest";
import { sql } from "../../world/platform.ts";
import { long } from "../../world/tiers.ts";
import { callApi, newTenant } from "../callers.ts";
import { listAdvisories, loadOsv, outbox, plain } from "../osv/osv_imports.ts";
import {
  countsOf,
  imagePurl,
  loadOpenVex,
  openVexOf,
  refusedFields,
  statementOf,
} from "./vex_imports.ts";

const affected = (text: string, change = {}) =>
  statementOf({ status: "affected", action_statement: text, ...change });

describe("a statement becomes an event of the advisory on its product", () => {
  const cases: [object, object][] = [
    [{ status: "under_investigation" }, { detection: { manual: {} } }],
    [
      { status: "affected", action_statement: "Update." },
      { truePositiveDetermination: { note: "Update." } },
    ],
    [
      { status: "fixed", status_notes: "Rebuilt." },
      { fixed: { fixedVersion: "1.0", note: "Rebuilt." } },
    ],
    [
      { status: "not_affected", impact_statement: "No." },
      { falsePositiveDetermination: { note: "No." } },
    ],
    ...[
      ["component_not_present", "TYPE_COMPONENT_VULNERABILITY_MISMATCH"],
      ["vulnerable_code_not_present", "TYPE_VULNERABLE_CODE_NOT_INCLUDED_IN_PACKAGE"],
      ["vulnerable_code_not_in_execute_path", "TYPE_VULNERABLE_CODE_NOT_IN_EXECUTION_PATH"],
      [
        "vulnerable_code_cannot_be_controlled_by_adversary",
        "TYPE_VULNERABLE_CODE_CANNOT_BE_CONTROLLED_BY_ADVERSARY",
      ],
      ["inline_mitigations_already_exist", "TYPE_INLINE_MITIGATIONS_EXIST"],
    ].map(([justification, type]): [object, object] => [
      { status: "not_affected", justification },
      { falsePositiveDetermination: { type } },
    ]),
  ];
  test.each(cases)("%j", async (said, event) => {
    const { group, token } = await newTenant();
    expect(
      countsOf(await loadOpenVex(token, group, openVexOf([statementOf({ ...said })]))),
    ).toEqual([1, 0, 0]);
    const { all } = await listAdvisories(token);
    expect(all).toMatchObject([
      {
        artifactName: "box",
        artifactType: "library",
        componentName: "box",
        componentType: "python",
        componentLocation: "pkg:pypi/box@1.0",
        aliases: ["CVE-2024-1001"],
        author: "vex@vendor.example",
      },
    ]);
    const [{ events, advisoryId } = { events: [], advisoryId: "" }] = all;
    expect(advisoryId).toMatch(/^CVE-2024-1001-box-[0-9a-z]{12}$/);
    expect(events).toMatchObject([
      {
        ...event,
        createTime: "2024-05-01T10:00:00.000Z",
        author: "vex@vendor.example",
        reviewState: "REVIEW_STATE_APPROVED",
      },
    ]);
  });

  test("of the image, and of each named part of it", async () => {
    const { group, token } = await newTenant();
    const subcomponents = [
      { "@id": "pkg:apk/alpine/libssl3@3.0.8-r3?arch=x86_64" },
      { identifiers: { cpe23: "cpe:2.3:a:acme:anvil:2.4:*:*:*:*:*:*:*" } },
    ];
    const one = statementOf({ products: [{ "@id": imagePurl, subcomponents }], status: "fixed" });
    expect(countsOf(await loadOpenVex(token, group, openVexOf([one])))).toEqual([2, 0, 0]);
    const { all } = await listAdvisories(token);
    const digest = "sha256:124c7d2707904eea7431fffe91522a01e5a861a624ee31d03372cc1d138a3126";
    const shared = {
      artifactName: "webshop",
      artifactType: "image",
      artifactArchitecture: "amd64",
    };
    expect(
      all.toSorted((a, b) => (String(a.componentName) < String(b.componentName) ? -1 : 1)),
    ).toMatchObject([
      { ...shared, componentName: "anvil", componentType: "generic" },
      { ...shared, componentName: "libssl3", componentType: "apk" },
    ]);
    for (const { events } of all)
      expect(events).toMatchObject([{ fixed: { fixedVersion: digest } }]);
  });

  test("for every identifier of a product", async () => {
    const { group, token } = await newTenant();
    const products = [
      { "@id": "https://vendor.example/products/anvil" },
      { identifiers: { "@cpe22": "cpe:/a:acme:rocket:7" } },
      { hashes: { "sha-256": "ab".repeat(32) } },
      { "@id": "urn:x:1", identifiers: { purl: "pkg:npm/%40acme/skates@3.1" } },
    ];
    const answer = await loadOpenVex(token, group, openVexOf([statementOf({ products })]));
    expect(countsOf(answer)).toEqual([4, 0, 0]);
    const { all } = await listAdvisories(token);
    const names = all.map(({ artifactName }) => artifactName).sort();
    expect(names).toEqual(["@acme/skates", "anvil", "rocket", `sha-256:${"ab".repeat(32)}`]);
  });

  test("with the metadata of its vulnerability and the document of its package", async () => {
    const { group, token } = await newTenant();
    const vulnerability = {
      "@id": "https://nvd.nist.gov/vuln/detail/CVE-2024-1001",
      name: "GHSA-aaaa-bbbb-cccc",
      description: "A box opens by itself.",
      aliases: ["CVE-2024-1001"],
    };
    await loadOpenVex(token, group, openVexOf([statementOf({ vulnerability })]));
    const metadata = await sql("select * from vulnerability_metadata where parent = ?", group);
    expect(metadata).toMatchObject([
      { vulnerability_id: "CVE-2024-1001", details: "A box opens by itself." },
    ]);
    expect(String(metadata[0]?.refs)).toContain("https://nvd.nist.gov");
    const documents = await sql("select origin from advisory_documents where parent = ?", group);
    expect(documents).toEqual([{ origin: "box" }]);
    expect((await listAdvisories(token)).all).toMatchObject([
      { aliases: ["GHSA-aaaa-bbbb-cccc", "CVE-2024-1001"] },
    ]);
  });
});

describe("an import of OpenVEX documents", () => {
  test("a repeated import changes nothing and writes no event, in one round trip", async () => {
    const { group, token } = await newTenant();
    const document = openVexOf([
      affected("Update."),
      statementOf({ products: [{ "@id": imagePurl }] }),
    ]);
    await loadOpenVex(token, group, document);
    const before = await listAdvisories(token);
    const again = await loadOpenVex(token, group, document);
    expect(countsOf(again)).toEqual([0, 0, 2]);
    expect(again.roundTrips).toBe(1);
    expect(await listAdvisories(token)).toEqual(before);
    expect(await outbox(group)).toHaveLength(1);
  });

  test("adds newer statements, and ignores repeated ones", async () => {
    const { group, token } = await newTenant();
    const other = statementOf({ vulnerability: { name: "CVE-2024-1002" } });
    await loadOpenVex(token, group, openVexOf([statementOf(), other]));
    const before = (await listAdvisories(token)).all;
    const newer = openVexOf([affected("Update."), other], {
      version: 2,
      last_updated: "2024-06-01T12:00:00+02:00",
    });
    expect(countsOf(await loadOpenVex(token, group, newer))).toEqual([0, 1, 1]);
    const after = (await listAdvisories(token)).all;
    expect(after[1]).toEqual(before[1]);
    expect(after[0]?.events).toMatchObject([
      before[0]?.events[0],
      { truePositiveDetermination: {}, createTime: "2024-06-01T10:00:00.000Z" },
    ]);
    expect(after[0]?.events).toHaveLength(2);
  });

  test("of an older version that arrives later undoes nothing", async () => {
    const { group, token } = await newTenant();
    const older = openVexOf([statementOf()]);
    const newer = openVexOf([statementOf({ status: "fixed", timestamp: "2024-07-01T00:00:00Z" })]);
    await loadOpenVex(token, group, newer);
    await loadOpenVex(token, group, older);
    const query = "latest_event_type=EVENT_TYPE_FILTER_FIXED";
    const { all } = await listAdvisories(token, query);
    expect(all).toHaveLength(1);
    expect(all[0]?.events).toMatchObject([{ detection: {} }, { fixed: {} }]);
    for (const one of [newer, older]) {
      expect(countsOf(await loadOpenVex(token, group, one))).toEqual([0, 0, 1]);
    }
  });

  test("applies the later of two statements of one time, in any order of arrival", async () => {
    for (const order of [0, 1]) {
      const { group, token } = await newTenant();
      const both = [affected("Update."), statementOf({ status: "fixed" })];
      const said = order === 0 ? both : both.toReversed();
      const document = openVexOf(said);
      expect(countsOf(await loadOpenVex(token, group, document))).toEqual([1, 0, 0]);
      const [{ events } = { events: [] }] = (await listAdvisories(token)).all;
      expect(events).toMatchObject(
        said.map(({ status }) =>
          status === "fixed" ? { fixed: {} } : { truePositiveDetermination: {} },
        ),
      );
      expect(countsOf(await loadOpenVex(token, group, document))).toEqual([0, 0, 1]);
    }
  });

  test("keeps versions and parts of a product apart, and vulnerabilities too", async () => {
    const { group, token } = await newTenant();
    const products = ["pkg:pypi/box@1.0", "pkg:pypi/box@1.1", "pkg:pypi/box"];
    const statements = ["CVE-2024-1", "CVE-2024-2"].map((name) =>
      statementOf({ vulnerability: { name }, products: products.map((id) => ({ "@id": id })) }),
    );
    expect(countsOf(await loadOpenVex(token, group, openVexOf(statements)))).toEqual([6, 0, 0]);
  });

  test("an import writes one event with its counts for the group", async () => {
    const { group, token } = await newTenant();
    await loadOpenVex(token, group, openVexOf([statementOf()]));
    const [event, ...more] = await outbox(group);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: "dev.vendor.api.vulnerabilities.openvex_documents.imported.v1",
      subject: group,
      audience: "customer",
    });
    expect(JSON.parse(event?.data ?? "").body).toEqual({
      created: 1,
      updated: 0,
      unchanged: 0,
      skippedCount: 0,
    });
  });

  test("that runs several times at once writes and counts each event once", long, async () => {
    const { group, token } = await newTenant();
    // Many statements take a while between the read and the write, so that the calls do overlap.
    const names = Array.from({ length: 2000 }, (_, i) => `CVE-2024-${2000 + i}`);
    const of = (change: object) =>
      openVexOf(names.map((name) => statementOf({ vulnerability: { name }, ...change })));
    for (const document of [of({}), of({ status: "fixed", timestamp: "2024-08-01T00:00:00Z" })]) {
      const answers = await Promise.all(
        [1, 2, 3, 4, 5, 6].map(() => loadOpenVex(token, group, document)),
      );
      const written = answers.map(({ body }) => Number(body.created) + Number(body.updated));
      expect(written.sort((a, b) => a - b)).toEqual([0, 0, 0, 0, 0, 2000]);
    }
    const events = await sql(
      "select count(*) as n from advisory_events where advisory_uid like ? || '/%'",
      group,
    );
    expect(events).toEqual([{ n: 4000 }]);
    expect(await outbox(group)).toHaveLength(2);
  });

  test("of 2,000 statements is written completely, and one more is rejected completely", async () => {
    const { group, token } = await newTenant();
    const products = Array.from({ length: 2001 }, (_, i) => ({ "@id": `pkg:npm/a@${i}` }));
    const most = openVexOf([statementOf({ products: products.slice(1) })]);
    expect(
      refusedFields(await loadOpenVex(token, group, most, openVexOf([statementOf()]))),
    ).toEqual(["documents[1]"]);
    expect((await listAdvisories(token)).totalCount).toBe("0");
    const answer = await loadOpenVex(token, group, most);
    expect(countsOf(answer)).toEqual([2000, 0, 0]);
    expect(answer.roundTrips).toBe(2);
    expect((await listAdvisories(token)).totalCount).toBe("2000");
  });

  test("that would add more than 200 events to an advisory is rejected", async () => {
    const { group, token } = await newTenant();
    const many = Array.from({ length: 201 }, (_, i) =>
      affected(`Wait ${i}.`, { timestamp: new Date(1.7e12 + i * 1000).toISOString() }),
    );
    const answer = await loadOpenVex(token, group, openVexOf(many));
    expect(answer).toMatchObject({ status: 400, body: { code: 9 } });
    expect(countsOf(await loadOpenVex(token, group, openVexOf(many.slice(1))))).toEqual([1, 0, 0]);
    const one = await loadOpenVex(token, group, openVexOf([statementOf({ status: "fixed" })]));
    expect(one.body.code).toBe(9);
  });

  test("adds nothing to an advisory of another source with the same id", async () => {
    const { group, token } = await newTenant();
    await loadOpenVex(token, group, openVexOf([statementOf()]));
    const id = String((await listAdvisories(token)).all[0]?.advisoryId);
    const other = await newTenant();
    await loadOsv(other.token, other.group, plain(id));
    const answer = await loadOpenVex(other.token, other.group, openVexOf([statementOf()]));
    expect(answer).toMatchObject({ status: 400, body: { code: 9 } });
  });
});

test("a document that cannot be read is left out and named, and the others are imported", async () => {
  const { group, token } = await newTenant();
  const bad = openVexOf([{ ...statementOf(), products: [] }], { "@id": "urn:bad" });
  const documents = [bad, openVexOf([statementOf()]), { "@id": 7 }];
  const { status, body } = await callApi(token, `openVexDocuments/${group}:import`, { documents });
  expect([status, ...countsOf({ body })]).toEqual([200, 1, 0, 0]);
  expect(body.skippedCount).toBe(2);
  const reason =
    "statements[0].products is required, as nothing else says what the document is about";
  expect(body.skipped).toMatchObject([
    { position: 0, id: "urn:bad", reason },
    { position: 2, reason: expect.stringMatching(/^@context is required, and \d more$/) },
  ]);
  const [event] = await outbox(group);
  expect(JSON.parse(event?.data ?? "").body).toEqual({
    ...{ created: 1, updated: 0, unchanged: 0, skippedCount: 2 },
  });
});

describe("a document is rejected, with the position, for", () => {
  const bad: [string, object, string[]][] = [
    ["another context", { "@context": "https://openvex.dev/ns/v0.3.0" }, ["@context"]],
    ["no id", { "@id": undefined }, ["@id"]],
    ["an id with a line feed", { "@id": "vex\n1" }, ["@id"]],
    ["no author", { author: "" }, ["author"]],
    ["no time", { timestamp: undefined }, ["timestamp"]],
    ["a time that does not exist", { timestamp: "2024-02-30T00:00:00Z" }, ["timestamp"]],
    ["a version in letters", { version: "one" }, ["version"]],
    ["the version 0", { version: 0 }, ["version"]],
    ["no statement", { statements: [] }, ["statements"]],
  ];
  test.each(bad)("%s", async (_, change, fields) => {
    const { group, token } = await newTenant();
    const answer = await loadOpenVex(
      token,
      group,
      openVexOf([statementOf()]),
      openVexOf([statementOf()], change as never),
    );
    expect(refusedFields(answer)).toEqual(fields.map((field) => `documents[1].${field}`));
    expect((await listAdvisories(token)).totalCount).toBe("0");
  });

  const product = { "@id": "pkg:pypi/box@1.0" };
  const badStatements: [string, object, string[]][] = [
    ["no vulnerability", { vulnerability: undefined }, ["vulnerability.name"]],
    ["a number for a vulnerability", { vulnerability: 1 }, ["vulnerability", "vulnerability.name"]],
    ["no product", { products: [] }, ["products"]],
    ["a product that is not identified", { products: [product, {}] }, ["products[1]"]],
    [
      "an invalid purl",
      { products: [{ identifiers: { purl: "pkg:maven/@1" } }] },
      ["products[0].identifiers.purl"],
    ],
    [
      "a purl that is too long once it is percent-encoded",
      { products: [{ identifiers: { purl: `pkg:pypi/box?x=${"ä".repeat(200)}` } }] },
      ["products[0].identifiers.purl"],
    ],
    [
      "an @id that is too long as a purl",
      { products: [{ "@id": `pkg:pypi/box?x=${"!".repeat(1000)}` }] },
      ["products[0].@id"],
    ],
    ["an @id that is not a purl", { products: [{ "@id": "pkg:x" }] }, ["products[0].@id"]],
    [
      "a hash of another length",
      { products: [{ hashes: { "sha-256": "abc" } }] },
      ["products[0].hashes.sha-256"],
    ],
    [
      "a part that is not identified",
      { products: [{ ...product, subcomponents: [{}] }] },
      ["products[0].subcomponents[0]"],
    ],
    ["no status", { status: undefined }, ["status"]],
    ["another status", { status: "safe" }, ["status"]],
    ["not_affected without a reason", { status: "not_affected" }, ["justification"]],
    [
      "another justification",
      { status: "not_affected", justification: "trust_me" },
      ["justification"],
    ],
    ["affected without an action", { status: "affected" }, ["action_statement"]],
    ["a time in words", { timestamp: "yesterday" }, ["timestamp"]],
  ];
  test.each(badStatements)("a statement with %s", async (_, change, fields) => {
    const { group, token } = await newTenant();
    const answer = await loadOpenVex(
      token,
      group,
      openVexOf([statementOf(), statementOf(change as never)]),
    );
    expect(refusedFields(answer)).toEqual(
      fields.map((field) => `documents[0].statements[1].${field}`),
    );
  });

  test("a call without documents, or with 101", async () => {
    const { group, token } = await newTenant();
    expect(refusedFields(await loadOpenVex(token, group))).toEqual(["documents"]);
    const many = Array.from({ length: 101 }, () => openVexOf([statementOf()]));
    expect(refusedFields(await loadOpenVex(token, group, ...many))).toEqual(["documents"]);
  });
});
