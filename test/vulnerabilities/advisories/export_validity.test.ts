/** Every advisory is exported as a document that is valid under the official schemas. */
import { describe, expect, test } from "vitest";
import { long } from "../../world/tiers.ts";
import { newTenant, randomHex } from "../callers.ts";
import { csafDocument, csafVulnerability } from "../vex/csaf_imports.ts";
import { everyUid, loadCsaf, onlyOf, readAdvisory } from "../vex/vex_imports.ts";
import { expectValid } from "./official_schemas.ts";
import { insertAdvisory, type RowColumns } from "./stored_advisories.ts";

describe("both formats are valid for", () => {
  const events: [number, object][] = [
    [1, { nvdapi: { cpeSearched: "box", cpeFound: "cpe:2.3:a:box:box" } }],
    [2, { note: "" }],
    [3, { fixedVersion: "1.2-r3", note: "n" }],
    [3, {}],
    [4, { type: "TYPE_VULNERABLE_CODE_VERSION_NOT_USED", note: "not here" }],
    [4, {}],
    [5, { note: "old" }],
    [6, { note: "end of life" }],
    [7, { note: "waiting" }],
    [8, { patchedVersions: ["1.1-r2", "1.1-r3"], note: "by us" }],
  ];
  const rows: RowColumns[] = [
    {},
    {
      aliases: '["CVE-2024-1","GHSA-aaaa-bbbb-cccc","CVE-2024-1"]',
      advisory_id: "CGA-aaaa-bbbb-cccc",
    },
    { artifact_type: "image", artifact_name: "team/web shop ü", component_name: "[odd] name" },
    {
      artifact_type: "library",
      component_type: "go-module",
      artifact_name: "example.com/a/b/v2",
      component_name: "example.com/a/b/v2",
    },
    {
      artifact_type: "library",
      component_type: "java",
      artifact_name: "org.acme:hammer",
      component_name: "org.acme:hammer",
    },
    {
      artifact_type: "library",
      component_type: "debian:12",
      artifact_name: "x",
      component_name: "x",
    },
    {
      artifact_type: "library",
      component_type: "swift",
      artifact_name: "noslash",
      component_name: "noslash",
    },
    { artifact_type: "", component_type: "", component_name: "", author: "", artifact_name: "?#%" },
    { delete_time: 3000, legacy_advisory_id: "OLD-1" },
    {
      severities: JSON.stringify([
        { type: 1, score: "AV:N/AC:L/Au:N/C:N/I:N/A:C" },
        { type: 2, score: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H" },
        { type: 2, score: "9.8" },
        { type: 3, score: "CVSS:4.0/AV:N" },
        {
          type: 3,
          score: "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N/E:A",
        },
      ]),
    },
  ];
  test("advisories of every kind with events of every kind", long, async () => {
    const { group, token } = await newTenant();
    for (const row of rows) {
      for (const [type, detail] of [undefined, ...events].map((one) => one ?? [])) {
        const list = type === undefined ? [] : [{ type, detail: JSON.stringify(detail) }];
        const uid = await insertAdvisory(
          group,
          row.advisory_id ? { ...row, advisory_id: `CGA-${randomHex(12)}` } : row,
          list,
        );
        expectValid("openvex", (await readAdvisory(token, uid, "?format=openvex")).body);
        expectValid("osv", (await readAdvisory(token, uid, "?format=osv")).body);
      }
    }
  });

  test("CSAF's products, with the published data of the vulnerability", async () => {
    const { group, token } = await newTenant();
    const one = csafVulnerability({
      title: "Anvils fall",
      notes: [{ category: "description", text: "Anvils fall down." }],
      product_status: {
        under_investigation: ["OS:OLD:LIB", "OS"],
        fixed: ["NEW"],
        known_affected: ["LIB"],
      },
      remediations: [{ category: "no_fix_planned", details: "Old.", product_ids: ["LIB"] }],
    });
    await loadCsaf(token, group, csafDocument([one]));
    const uids = await everyUid(token);
    expect(uids).toHaveLength(4);
    for (const uid of uids) {
      const vex = (await readAdvisory(token, uid, "?format=openvex")).body;
      expectValid("openvex", vex);
      expect(onlyOf(vex).vulnerability).toMatchObject({ description: "Anvils fall down." });
      const osv = (await readAdvisory(token, uid, "?format=osv")).body;
      expectValid("osv", osv);
      expect(osv).toMatchObject({
        summary: "Anvils fall",
        references: [{ type: "ADVISORY", url: "https://psirt.acme.example/1" }],
      });
    }
  });
});
