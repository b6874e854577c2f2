import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hex, Platform, roles } from "./platform.ts";

let platform: Platform;
beforeAll(async () => {
  platform = await Platform.start();
});
afterAll(() => platform?.close());

type Columns = Record<string, string | number | null>;
type Event = Columns & { type: number };

const Detection = 1;
const TruePositive = 2;
const Fixed = 3;
const AnalysisNotPlanned = 5;
const FixNotPlanned = 6;
const Approved = 2;
const RequestChanges = 3;
const Rejected = 4;

/** Inserts an advisory with events; columns not given are those of one and the same advisory. */
async function insertAdvisory(group: string, given: Columns = {}, events: Event[] = []) {
  const uid = `${group}/${hex(16)}`;
  const row: Columns = {
    uid,
    advisory_id: `ADV-${hex(8)}`,
    legacy_advisory_id: null,
    delete_time: null,
    author: "ann@example.com",
    artifact_name: "py3-box",
    artifact_type: "apk",
    artifact_architecture: "x86_64",
    component_name: "box",
    component_location: "./PKGINFO",
    component_type: "python",
    origin: "py-box",
    aliases: "[]",
    severities: "[]",
    create_time: 1000,
    update_time: 2000,
    ...given,
  };
  await platform.insert("advisories", row);
  for (const event of events) await insertEvent(uid, event);
  return uid;
}

async function insertEvent(advisory: string, event: Event): Promise<string> {
  const uid = `${advisory}/${hex(16)}`;
  const row: Columns = {
    uid,
    advisory_uid: advisory,
    author: "ann@example.com",
    reviewer: "rex@example.com",
    review_state: Approved,
    detail: "{}",
    create_time: 1000,
    update_time: 1000,
    ...event,
  };
  await platform.insert("advisory_events", row);
  return uid;
}

interface Listed {
  uid: string;
  advisoryId: string;
  artifactName: string;
  events: { note?: string }[];
}

async function list(token: string, query: string) {
  const answer = await platform.call(token, `advisories?${query}`);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  const found = (answer.body.advisories ?? []) as Listed[];
  return { ...answer, found, ids: found.map((one) => one.advisoryId).sort() };
}

