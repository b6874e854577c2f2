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
  const cases = (
    [
      ["advisory_ids", "advisory_ids=ADV-advisory_ids-is-another", {}],
      [
        "legacy_advisory_ids",
        "legacy_advisory_ids=OLD-0&legacy_advisory_ids=OLD-1",
        { legacy_advisory_id: "OLD-2" },
      ],
      [
        "artifact_names",
        "artifact_names=py3&artifact_names=py3-box",
        { artifact_name: "py3-box-doc" },
      ],
      ["artifact_types", "artifact_types=image&artifact_types=apk", { artifact_type: "library" }],
      [
        "artifact_architectures",
        "artifact_architectures=x86_64",
        { artifact_architecture: "aarch64" },
      ],
      ["component_names", "component_names=box", { component_name: "boxes" }],
      ["component_types", "component_types=python", { component_type: "go-module" }],
      ["component_locations", "component_locations=./PKGINFO", { component_location: "./pkginfo" }],
      ["aliases", "aliases=CVE-2024-1&aliases=CVE-0", { aliases: '["CVE-2024-11","GHSA-Needle"]' }],
      ["origin", "origin=py-box", { origin: "py-box-2" }],
      [
        "event_review_states",
        "event_review_states=REVIEW_STATE_REJECTED&event_review_states=REVIEW_STATE_PENDING",
        {},
        life.map((event) =>
          event.review_state ? { ...event, review_state: RequestChanges } : event,
        ),
      ],
      ["event_authors", "event_authors=ann@example.com", {}, each({ author: "bob@example.com" })],
      [
        "exclude_event_authors",
        "exclude_event_authors=mallory@example.com&exclude_event_authors=eve@example.com",
        {},
        [...life, { type: Detection, create_time: 0, author: "mallory@example.com" }],
      ],
      [
        "event_reviewers",
        "event_reviewers=rex@example.com",
        {},
        each({ reviewer: "zoe@example.com" }),
      ],
      [
        "event_types",
        "event_types=EVENT_TYPE_FILTER_ANALYSIS_NOT_PLANNED&event_types=EVENT_TYPE_FILTER_PATCHED",
        {},
        life.map((event) =>
          event.type === AnalysisNotPlanned ? { ...event, type: FixNotPlanned } : event,
        ),
      ],
      [
        "latest_event_type",
        "latest_event_type=EVENT_TYPE_FILTER_FIXED",
        {},
        [...life, { type: TruePositive, create_time: 4 }],
      ],
      ["query", "query=a-nEEdle", { aliases: '["CVE-2024-1","GHSA-Thread"]' }],
    ] as [string, string, RowColumns, EventColumns[]?][]
  ).map(([filter, query, decoy, events = life]) => ({ filter, query, decoy, events }));
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
      await insertAdvisory(group, row, events);
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
