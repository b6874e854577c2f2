import { expect, test } from "vitest";
import type { MeasuredCase } from "../../../bench/cost/caller.ts";
import { casesOf, goalsOf, missesTable, type SizedCase } from "../../../bench/cost/goals.ts";

const one: MeasuredCase = {
  rpc: "platform.registry.v2.TagsService/ListTags",
  case: "first page by name",
  ...{ rows: 1_000, pageSize: 50, roundTrips: 1, rowsRead: 60, rowsWritten: 0 },
  ...{ kind: "list", answered: 50, wrong: [] },
};
const same = (all: Partial<MeasuredCase>): SizedCase => [
  { ...one, ...all },
  { ...one, ...all, rows: 100_000 },
];

const writes = (rpc: string, name: string, rowsWritten: number) =>
  same({
    ...{ rpc: `platform.${rpc}`, case: name, rowsWritten },
    ...{ kind: "write", roundTrips: 2, pageSize: 0, answered: 0 },
  });

/** Cases that meet every goal, at least one for each. */
const good: SizedCase[] = [
  same({}),
  same({ case: "filter name" }),
  same({ kind: "get", pageSize: 0, answered: 0, case: "" }),
  same({ kind: "write", roundTrips: 2, pageSize: 0, answered: 0, case: "", rowsWritten: 9 }),
  same({ kind: "grants", case: "no scope, 50 grants", roundTrips: 2, rowsRead: 500 }),
  same({ kind: "preview", case: "of a repository", roundTrips: 4 }),
  same({ kind: "batches", case: "of two tags", roundTrips: 20, pageSize: 0, answered: 0 }),
  writes("registry.v2.TagsService/CreateTag", "a new one", 20),
  writes("registry.v2.TagsService/CreateTag", "moves it", 10),
  writes("registry.v2.ReposService/CreateRepo", "", 18),
  writes("iam.v2.IdentitiesService/CreateIdentity", "", 18),
  writes("iam.v2.RoleBindingsService/CreateRoleBinding", "", 16),
];

const missed = (cases: SizedCase[]) =>
  goalsOf(cases)
    .filter(({ kept }) => !kept)
    .map(({ what }) => what);

const larger = (all: Partial<MeasuredCase>, at: Partial<MeasuredCase>): SizedCase => {
  const [first, second = first] = same(all);
  return [first, { ...second, ...at }];
};

test("a case that meets its goals is reported as kept", () => {
  expect(missed(good)).toEqual([]);
  expect(missesTable(good).rows).toEqual([]);
});

test.each<[string, SizedCase, RegExp]>([
  ["a Get of two round trips", same({ kind: "get", roundTrips: 2 }), /trips of a Get$/],
  ["a scoped List of two", same({ roundTrips: 2 }), /trips of a List in a scope/],
  ["a whole List of two", same({ kind: "whole", roundTrips: 2 }), /trips of a List in a scope/],
  ["a write of three", same({ kind: "write", roundTrips: 3 }), /trips of a write/],
  ["a preview of five", same({ kind: "preview", roundTrips: 5 }), /trips of a preview/],
  ["a plan of 21", same({ kind: "batches", roundTrips: 21 }), /trips of an expiry plan/],
  ["a page of one row too many", same({ rowsRead: 301 }), /^rows read by a List without a filter/],
  [
    "such a page at a single size",
    larger({}, { rowsRead: 301 }),
    /^rows read by a List without a filter/,
  ],
  ["a filter that scans", same({ case: "filter name", rowsRead: 301 }), /List with a filter/],
  ["50 grants, one row too many", same({ kind: "grants", rowsRead: 501 }), /50 grants/],
  ["a page that grows", larger({ rowsRead: 52 }, { rowsRead: 56 }), /^rows read by a List do not/],
  [
    "a write that reads more",
    larger({ kind: "write" }, { rowsRead: 64 }),
    /by a Get or a write do not/,
  ],
  [
    "a tag that moves with one row too many",
    writes("registry.v2.TagsService/CreateTag", "moves it", 11),
    /^rows written by .*moves it/,
  ],
  // Reads stay above writes, which grow all the same.
  [
    "one that writes more",
    larger({ kind: "write" }, { rowsWritten: 4 }),
    /by a Get or a write do not/,
  ],
  ["a wrong total", larger({}, { wrong: ["totalCount is 1 of 2"] }), /totalCount/],
])("%s is not kept", (_, broken, what) => {
  const goals = missed([...good, broken]);
  expect(goals).toContainEqual(expect.stringMatching(what));
  expect(missesTable([...good, broken]).rows.length).toBeGreaterThan(0);
});

test("a page that is not full at the smallest size can grow until it is full", () => {
  const filling = larger({ answered: 20, rowsRead: 30 }, { answered: 50, rowsRead: 60 });
  const full = { ...filling[1], rows: 1_000_000 } as MeasuredCase;
  const growth = (last: MeasuredCase) => missed([...good, [...filling, last]]);
  expect(growth(full)).toEqual([]);
  expect(growth({ ...full, rowsRead: 65 })).toEqual([
    "rows read by a List do not grow with the table",
  ]);
});

test("a single size proves nothing about growth", () => {
  const alone = good.map(([first]): SizedCase => [first]);
  expect(goalsOf(good).some(({ what }) => /grow/.test(what))).toBe(true);
  expect(goalsOf(alone).some(({ what }) => /grow/.test(what))).toBe(false);
});

test("a goal without any case is an error", () => {
  expect(() => goalsOf(good.filter(([{ kind }]) => kind !== "grants"))).toThrow(
    /no case is covered/,
  );
  expect(() => goalsOf([])).toThrow(/no case is covered/);
});

test("cases that were not measured at every size are an error", () => {
  expect(() => casesOf([[one], []])).toThrow(/not measured at every size/);
  expect(() => casesOf([[one], [{ ...one, case: "another" }]])).toThrow(/not measured at every/);
  expect(() => casesOf([[one], [one, { ...one, case: "another" }]])).toThrow(/not measured at/);
});