describe("each filter alone leaves out exactly what it does not match, and all together do", () => {
  const matching = {
    legacy_advisory_id: "OLD-1",
    aliases: '["CVE-2024-1","GHSA-Needle"]',
  };
  const life: Event[] = [
    { type: Detection, create_time: 1 },
    { type: Fixed, create_time: 2 },
    { type: AnalysisNotPlanned, create_time: 3, review_state: Rejected },
  ];
  const each = (change: Columns) => life.map((event): Event => ({ ...event, ...change }));

  /** A filter, and an advisory that is the matching one in all but what the filter asks for. */
  const cases: { filter: string; query: string; decoy: Columns; events?: Event[] }[] = [
    {
      filter: "advisory_ids",
      query: "advisory_ids=ADV-advisory_ids-is-another",
      decoy: {},
    },
    {
      filter: "legacy_advisory_ids",
      query: "legacy_advisory_ids=OLD-0&legacy_advisory_ids=OLD-1",
      decoy: { legacy_advisory_id: "OLD-2" },
    },
    {
      filter: "artifact_names",
      query: "artifact_names=py3&artifact_names=py3-box",
      decoy: { artifact_name: "py3-box-doc" },
    },
    {
      filter: "artifact_types",
      query: "artifact_types=image&artifact_types=apk",
      decoy: { artifact_type: "library" },
    },
    {
      filter: "artifact_architectures",
      query: "artifact_architectures=x86_64",
      decoy: { artifact_architecture: "aarch64" },
    },
    {
      filter: "component_names",
      query: "component_names=box",
      decoy: { component_name: "boxes" },
    },
    {
      filter: "component_types",
      query: "component_types=python",
      decoy: { component_type: "go-module" },
    },
    {
      filter: "component_locations",
      query: "component_locations=./PKGINFO",
      decoy: { component_location: "./pkginfo" },
    },
    {
      filter: "aliases",
      query: "aliases=CVE-2024-1&aliases=CVE-0",
      decoy: { aliases: '["CVE-2024-11","GHSA-Needle"]' },
    },
    { filter: "origin", query: "origin=py-box", decoy: { origin: "py-box-2" } },
    {
      filter: "event_review_states",
      query: "event_review_states=REVIEW_STATE_REJECTED&event_review_states=REVIEW_STATE_PENDING",
      decoy: {},
      events: life.map((event) =>
        event.review_state ? { ...event, review_state: RequestChanges } : event,
      ),
    },
    {
      filter: "event_authors",
      query: "event_authors=ann@example.com",
      decoy: {},
      events: each({ author: "bob@example.com" }),
    },
    {
      filter: "exclude_event_authors",
      query: "exclude_event_authors=mallory@example.com&exclude_event_authors=eve@example.com",
      decoy: {},
      events: [...life, { type: Detection, create_time: 0, author: "mallory@example.com" }],
    },
    {
      filter: "event_reviewers",
      query: "event_reviewers=rex@example.com",
      decoy: {},
      events: each({ reviewer: "zoe@example.com" }),
    },
    {
      filter: "event_types",
      query:
        "event_types=EVENT_TYPE_FILTER_ANALYSIS_NOT_PLANNED&event_types=EVENT_TYPE_FILTER_PATCHED",
      decoy: {},
      events: life.map((event) =>
        event.type === AnalysisNotPlanned ? { ...event, type: FixNotPlanned } : event,
      ),
    },
    {
      filter: "latest_event_type",
      query: "latest_event_type=EVENT_TYPE_FILTER_FIXED",
      decoy: {},
      events: [...life, { type: TruePositive, create_time: 4 }],
    },
    {
      filter: "query",
      query: "query=a-nEEdle",
      decoy: { aliases: '["CVE-2024-1","GHSA-Thread"]' },
    },
  ];
  const idOf = (filter: string) => `ADV-${filter}-is-another`;
  const everyId = ["ADV-match", ...cases.map(({ filter }) => idOf(filter))].sort();
  const queryOf = ({ filter, query }: { filter: string; query: string }) =>
    filter === "advisory_ids"
      ? everyId
          .filter((id) => id !== idOf(filter))
          .map((id) => `advisory_ids=${id}`)
          .join("&")
      : query;

  let group = "";
  let token = "";
  beforeAll(async () => {
    ({ group, token } = await platform.organization());
    await insertAdvisory(group, { ...matching, advisory_id: "ADV-match" }, life);
    for (const { filter, decoy, events } of cases) {
      const row = { ...matching, ...decoy, advisory_id: idOf(filter) };
      await insertAdvisory(group, row, events ?? life);
    }
  });

  test.each(cases)("$filter", async (one) => {
    const { ids, body } = await list(token, queryOf(one));
    const left = everyId.filter((id) => id !== idOf(one.filter));
    expect(ids).toEqual(left);
    expect(body.totalCount).toBe(String(left.length));
  });

  test.each(["", `uidp.descendants_of=`, `uidp.children_of=`])(
    "all together, %s",
    async (scope) => {
      const within = scope === "" ? "" : `&${scope}${group}`;
      const but = (filter: string) => cases.filter((one) => one.filter !== filter);
      const byName = await list(token, but("origin").map(queryOf).join("&") + within);
      expect(byName.ids).toEqual(["ADV-match", idOf("origin")].sort());
      const byOrigin = await list(token, but("artifact_names").map(queryOf).join("&") + within);
      expect(byOrigin.ids).toEqual(["ADV-match", idOf("artifact_names")].sort());
    },
  );

  test("origin takes the place of artifact_names", async () => {
    const { ids } = await list(token, "origin=py-box&artifact_names=nothing");
    expect(ids).toEqual(everyId.filter((id) => id !== idOf("origin")));
  });

  test.each(["BOX-D", "BOXES", "-THREAD"])(
    "query %s is found in whatever case and column",
    async (text) => {
      expect((await list(token, `query=${text}`)).ids).toHaveLength(1);
    },
  );

  test("query is no pattern, and may be longer than 50 bytes", async () => {
    expect((await list(token, "query=%25")).ids).toEqual([]);
    expect((await list(token, "query=p_3")).ids).toEqual([]);
    const long = "a".repeat(100);
    await insertAdvisory(group, {
      component_name: `x${long}x`,
      advisory_id: "ADV-long",
      origin: "o",
    });
    expect((await list(token, `query=${long.toUpperCase()}`)).ids).toEqual(["ADV-long"]);
    await platform.sql("delete from advisories where advisory_id = ?", "ADV-long");
  });

  test("a filter takes a thousand values", async () => {
    const ids = Array.from({ length: 999 }, (_, i) => `advisory_ids=N-${i}`).join("&");
    expect((await list(token, `${ids}&advisory_ids=ADV-match`)).ids).toEqual(["ADV-match"]);
  });

  test.each([
    ["event_review_states", "REVIEW_STATE_UNSPECIFIED"],
    ["event_types", "EVENT_TYPE_FILTER_UNSPECIFIED"],
    ["event_types", "EVENT_TYPE_FILTER_FIXES"],
    ["latest_event_type", "FIXED"],
    ["artifact_names", ""],
    ["query", "q".repeat(256)],
    ["order_by", "author"],
  ])("%s=%s is refused by name", async (field, value) => {
    const answer = await platform.call(token, `advisories?${field}=${value}`);
    expect(answer.status).toBe(400);
    expect(answer.body.code).toBe(3);
    expect(JSON.stringify(answer.body.details)).toContain(`"field":"${field}`);
  });
});

