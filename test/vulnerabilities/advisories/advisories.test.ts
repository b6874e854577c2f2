import { describe, expect, test } from "vitest";
import { sql } from "../../world/platform.ts";
import { callApi, newTenant } from "../callers.ts";
import {
  insertAdvisory,
  insertAdvisoryEvent,
  type ListedAdvisory,
  listAdvisories,
} from "./stored_advisories.ts";

const Detection = 1;

describe("a list of advisories", () => {
  test("takes one round trip with a scope and two without, and reads only its page", async () => {
    const { group, token } = await newTenant();
    for (let i = 0; i < 30; i += 1) await insertAdvisory(group, {}, [{ type: Detection }]);
    const scoped = await listAdvisories(token, `uidp.descendants_of=${group}&page_size=3`);
    expect(scoped.roundTrips).toBe(1);
    expect(scoped.rowsRead).toBeLessThan(20);
    expect((await listAdvisories(token, "page_size=3")).roundTrips).toBe(2);
  });

  test.each(["uid", "advisory_id", "artifact_name", "create_time", "update_time"])(
    "is ordered by %s in both directions, page by page, with the events of every row",
    async (field) => {
      const { group, token } = await newTenant();
      const keys = ["b", "c", "a", "e", "d"];
      for (const [i, key] of keys.entries()) {
        const time = key.charCodeAt(0);
        const row = { advisory_id: `N-${key}`, artifact_name: `art-${key}` };
        const times = { create_time: time, update_time: 1000 - time };
        const detail = JSON.stringify({ note: `of ${key}` });
        await insertAdvisory(group, { ...row, ...times }, [{ type: 6, detail, create_time: i }]);
      }
      const pages = async (direction: string) => {
        const all: ListedAdvisory[] = [];
        let pageToken = "";
        do {
          const order = `order_by=${field}%20${direction}&page_token=${pageToken}`;
          const page = await listAdvisories(
            token,
            `page_size=2&uidp.children_of=${group}&${order}`,
          );
          all.push(...page.found);
          pageToken = String(page.body.nextPageToken ?? "");
        } while (pageToken !== "");
        return all;
      };
      const rows = await sql<ListedAdvisory>(
        `select advisory_id as advisoryId from advisories where parent = ? order by ${field}`,
        group,
      );
      const expected = rows.map((row) => row.advisoryId);
      const up = await pages("asc");
      expect(up.map((one) => one.advisoryId)).toEqual(expected);
      expect((await pages("desc")).map((one) => one.advisoryId)).toEqual(expected.toReversed());
      for (const one of up) {
        expect(one.events).toMatchObject([
          { fixNotPlanned: { note: `of ${one.advisoryId.slice(2)}` } },
        ]);
      }
    },
  );
});

describe("an advisory", () => {
  test("is returned completely, with every kind of event, oldest first", async () => {
    const { group, token } = await newTenant();
    const kinds: [number, string, object][] = [
      [1, "detection", { nvdapi: { cpeSearched: "box", cpeFound: "cpe:2.3:a:box:box" } }],
      [1, "detection", { manual: {} }],
      [1, "detection", { scanv1: scan }],
      [2, "truePositiveDetermination", { note: "it is so" }],
      [
        3,
        "fixed",
        {
          fixedVersion: "1.2-r3",
          note: "n",
          scannerVersion: "1",
          grypeDbBuilt: "2024-01-01T00:00:00Z",
          grypeDbChecksum: "sha256:1",
        },
      ],
      [
        4,
        "falsePositiveDetermination",
        { type: "TYPE_INLINE_MITIGATIONS_EXIST", note: "not here" },
      ],
      [5, "analysisNotPlanned", { note: "old" }],
      [6, "fixNotPlanned", { note: "end of life" }],
      [7, "pendingUpstreamFix", { note: "waiting" }],
      [8, "patched", { patchedVersions: ["1.1-r2", "1.1-r3"], note: "by us" }],
    ];
    const uid = await insertAdvisory(group, {
      advisory_id: "ADV-whole",
      legacy_advisory_id: "OLD-7",
      delete_time: 3000,
      aliases: '["CVE-1","GHSA-1"]',
      severities: '[{"type":2,"score":"CVSS:3.1/AV:N"},{"type":3,"score":"9.1"}]',
    });
    const events: object[] = [];
    for (const [i, [type, name, member]] of kinds.entries()) {
      const time = 1_700_000_000_000 + i;
      const at = { create_time: time, update_time: time + 5 };
      const row = {
        type,
        detail: JSON.stringify(member),
        issue: `ISSUE-${i}`,
        findings: btoa("[1]"),
      };
      const event = await insertAdvisoryEvent(uid, { ...at, ...row, review_state: (i % 4) + 1 });
      events.push({
        uid: event,
        createTime: new Date(time).toISOString(),
        findings: btoa("[1]"),
        author: "ann@example.com",
        reviewer: "rex@example.com",
        reviewState: ["PENDING", "APPROVED", "REQUEST_CHANGES", "REJECTED"].map(
          (s) => `REVIEW_STATE_${s}`,
        )[i % 4],
        issue: `ISSUE-${i}`,
        [name]: member,
        updateTime: new Date(time + 5).toISOString(),
      });
    }
    const answer = await callApi(token, `advisories/${uid}`);
    expect(answer.roundTrips).toBe(1);
    expect(answer.body).toEqual({
      uid,
      advisoryId: "ADV-whole",
      createTime: "1970-01-01T00:00:01.000Z",
      updateTime: "1970-01-01T00:00:02.000Z",
      etag: expect.stringMatching(/^"Advisory-/),
      deleteTime: "1970-01-01T00:00:03.000Z",
      author: "ann@example.com",
      artifactName: "py3-box",
      artifactType: "apk",
      artifactArchitecture: "x86_64",
      componentName: "box",
      componentLocation: "./PKGINFO",
      componentType: "python",
      aliases: ["CVE-1", "GHSA-1"],
      events,
      legacyAdvisoryId: "OLD-7",
      severities: [
        { type: "TYPE_CVSS_V3", score: "CVSS:3.1/AV:N" },
        { type: "TYPE_CVSS_V4", score: "9.1" },
      ],
    });
    expect((await listAdvisories(token, "advisory_ids=ADV-whole")).found).toEqual([answer.body]);
  });

  const scan = {
    scanner: "s",
    subpackage: "sp",
    componentId: "id",
    component: "c",
    componentVersion: "1",
    componentType: "python",
    componentLocation: "/usr",
    artifactVersion: "2",
    scannerVersion: "3",
    grypeDbBuilt: "2024-01-01T00:00:00Z",
    grypeDbChecksum: "sha256:0",
  };
});
