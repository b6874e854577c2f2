import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { AdvisoryExportsService } from "../../../schema/gen/platform/vulnerabilities/v2/advisory_exports_pb.js";
import { withoutDecisionId } from "../../contract/decisions.ts";
import { clientOf, costOf, sql } from "../../world/platform.ts";
import { long } from "../../world/tiers.ts";
import { callApi, newTenant, randomHex, roles } from "../callers.ts";
import { box, loadOsv, plain } from "../osv/osv_imports.ts";
import {
  countsOf,
  everyUid,
  imagePurl,
  type Json,
  loadOpenVex,
  onlyOf,
  openVexOf,
  readAdvisory,
  statementOf,
} from "../vex/vex_imports.ts";
import { expectValid } from "./official_schemas.ts";
import { insertAdvisory } from "./stored_advisories.ts";

describe("an advisory is exported", () => {
  const types = {
    json: "application/json",
    osv: "application/vnd.osv+json",
    openvex: "application/vnd.openvex+json",
    csaf: "application/csaf+json",
  };
  const cases: [string, string | undefined, string][] = [
    ["", undefined, types.json],
    ["", "*/*", types.json],
    ["", "application/json", types.json],
    ["?format=json", types.osv, types.json],
    ["?format=osv", undefined, types.osv],
    ["?format=openvex", "application/json", types.openvex],
    ["?format=csaf", undefined, types.csaf],
    ["", types.osv, types.osv],
    ["", types.csaf, types.csaf],
    ["", types.openvex, types.openvex],
    ["", "APPLICATION/VND.OSV+JSON ; charset=utf-8", types.osv],
    ["", `text/html, ${types.openvex};q=0.5, */*;q=0.1`, types.openvex],
    ["", `${types.openvex};q=0.5, ${types.osv};q=0.9`, types.osv],
    ["", `${types.osv};q=0.5, application/json`, types.json],
    ["", `${types.osv};q=0`, types.json],
    ["", "text/html", types.json],
    ["", "x;;q=,,;/", types.json],
  ];
  test.each(cases)("to %j and Accept %j as %s", async (query, accept, type) => {
    const { group, token } = await newTenant();
    await loadOsv(token, group, box);
    const [uid = ""] = await everyUid(token);
    const answer = await readAdvisory(token, uid, query, accept);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe(type);
    expect(answer.headers.get("vary")).toBe("authorization, Accept");
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(costOf(answer).roundTrips).toBe(1);
    const keys = {
      ...{ json: "advisoryId", osv: "modified", openvex: "@context" },
      csaf: "product_tree",
    };
    const format = Object.entries(types).find(([, one]) => one === type)?.[0] as keyof typeof keys;
    expect(answer.body).toHaveProperty([keys[format]]);
  });

  test.each(["xml", "", "OSV", "osv&format=openvex"])(
    "with an error for the unknown format %j",
    async (format) => {
      const { group, token } = await newTenant();
      const uid = await insertAdvisory(group);
      const answer = await readAdvisory(token, uid, `?format=${format}`);
      expect(answer.status).toBe(400);
      expect(JSON.stringify(answer.body.details)).toContain('"field":"format"');
      expect(answer.headers.get("vary")).toBe("Accept");
    },
  );

  test("to callers who can read it in that format, and the others get one error", async () => {
    const mine = await newTenant(roles.advisoriesViewer);
    const theirs = await newTenant();
    const hidden = await insertAdvisory(theirs.group);
    const absent = `${mine.group}/${randomHex(16)}`;
    for (const [uid, status] of [
      [hidden, 403],
      [`${theirs.group}/${randomHex(16)}`, 403],
      [absent, 404],
    ] as const) {
      const asIs = await readAdvisory(mine.token, uid, "");
      expect(asIs.status).toBe(status);
      for (const query of ["?format=osv", "?format=openvex", "?format=csaf"]) {
        const answer = await readAdvisory(mine.token, uid, query);
        expect(answer.status).toBe(asIs.status);
        expect(withoutDecisionId(answer.body)).toBe(withoutDecisionId(asIs.body));
      }
    }
    const anonymous = await readAdvisory("", hidden, "?format=osv");
    expect(anonymous.status).toBe(401);
    expect(anonymous.body).toEqual((await readAdvisory("", hidden, "")).body);
  });

  test("over Connect too, as bytes with their type", async () => {
    const { group, token } = await newTenant();
    await loadOsv(token, group, plain("GO-2024-1"));
    const [uid = ""] = await everyUid(token);
    const client = clientOf(AdvisoryExportsService, token);
    const { contentType, data } = await client.exportAdvisory({ uid, format: "osv" });
    expect(contentType).toBe(types.osv);
    expect(JSON.parse(new TextDecoder().decode(data))).toEqual(plain("GO-2024-1"));
  });
});

