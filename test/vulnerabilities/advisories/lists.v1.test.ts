import { Code } from "@connectrpc/connect";
import { beforeEach, describe, expect, test } from "vitest";
import { Advisories } from "../../../schema/gen/platform/vulnerabilities/v1/advisories_pb.js";
import { callRest, clientOf } from "../../world/platform.ts";
import { newTenant, randomHex } from "../callers.ts";
import { callsOf, namesAndCost, ok, refusalSummary } from "./calls.v1.ts";
import { type EventColumns, insertAdvisory, type RowColumns } from "./stored_advisories.ts";

const Fixed = 3;
const FixNotPlanned = 6;
const Moved = 9;
const Pending = 1;

let group: string;
let token: string;
let calls: ReturnType<typeof callsOf>;
beforeEach(async () => {
  ({ group, token } = await newTenant());
  calls = callsOf(token);
});

const found = async (query: string) => (await namesAndCost(calls.list(query))).names.toSorted();
const named = (name: string, row: RowColumns = {}, events: EventColumns[] = []) =>
  insertAdvisory(group, { artifact_name: name, origin: name, ...row }, events);

/** The difference between the advisories `yes` and `no`, and the filter that finds only the first. */
const filters: [string, RowColumns, EventColumns[], string][] = [
  ["advisoryIds", { advisory_id: "YES" }, [], "advisoryIds=YES&advisoryIds=OTHER"],
  ["legacyAdvisoryIds", { legacy_advisory_id: "OLD" }, [], "legacyAdvisoryIds=OLD"],
  ["artifactType", { artifact_type: "image" }, [], "artifactType=image"],
  ["artifactName", {}, [], "artifactName=yes"],
  ["artifactArchitecture", { artifact_architecture: "arm" }, [], "artifactArchitecture=arm"],
  ["componentName", { component_name: "part" }, [], "componentName=part"],
  ["componentType", { component_type: "go" }, [], "componentType=go"],
  ["componentLocation", { component_location: "a/b" }, [], "componentLocation=a%2Fb"],
  ["aliases", { aliases: '["CVE-9"]' }, [], "aliases=CVE-9&aliases=CVE-8"],
  ["origin", { origin: "src" }, [], "origin=src&artifactName=no"],
  ["eventStatuses", {}, [{ type: Fixed, review_state: Pending }], "eventStatuses=PENDING"],
  ["eventAuthor", {}, [{ type: Fixed, author: "ann" }], "eventAuthor=ann"],
  ["eventReviewer", {}, [{ type: Fixed, reviewer: "bob" }], "eventReviewer=bob"],
  ["eventTypes", {}, [{ type: Fixed }], "eventTypes=EVENT_TYPE_FILTER_FIXED"],
  [
    "eventTypes of version 1",
    {},
    [{ type: Moved }],
    `eventTypes=${"EVENT_TYPE_FILTER_COMPONENT_LOCATION_CHANGED"}`,
  ],
  [
    "latestEventType",
    {},
    [{ type: Fixed, create_time: 9 }],
    "latestEventType=EVENT_TYPE_FILTER_FIXED",
  ],
  [
    "latestEventType of version 1",
    {},
    [{ type: Fixed }, { type: Moved, create_time: 9999 }],
    "latestEventType=EVENT_TYPE_FILTER_COMPONENT_LOCATION_CHANGED",
  ],
];

