/** Lists that name no organization: they show the rows of all databases as if these were one. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Home, type SpreadPlatform, startSpread } from "../../world/spread.ts";

let platform: SpreadPlatform;
let homes: Home[];
let owner: { uid: string; token: string };
const names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];

beforeAll(async () => {
  platform = await startSpread();
  owner = await platform.newPerson();
  homes = [];
  for (const at of ["DB", "DB_2", "DB", "DB_2"] as const)
    homes.push(await platform.newHome(at, owner));
  for (const [n, name] of names.entries()) {
    const home = homes[n % homes.length];
    await platform.done(`/registry/v2/repos/${home?.uid}`, owner.token, { name });
  }
});
afterAll(() => platform.stop());

interface Page {
  repos?: { name: string }[];
  nextPageToken?: string;
  totalSize?: number;
}

/** All names, page by page. */
async function pagesOf(size: number, query = ""): Promise<string[][]> {
  const pages: string[][] = [];
  let token = "";
  do {
    const path = `/registry/v2/repos?pageSize=${size}${query}&pageToken=${encodeURIComponent(token)}`;
    const page = (await platform.done(path, owner.token)) as Page;
    pages.push((page.repos ?? []).map(({ name }) => name));
    token = page.nextPageToken ?? "";
  } while (token);
  return pages;
}

test.each([1, 2, 4, 100])("pages of %d have each row once, in order", async (size) => {
  const pages = await pagesOf(size, "&orderBy=name");
  expect(pages.flat()).toEqual(names);
  expect(Math.max(...pages.map(({ length }) => length))).toBe(Math.min(size, names.length));
});

test("the order can be descending, and the default order has all rows", async () => {
  expect((await pagesOf(2, "&orderBy=name%20desc")).flat()).toEqual(names.toReversed());
  expect((await pagesOf(3)).flat().toSorted()).toEqual(names);
});

test("rows can be skipped, and the total counts all databases", async () => {
  const path = "/registry/v2/repos?orderBy=name&skip=3&pageSize=4";
  const page = (await platform.done(path, owner.token)) as Page;
  expect(page.repos?.map(({ name }) => name)).toEqual(names.slice(3, 7));
  const counted = (await platform.done("/registry/v2/repos?pageSize=1", owner.token)) as Page;
  if (counted.totalSize !== undefined) expect(counted.totalSize).toBe(names.length);
});

test("a list of one organization does not show the others", async () => {
  const [first, second] = homes;
  for (const home of [first, second]) {
    const path = `/registry/v2/repos?uidp.descendantsOf=${home?.uid}&orderBy=name`;
    const page = (await platform.done(path, owner.token)) as Page;
    const expected = names.filter((_, n) => homes[n % homes.length] === home);
    expect(page.repos?.map(({ name }) => name)).toEqual(expected);
  }
});

test("both databases answer at once, in two round trips", async () => {
  const { roundTrips } = await platform.call("/registry/v2/repos?pageSize=5", owner.token);
  expect(roundTrips).toBeLessThanOrEqual(2);
});

test("events of all organizations are listed once, the latest first", async () => {
  const seen: { id: string; time: string }[] = [];
  let token = "";
  do {
    const path = `/events/v2/events?pageSize=5&pageToken=${encodeURIComponent(token)}`;
    const page = await platform.done(path, owner.token);
    seen.push(...(page.events ?? []));
    token = page.nextPageToken ?? "";
  } while (token);
  const counts = await Promise.all(
    (["DB", "DB_2"] as const).map((at) =>
      platform.rowsIn<{ n: number }>(at, "select count(*) as n from events"),
    ),
  );
  const expected = counts.flat().reduce((sum, { n }) => sum + n, 0);
  expect(new Set(seen.map(({ id }) => id)).size).toBe(expected);
  expect(seen).toHaveLength(expected);
  expect(counts.flat().every(({ n }) => n > 0)).toBe(true);
});