describe("an OSV record", () => {
  test("is exported as it was imported, in its newest version", async () => {
    const { group, token } = await newTenant();
    const odd = {
      ...plain("PYSEC-2024-9"),
      details: 'Quotes " and \\ and \u0001 and \u{1f4e6} and </script>',
      database_specific: { numbers: [0, -1.5, 1e21, 12345678901234567000], empty: {}, none: null },
    };
    await loadOsv(token, group, box, odd);
    const newer = { ...box, modified: "2025-01-01T00:00:00Z", summary: "Newer" };
    await loadOsv(token, group, newer);
    const bodies = await Promise.all(
      (await everyUid(token)).map(
        async (uid) => (await readAdvisory(token, uid, "?format=osv")).body,
      ),
    );
    expect(bodies).toEqual(expect.arrayContaining([newer, odd]));
  });

  test("from before records were stored is stored by the next import", async () => {
    const { group, token } = await newTenant();
    await loadOsv(token, group, box);
    await sql("delete from osv_records where uid like ? || '/%'", group);
    await sql("update advisories set source_digest = 'of old' where parent = ?", group);
    await loadOsv(token, group, box);
    const [uid = ""] = await everyUid(token);
    expect((await readAdvisory(token, uid, "?format=osv")).body).toEqual(box);
  });

  test(
    "of the real data is exported as it was imported, and both formats are valid",
    long,
    async (context) => {
      const realData = "../shared/data/osv-pypi.jsonl.gz";
      if (!existsSync(realData)) return context.skip(`${realData} is absent`);
      const { group, token } = await newTenant();
      const lines = gunzipSync(readFileSync(realData)).toString().trim().split("\n");
      const records = lines.map((line) => JSON.parse(line) as Json);
      await loadOsv(token, group, ...records);
      const rows = await sql<{ uid: string; id: string }>(
        "select uid, advisory_id as id from advisories where parent = ?",
        group,
      );
      expect(rows).toHaveLength(records.length);
      const sent = new Map(records.map((one) => [one.id, one]));
      const check = async ({ uid, id }: { uid: string; id: string }) => {
        const osv = (await readAdvisory(token, uid, "?format=osv")).body;
        expect(osv).toEqual(sent.get(id));
        expectValid("osv", osv);
        expectValid("openvex", (await readAdvisory(token, uid, "?format=openvex")).body);
      };
      for (let at = 0; at < rows.length; at += 20) {
        await Promise.all(rows.slice(at, at + 20).map(check));
      }
      // The documents for the same advisories from another source.
      await sql("delete from osv_records where uid like ? || '/%'", group);
      for (const { uid } of rows.slice(0, 60)) {
        expectValid("osv", (await readAdvisory(token, uid, "?format=osv")).body);
      }
    },
  );

  test("as OpenVEX has the fixed versions as fixed and the package without a version as affected", async () => {
    const { group, token } = await newTenant();
    await loadOsv(token, group, box);
    const [uid = ""] = await everyUid(token);
    const { body } = await readAdvisory(token, uid, "?format=openvex");
    expectValid("openvex", body);
    const vulnerabilities = (body.statements as { vulnerability: Json }[]).map(
      ({ vulnerability: { name, aliases } }) => [name, aliases],
    );
    const named = ["CVE-2024-1", ["OSV-2024-1", "GHSA-aaaa-bbbb-cccc"]];
    expect(vulnerabilities).toEqual([named, named]);
    expect(body.statements).toMatchObject([
      {
        status: "affected",
        products: [{ "@id": "pkg:pypi/box", identifiers: { purl: "pkg:pypi/box" } }],
        action_statement: "Update to 1.2 or 2.1 or 3.0.1.",
      },
      {
        status: "fixed",
        products: ["1.2", "2.1", "3.0.1"].map((version) => ({ "@id": `pkg:pypi/box@${version}` })),
      },
    ]);
  });

  test("that was withdrawn says nothing about any product, and leaves no statement in another group", async () => {
    const { group, token } = await newTenant();
    await loadOsv(token, group, { ...box, withdrawn: "2024-06-01T00:00:00Z" });
    const [uid = ""] = await everyUid(token);
    const { body: openVex } = await readAdvisory(token, uid, "?format=openvex");
    expectValid("openvex", openVex);
    expect(onlyOf(openVex)).toEqual({
      vulnerability: expect.objectContaining({ name: "CVE-2024-1" }),
      timestamp: expect.any(String),
      status: "under_investigation",
      status_notes: "The advisory was withdrawn at 2024-06-01T00:00:00.000Z.",
    });
    const { body: csaf } = await readAdvisory(token, uid, "?format=csaf");
    expect(Object.keys(csaf)).toEqual(["document"]);
    expect(csaf.document).toMatchObject({ category: "csaf_base" });
    const { body: osv } = await readAdvisory(token, uid, "?format=osv");
    expect(osv).toMatchObject({ withdrawn: "2024-06-01T00:00:00Z" });
    const other = await newTenant();
    for (const [list, documents] of [
      ["openVexDocuments", [openVex]],
      ["csafDocuments", [csaf]],
    ] as const) {
      const answer = await callApi(other.token, `${list}/${other.group}:import`, { documents });
      expect(answer.body).toMatchObject({ created: 0, skippedCount: 1 });
    }
  });
});