describe("a filter of version 1", () => {
  test.each(filters)(
    "%s leaves the matching advisories, together with uidp and id",
    async (_, row, events, query) => {
      const other = await newTenant();
      const theirs = { artifact_name: "yes", origin: "yes", ...row };
      await insertAdvisory(other.group, theirs, events);
      const yes = await named("yes", row, events);
      const no = await named("no", {}, [{ type: FixNotPlanned, create_time: 9, author: "no" }]);
      expect(await found(query)).toEqual(["yes"]);
      expect(await found(`${query}&uidp.childrenOf=${group}`)).toEqual(["yes"]);
      expect(await found(`${query}&id=${yes}&uidp.descendantsOf=${group}`)).toEqual(["yes"]);
      expect(await found(`${query}&id=${no}`)).toEqual([]);
    },
  );

  test("excludeEventAuthor drops every advisory with an event of that author", async () => {
    await named("yes", {}, [{ type: Fixed, author: "ann" }]);
    await named("no", {}, [
      { type: Fixed, author: "ann" },
      { type: Fixed, author: "bot" },
    ]);
    expect(await found("excludeEventAuthor=bot")).toEqual(["yes"]);
  });

  test("finds manual advisories like imported ones", async () => {
    const events = [{ fixed: {}, status: "APPROVED", author: "ann", reviewer: "bob" }];
    const aliases = ["CVE-2026-77"];
    const rest = { artifactName: "yes", artifactType: "image", componentName: "part" };
    await ok(calls.create(group, { ...rest, aliases, events }));
    await named("no");
    for (const query of [
      "aliases=CVE-2026-77",
      "componentName=part",
      "origin=yes",
      "eventReviewer=bob",
      "latestEventType=EVENT_TYPE_FILTER_FIXED",
      "eventStatuses=APPROVED&eventAuthor=ann&artifactType=image",
    ]) {
      expect(await found(query), query).toEqual(["yes"]);
    }
  });

  test("by aliases costs as much as its matches, in one round trip", async () => {
    for (let i = 0; i < 30; i += 1) await named(`no-${i}`, { aliases: `["CVE-${i}","OTHER"]` });
    await named("yes", { aliases: '["CVE-YES","OTHER"]' });
    const query = `aliases=CVE-YES&uidp.descendantsOf=${group}`;
    const { names, roundTrips, rowsRead } = await namesAndCost(calls.list(query));
    expect([names, roundTrips]).toEqual([["yes"], 1]);
    expect(rowsRead).toBeLessThan(20);
    const { body } = await callRest(`/vulnerabilities/v2/advisories?aliases=CVE-YES`, { token });
    expect(body.totalCount).toBe("1");
  });

  test.each([
    ["artifactType=", "artifact_type[0]"],
    [`artifactName=${"x".repeat(256)}`, "artifact_name[0]"],
    ["componentLocation=", "component_location[0]"],
    ["eventStatuses=UNKNOWN", "event_statuses[0]"],
    ["eventTypes=EVENT_TYPE_FILTER_UNSPECIFIED", "event_types[0]"],
    ["eventAuthor=", "event_author[0]"],
    ["excludeEventAuthor=", "exclude_event_author[0]"],
    ["pageSize=201", "page_size"],
    ["pageSize=-1", "page_size"],
    ["pageSize=9223372036854775807", "page_size"],
    ["pageToken=x", "page_token"],
    ["id=x", "id"],
    [`uidp.inRoot=true&uidp.ids=${"0".repeat(40)}`, "uidp"],
  ])("%s is rejected with the names of version 1", async (query, field) => {
    const { status, fields, text } = await refusalSummary(calls.list(query));
    expect([status, fields], text).toEqual([400, [field]]);
  });

  test.each([
    [{ eventTypes: [10] }, "event_types[0]"],
    [{ latestEventType: 10 }, "latest_event_type"],
    [{ orderBy: 11 }, "order_by"],
  ])("%o, which has no name, is rejected over Connect", async (filter, field) => {
    const refused = clientOf(Advisories, token).list(filter);
    await expect(refused).rejects.toMatchObject({
      code: Code.InvalidArgument,
      message: expect.stringContaining(field),
    });
  });
});

const rows: Record<string, RowColumns> = {
  one: { create_time: 3, update_time: 5, aliases: '["CVE-2","A"]', delete_time: 20 },
  two: { create_time: 1, update_time: 6, aliases: '["CVE-1"]' },
  three: { create_time: 2, update_time: 4, aliases: '["CVE-10"]', delete_time: 10 },
  four: { create_time: 4, update_time: 3, aliases: "[]", delete_time: 30 },
};

