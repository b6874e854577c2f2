import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../world/platform.ts";
import { callApi, newTenant } from "../callers.ts";
import {
  type EventColumns,
  insertAdvisory,
  listAdvisories,
  type RowColumns,
} from "./stored_advisories.ts";

const Detection = 1;
const TruePositive = 2;
const Fixed = 3;
const AnalysisNotPlanned = 5;
const FixNotPlanned = 6;
const _Approved = 2;
const RequestChanges = 3;
const Rejected = 4;

describe("each filter leaves out exactly the advisories that do not match, and so do all together", () => {
  const matching = {
    legacy_advisory_id: "OLD-1",
    aliases: '["CVE-2024-1","GHSA-Needle"]',
  };
  const life: EventColumns[] = [
    { type: Detection, create_time: 1 },
    { type: Fixed, create_time: 2 },
    { type: AnalysisNotPlanned, create_time: 3, review_state: Rejected },
  ];
  const each = (change: RowColumns) => life.map((event): EventColumns => ({ ...event, ...change }));

  /** A filter, and an advisory that differs from the matching one only in the filtered value. */
  const cases: { filter: string; query: string; decoy: RowColumns; events?: EventColumns[] }[] = [
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
    ({ group, token } = await newTenant());
    await insertAdvisory(group, { ...matching, advisory_id: "ADV-match" }, life);
    for (const { filter, decoy, events } of cases) {
      const row = { ...matching, ...decoy, advisory_id: idOf(filter) };
      await insertAdvisory(group, row, events ?? life);
    }
  });

  test.each(cases)("$filter", async (one) => {
    const { ids, body } = await listAdvisories(token, queryOf(one));
    const left = everyId.filter((id) => id !== idOf(one.filter));
    expect(ids).toEqual(left);
    expect(body.totalCount).toBe(String(left.length));
  });

  test.each(["", `uidp.descendants_of=`, `uidp.children_of=`])(
    "all together, %s",
    async (scope) => {
      const within = scope === "" ? "" : `&${scope}${group}`;
      const but = (filter: string) => cases.filter((one) => one.filter !== filter);
      const byName = await listAdvisories(token, but("origin").map(queryOf).join("&") + within);
      expect(byName.ids).toEqual(["ADV-match", idOf("origin")].sort());
      const byOrigin = await listAdvisories(
        token,
        but("artifact_names").map(queryOf).join("&") + within,
      );
      expect(byOrigin.ids).toEqual(["ADV-match", idOf("artifact_names")].sort());
    },
  );

  test("origin replaces artifact_names", async () => {
    const { ids } = await listAdvisories(token, "origin=py-box&artifact_names=nothing");
    expect(ids).toEqual(everyId.filter((id) => id !== idOf("origin")));
  });

  test.each(["BOX-D", "BOXES", "-THREAD"])(
    "query %s matches any case and any column",
    async (text) => {
      expect((await listAdvisories(token, `query=${text}`)).ids).toHaveLength(1);
    },
  );

  test("query is not a pattern, and can be longer than 50 bytes", async () => {
    expect((await listAdvisories(token, "query=%25")).ids).toEqual([]);
    expect((await listAdvisories(token, "query=p_3")).ids).toEqual([]);
    const long = "a".repeat(100);
    await insertAdvisory(group, {
      component_name: `x${long}x`,
      advisory_id: "ADV-long",
      origin: "o",
    });
    expect((await listAdvisories(token, `query=${long.toUpperCase()}`)).ids).toEqual(["ADV-long"]);
    await sql("delete from advisories where advisory_id = ?", "ADV-long");
  });

  test("a filter accepts a thousand values", async () => {
    const ids = Array.from({ length: 999 }, (_, i) => `advisory_ids=N-${i}`).join("&");
    expect((await listAdvisories(token, `${ids}&advisory_ids=ADV-match`)).ids).toEqual([
      "ADV-match",
    ]);
  });

  test.each([
    ["event_review_states", "REVIEW_STATE_UNSPECIFIED"],
    ["event_types", "EVENT_TYPE_FILTER_UNSPECIFIED"],
    ["event_types", "EVENT_TYPE_FILTER_FIXES"],
    ["latest_event_type", "FIXED"],
    ["artifact_names", ""],
    ["query", "q".repeat(256)],
    ["order_by", "author"],
  ])("%s=%s is rejected by name", async (field, value) => {
    const answer = await callApi(token, `advisories?${field}=${value}`);
    expect(answer.status).toBe(400);
    expect(answer.body.code).toBe(3);
    expect(JSON.stringify(answer.body.details)).toContain(`"field":"${field}`);
  });
});