describe("a list", () => {
  test("is read in one round trip with a scope and in two without, and costs its page", async () => {
    const { group, token } = await platform.organization();
    for (let i = 0; i < 30; i += 1) await insertAdvisory(group, {}, [{ type: Detection }]);
    const scoped = await list(token, `uidp.descendants_of=${group}&page_size=3`);
    expect(scoped.roundTrips).toBe(1);
    expect(scoped.rowsRead).toBeLessThan(20);
    expect((await list(token, "page_size=3")).roundTrips).toBe(2);
  });

  test.each(["uid", "advisory_id", "artifact_name", "create_time", "update_time"])(
    "is ordered by %s in both directions, page by page, with the events of every row",
    async (field) => {
      const { group, token } = await platform.organization();
      const keys = ["b", "c", "a", "e", "d"];
      for (const [i, key] of keys.entries()) {
        const time = key.charCodeAt(0);
        const row = { advisory_id: `N-${key}`, artifact_name: `art-${key}` };
        const times = { create_time: time, update_time: 1000 - time };
        const detail = JSON.stringify({ note: `of ${key}` });
        await insertAdvisory(group, { ...row, ...times }, [{ type: 6, detail, create_time: i }]);
      }
      const pages = async (direction: string) => {
        const all: Listed[] = [];
        let pageToken = "";
        do {
          const order = `order_by=${field}%20${direction}&page_token=${pageToken}`;
          const page = await list(token, `page_size=2&uidp.children_of=${group}&${order}`);
          all.push(...page.found);
          pageToken = String(page.body.nextPageToken ?? "");
        } while (pageToken !== "");
        return all;
      };
      const rows = await platform.sql<Listed>(
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

  test("shows only advisories of groups where the caller may list them", async () => {
    const mine = await platform.organization(roles.advisoriesViewer);
    const theirs = await platform.organization();
    await insertAdvisory(mine.group, { advisory_id: "MINE" });
    const uid = await insertAdvisory(theirs.group, { advisory_id: "THEIRS" });
    expect((await list(mine.token, "")).ids).toEqual(["MINE"]);
    const named = await platform.call(mine.token, `advisories?uidp.ids=${uid}`);
    expect(named.status).toBe(403);
    const scoped = await platform.call(
      mine.token,
      `advisories?uidp.descendants_of=${theirs.group}`,
    );
    expect(scoped.status).toBe(403);
  });
});

describe("an advisory", () => {
  test("is answered whole, with every kind of event, oldest first", async () => {
    const { group, token } = await platform.organization();
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
      const event = await insertEvent(uid, { ...at, ...row, review_state: (i % 4) + 1 });
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
    const answer = await platform.call(token, `advisories/${uid}`);
    expect(answer.roundTrips).toBe(1);
    expect(answer.body).toEqual({
      uid,
      advisoryId: "ADV-whole",
      createTime: "1970-01-01T00:00:01.000Z",
      updateTime: "1970-01-01T00:00:02.000Z",
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
    expect((await list(token, "advisory_ids=ADV-whole")).found).toEqual([answer.body]);
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

  test("that is not there is NOT_FOUND with its ResourceInfo, and another's is refused unseen", async () => {
    const mine = await platform.organization(roles.advisoriesViewer);
    const theirs = await platform.organization();
    const uid = await insertAdvisory(theirs.group);
    const missing = await platform.call(mine.token, `advisories/${mine.group}/0000000000000000`);
    expect(missing.status).toBe(404);
    expect(missing.body.details).toContainEqual({
      "@type": "type.googleapis.com/google.rpc.ResourceInfo",
      resourceType: "vulnerabilities.platform.example/Advisory",
      resourceName: `${mine.group}/0000000000000000`,
      description: "Advisory does not exist",
    });
    const hidden = await platform.call(mine.token, `advisories/${uid}`);
    const absent = await platform.call(mine.token, `advisories/${theirs.group}/0000000000000000`);
    expect(hidden.status).toBe(403);
    expect(hidden.body).toEqual(absent.body);
  });
});