describe("an order of version 1", () => {
  test.each([
    ["", ["two", "four", "one", "three"]],
    ["ORDER_BY_UNSPECIFIED", ["two", "four", "one", "three"]],
    ["ID_ASC", ["two", "four", "one", "three"]],
    ["ID_DESC", ["three", "one", "four", "two"]],
    ["CREATED_AT_ASC", ["two", "three", "one", "four"]],
    ["CREATED_AT_DESC", ["four", "one", "three", "two"]],
    ["UPDATED_AT_ASC", ["four", "three", "one", "two"]],
    ["UPDATED_AT_DESC", ["two", "one", "three", "four"]],
    ["ALIASES_ASC", ["four", "two", "three", "one"]],
    ["ALIASES_DESC", ["one", "three", "two", "four"]],
    ["DELETED_AT_ASC", ["two", "three", "one", "four"]],
    ["DELETED_AT_DESC", ["four", "one", "three", "two"]],
  ])("%s sorts page by page, without duplicates", async (order, expected) => {
    const uids = ["two", "four", "one", "three"];
    for (const [name, row] of Object.entries(rows)) {
      const uid =
        `${group}/${randomHex(14)}`.slice(0, 41) +
        `${uids.indexOf(name)}${randomHex(16)}`.slice(0, 16);
      await named(name, { ...row, uid });
    }
    for (const scope of ["", `&uidp.descendantsOf=${group}`]) {
      const names: string[] = [];
      let pageToken = "";
      do {
        const query = `pageSize=1&orderBy=${order}&pageToken=${pageToken}${scope}`;
        const page = await namesAndCost(calls.list(order ? query : query.replace("orderBy=&", "")));
        expect(page.body.totalCount).toBe("4");
        expect(page.body.id).toBe(group);
        names.push(...page.names);
        pageToken = page.body.nextPageToken ?? "";
      } while (pageToken !== "");
      expect(names).toEqual(expected);
    }
  });

  test.each([
    ["version 1", "/vulnerabilities/v1/advisories?pageSize=1&orderBy=ALIASES_ASC", "items"],
    ["version 2", "/vulnerabilities/v2/advisories?page_size=1&order_by=aliases", "advisories"],
  ])(
    "by 200 long aliases reads its pages in %s, and by uid if they begin alike",
    async (_, path, rows) => {
      const aliases = Array.from({ length: 200 }, (_, i) => `CVE-${"9".repeat(200)}-${i}`);
      for (const name of ["a", "b", "c"]) await named(name, { aliases: JSON.stringify(aliases) });
      const seen: string[] = [];
      let pageToken = "";
      do {
        const { status, body } = await callRest(`${path}&page_token=${pageToken}`, { token });
        expect(status, JSON.stringify(body)).toBe(200);
        for (const one of body[rows]) seen.push(one.id ?? one.uid);
        pageToken = body.nextPageToken ?? "";
        expect(pageToken.length).toBeLessThan(4096);
      } while (pageToken !== "");
      expect([seen.length, seen]).toEqual([3, seen.toSorted()]);
    },
  );

  test("by aliases and delete time exists in version 2 too", async () => {
    for (const [name, row] of Object.entries(rows)) await named(name, row);
    for (const [order, first] of [
      ["aliases desc", "one"],
      ["delete_time desc", "four"],
    ]) {
      const path = `/vulnerabilities/v2/advisories?order_by=${encodeURIComponent(order ?? "")}`;
      const { body } = await callRest(path, { token });
      expect(body.advisories[0].artifactName).toBe(first);
    }
  });
});

test("a page has 50 rows, at most 200, and the group only if there is one", async () => {
  const child = await callRest(`/iam/v2/groups/${group}`, { token, body: { name: "child" } });
  for (let i = 0; i < 60; i += 1) await named(`n-${i}`);
  const first = await namesAndCost(calls.list(""));
  expect([first.names.length, first.body.id, first.body.totalCount]).toEqual([50, group, "60"]);
  expect((await namesAndCost(calls.list("pageSize=200"))).names).toHaveLength(60);
  await insertAdvisory(child.body.uid);
  expect((await namesAndCost(calls.list("pageSize=200"))).body.id).toBeUndefined();
  expect((await namesAndCost(calls.list(`uidp.childrenOf=${child.body.uid}`))).body.id).toBe(
    child.body.uid,
  );
});