describe("OpenVEX", () => {
  const cpe = { identifiers: { "@cpe23": "cpe:2.3:a:acme:anvil:2.4:*:*:*:*:*:*:*" } };
  const part = { "@id": "pkg:apk/alpine/libssl3@3.0.8-r3" };
  const products = [
    { "@id": "pkg:pypi/box@1.0" },
    { "@id": "pkg:pypi/box" },
    { "@id": imagePurl, subcomponents: [part] },
    cpe,
    { "@id": "https://vendor.example/anvil", hashes: { "sha-256": "ab".repeat(32) } },
  ];
  const sayings: Json[] = [
    { status: "under_investigation" },
    { status: "affected", action_statement: "Update." },
    { status: "fixed", status_notes: "Rebuilt." },
    { status: "not_affected", impact_statement: "No." },
    ...[
      "component_not_present",
      "vulnerable_code_not_present",
      "vulnerable_code_not_in_execute_path",
      "vulnerable_code_cannot_be_controlled_by_adversary",
      "inline_mitigations_already_exist",
    ].map((justification) => ({ status: "not_affected", justification })),
  ];

  test.each(sayings)(
    "%j is exported as it was imported, for every product, and can be imported again",
    async (said) => {
      const { group, token } = await newTenant();
      const vulnerability = {
        name: "CVE-2024-1001",
        description: "A box opens by itself.",
        aliases: ["GHSA-aaaa-bbbb-cccc"],
      };
      const document = openVexOf([statementOf({ ...said, products, vulnerability })]);
      expectValid("openvex", document);
      await loadOpenVex(token, group, document);
      const uids = await everyUid(token);
      const bodies = await Promise.all(
        uids.map(async (uid) => (await readAdvisory(token, uid, "?format=openvex")).body),
      );
      for (const body of bodies) {
        expectValid("openvex", body);
        expect(body).toMatchObject({ author: "vex@vendor.example" });
        const { products: _, ...rest } = onlyOf(body);
        expect(rest).toEqual({ ...said, vulnerability, timestamp: "2024-05-01T10:00:00.000Z" });
      }
      const identified = bodies.map((body) => (onlyOf(body).products as Json[])[0]);
      expect(identified).toEqual(
        expect.arrayContaining(
          products
            .map((product) => expect.objectContaining(product))
            .map((matcher, i) =>
              i === 2 ? expect.objectContaining({ "@id": imagePurl }) : matcher,
            ),
        ),
      );
      const again = await loadOpenVex(token, group, ...bodies);
      expect(countsOf(again)).toEqual([0, 0, products.length]);
      for (const uid of uids)
        expectValid("osv", (await readAdvisory(token, uid, "?format=osv")).body);
    },
  );

  test("with a justification and a text has both, in the form of the schema", async () => {
    const { group, token } = await newTenant();
    const said = {
      status: "not_affected",
      justification: "component_not_present",
      impact_statement: "It was left out.",
    };
    await loadOpenVex(token, group, openVexOf([statementOf(said)]));
    const [uid = ""] = await everyUid(token);
    const { body } = await readAdvisory(token, uid, "?format=openvex");
    expectValid("openvex", body);
    expect(onlyOf(body)).toMatchObject({
      justification: "component_not_present",
      status_notes: "It was left out.",
    });
  });

  test("contains the current status, with a growing version", async () => {
    const { group, token } = await newTenant();
    await loadOpenVex(token, group, openVexOf([statementOf()]));
    const [uid = ""] = await everyUid(token);
    await sql("update advisories set update_time = update_time - 5000 where uid = ?", uid);
    const before = (await readAdvisory(token, uid, "?format=openvex")).body;
    const fixed = statementOf({ status: "fixed", timestamp: "2024-06-01T00:00:00Z" });
    await loadOpenVex(token, group, openVexOf([fixed]));
    const after = (await readAdvisory(token, uid, "?format=openvex")).body;
    expect(onlyOf(before)).toMatchObject({ status: "under_investigation" });
    expect(onlyOf(after)).toMatchObject({ status: "fixed", timestamp: "2024-06-01T00:00:00.000Z" });
    expect(after["@id"]).toBe(before["@id"]);
    expect(Number(after.version)).toBeGreaterThan(Number(before.version));
  });
});

