/** The page that a List makes of the rows that were read. */
import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  ListReposRequestSchema,
  ReposService,
} from "../../schema/gen/platform/registry/v2/repos_pb.js";
import type { Call } from "../../src/auth/call.ts";
import type { ListQuery } from "../../src/paging/listing.ts";
import {
  type FoundRows,
  type ListOptions,
  paginate,
  unpagedByDefault,
} from "../../src/paging/page.ts";
import { digestOf } from "../../src/paging/page_token.ts";

type Row = { uid: string; name: string };

const sorting = { orders: { uid: "uid", name: "name" }, defaultOrder: "uid" } as const;
const key = Buffer.alloc(32, 1).toString("base64url");
const now = Date.UTC(2026, 0, 1);
const callOf = (more: Partial<Call> = {}) =>
  ({
    ...{ method: ReposService.method.listRepos, now, config: { pageTokenKeys: [key] } },
    ...{ credential: { bearer: { uid: "u" }, chain: [], act: {} } },
    ...{ responseHeaders: new Headers(), ...more },
  }) as unknown as Call;

const rowsOf = (count: number): Row[] =>
  Array.from({ length: count }, (_, at) => ({ uid: `u${at}`, name: `n${at}` }));

/** The page, and the query that was asked. */
async function pageOf(
  found: FoundRows<Row>,
  asked: { pageSize?: number; pageToken?: string; skip?: number; orderBy?: string } = {},
  { call = callOf(), ...options }: ListOptions & { call?: Call } = {},
) {
  const queries: ListQuery[] = [];
  const request = create(ListReposRequestSchema, asked);
  const page = await paginate(call, request, sorting, options, async (query) => {
    queries.push(query);
    return found;
  });
  return { ...page, query: queries[0] };
}

describe("a page", () => {
  test("has 50 rows if the request does not say, and names the next page", async () => {
    const { rows, envelope, query } = await pageOf({ rows: [rowsOf(51)], total: 70 });
    expect([rows.length, query?.pageSize, query?.isCounted]).toEqual([50, 50, true]);
    expect(envelope).toEqual({ nextPageToken: expect.any(String), skipped: 0, totalCount: 70n });
    const pageToken = envelope.nextPageToken;
    const next = await pageOf({ rows: [rowsOf(1)], total: null }, { pageToken, skip: 2 });
    expect(next.query).toMatchObject({ isCounted: false, cursor: { after: ["u49", "u49"] } });
    expect(next.envelope).toEqual({ nextPageToken: "", skipped: 2, totalCount: 70n });
  });

  test("has the size, the skip and the order of the request", async () => {
    const asked = { pageSize: 2, skip: 3, orderBy: "name desc" };
    const { rows, envelope, query } = await pageOf({ rows: [rowsOf(2)], total: 5 }, asked);
    expect(query).toMatchObject({
      pageSize: 2,
      skip: 3,
      order: { field: "name", descending: true },
    });
    expect([rows.length, envelope.nextPageToken, envelope.skipped]).toEqual([2, "", 3]);
  });

  test("has no total if nothing is counted", async () => {
    const { envelope, query } = await pageOf(
      { rows: [rowsOf(1)], total: null },
      {},
      { total: "none" },
    );
    expect(query?.isCounted).toBe(false);
    expect(envelope).not.toHaveProperty("totalCount");
    const named = await pageOf({ rows: [rowsOf(1)], total: null }, {}, { namePrefix: "n" });
    expect(named.query).toMatchObject({ isCounted: false, order: { field: "name" } });
  });

  test("begins again, and says so, if its token is three days old", async () => {
    const { envelope } = await pageOf({ rows: [rowsOf(2)], total: 2 }, { pageSize: 1 });
    const call = callOf({ now: now + 3 * 24 * 3600 * 1000 + 1000 });
    const asked = { pageSize: 1, pageToken: envelope.nextPageToken };
    const { query } = await pageOf({ rows: [rowsOf(2)], total: 2 }, asked, { call });
    expect([query?.cursor, query?.isCounted]).toEqual([undefined, true]);
    expect(call.responseHeaders.get("page-token-expired")).toBe("true");
  });
});

describe("a response without pages", () => {
  const call = callOf({ unpaged: true });

  test("has all rows and their number, and counts nothing", async () => {
    const { rows, envelope, query } = await pageOf(
      { rows: [rowsOf(3)], total: null },
      {},
      { call, maxRows: 3 },
    );
    expect([rows.length, query?.pageSize, query?.isCounted]).toEqual([3, 3, false]);
    expect(envelope).toEqual({ nextPageToken: "", skipped: 0, totalCount: 3n });
    expect((await pageOf({ rows: [[]], total: null }, {}, { call })).query?.pageSize).toBe(20_000);
  });

  test("is refused if there are more rows, with advice", async () => {
    const found = { rows: [rowsOf(4)], total: null };
    const refused = (options: ListOptions & { call?: Call } = {}) =>
      pageOf(found, {}, { call, maxRows: 3, ...options });
    await expect(refused()).rejects.toThrow(
      "more than 3 rows match; narrow the scope, or set page_size to read page by page",
    );
    await expect(refused({ advice: "send a tag" })).rejects.toThrow("match; send a tag, or");
    const version1 = callOf({ unpaged: true, origin: {} as never });
    await expect(refused({ call: version1 })).rejects.toThrow(
      "or use version 2, which returns pages",
    );
  });

  test("is for requests that name no page", () => {
    const isUnpaged = (asked: object) =>
      unpagedByDefault(callOf(), create(ListReposRequestSchema, asked)).unpaged === true;
    expect([{}, { orderBy: "name" }].map(isUnpaged)).toEqual([true, true]);
    const named = [{ pageSize: 1 }, { pageToken: "a" }, { skip: 1 }];
    expect(named.map(isUnpaged)).toEqual([false, false, false]);
  });
});

test("a page token belongs to the RPC, the request, its order, the caller and the limits of the token", async () => {
  const credential = (more: object) =>
    callOf({ credential: { bearer: { uid: "u" }, chain: [], act: {}, ...more } });
  const request = create(ListReposRequestSchema, { name: "n" });
  const digest = (call = callOf(), order = "uid false", asked = request) =>
    digestOf(call, asked, order);
  const others = await Promise.all([
    digest(),
    digest(callOf({ method: { ...ReposService.method.listRepos, name: "Other" } } as never)),
    digest(callOf(), "uid true"),
    digest(callOf(), "uid false", create(ListReposRequestSchema, { name: "m" })),
    digest(credential({ bearer: { uid: "v" } })),
    digest(credential({ scopes: ["a"] })),
    digest(credential({ scopes: ["a", "b"] })),
    digest(credential({ capabilities: [1] })),
    digest(callOf({ credential: undefined } as never)),
  ]);
  expect(new Set(others).size).toBe(others.length);
  const place = { name: "n", pageSize: 7, pageToken: "t", skip: 3, orderBy: "uid" };
  expect(await digest(callOf(), "uid false", create(ListReposRequestSchema, place))).toBe(
    others[0],
  );
  expect(await digest(credential({ scopes: ["b", "a"] }))).toBe(others[6]);
  expect(await digest(credential({ capabilities: [2, 1] }))).toBe(
    await digest(credential({ capabilities: [1, 2] })),
  );
});