describe("as OSV, an advisory from statements", () => {
  const osvOf = async (said: Json) => {
    const { group, token } = await newTenant();
    await loadOpenVex(token, group, openVexOf([statementOf(said)]));
    const [uid = ""] = await everyUid(token);
    const { body } = await readAdvisory(token, uid, "?format=osv");
    expectValid("osv", body);
    return body;
  };

  test("names the package in its ecosystem, and the version", async () => {
    const affected = { status: "affected", action_statement: "Update." };
    expect(await osvOf(affected)).toMatchObject({
      id: expect.stringMatching(/^CVE-2024-1001-box-/),
      aliases: ["CVE-2024-1001"],
      published: "2024-05-01T10:00:00.000Z",
      affected: [
        {
          package: { ecosystem: "PyPI", name: "box", purl: "pkg:pypi/box" },
          versions: ["1.0"],
        },
      ],
    });
  });

  test("that is fixed affects older versions", async () => {
    const { affected } = await osvOf({ status: "fixed" });
    expect(affected[0]).toMatchObject({
      ranges: [{ type: "ECOSYSTEM", events: [{ introduced: "0" }, { fixed: "1.0" }] }],
    });
    expect(affected[0]).not.toHaveProperty("versions");
  });

  test("that does not apply is withdrawn", async () => {
    const said = { status: "not_affected", justification: "component_not_present" };
    expect(await osvOf(said)).toMatchObject({ withdrawn: "2024-05-01T10:00:00.000Z" });
  });

  test("with an id that OSV does not know gets a valid id, and an image is not a package", async () => {
    const record = await osvOf({
      vulnerability: { name: "ACME-7" },
      products: [{ "@id": imagePurl }],
    });
    expect(record.id).toMatch(/^OSV-ACME-7-webshop-/);
    expect(record.affected[0]).not.toHaveProperty("package");
    expect(record.affected[0]).toMatchObject({ database_specific: { artifact_type: "image" } });
  });
});
