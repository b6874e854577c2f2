/** Lists of the client: their pages, their counts, and when they stop. */
import { base64url, SignJWT } from "jose";
import { createClient, PageTokenExpired, staticToken } from "platform-api/client";
import { beforeAll, expect, inject, test } from "vitest";
import { newOrganization, type Organization } from "../world/personas.ts";
import { baseUrl } from "../world/platform.ts";

const names = ["a", "b", "c", "d", "e", "f", "g"];
let org: Organization;
let asked: URL[] = [];
let client: ReturnType<typeof createClient>;
beforeAll(async () => {
  org = await newOrganization();
  client = createClient({
    url: baseUrl(),
    token: staticToken(org.owner.token),
    fetch: (input, init) => {
      asked.push(new URL(String(input)));
      return fetch(input, init);
    },
  });
  for (const name of names) await client.repos.create(org.uid, { name });
  asked = [];
});

const listOf = (more = {}) =>
  client.repos.list({ childrenOf: org.uid, orderBy: "name", pageSize: 3, ...more });

async function collect<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

test("all rows are returned in order, each once, a page at a time", async () => {
  asked = [];
  expect((await collect(listOf())).map(({ name }) => name)).toEqual(names);
  expect(asked).toHaveLength(3);
  expect((await listOf({ orderBy: "name desc" }).all()).map(({ name }) => name)).toEqual(
    names.toReversed(),
  );
});

test("pages have the total, as a number, and the token of the next page", async () => {
  const pages = await collect(listOf().pages());
  expect(pages.map(({ rows, totalCount, skipped }) => [rows.length, totalCount, skipped])).toEqual([
    [3, 7, 0],
    [3, 7, 0],
    [1, 7, 0],
  ]);
  const [first, , last] = pages;
  expect(last).not.toHaveProperty("nextPageToken");
  const next = await listOf({ pageToken: first?.nextPageToken }).page();
  expect(next.rows.map(({ name }) => name)).toEqual(["d", "e", "f"]);
});

test("skip counts once, not for every page", async () => {
  const pages = await collect(listOf({ skip: 2, pageSize: 2 }).pages());
  expect(pages.flatMap(({ rows }) => rows.map(({ name }) => name))).toEqual(names.slice(2));
  expect(pages.map(({ skipped }) => skipped)).toEqual([2, 2, 2]);
});

test.each([
  [0, 0, 0],
  [2, 2, 1],
  [3, 3, 1],
  [4, 4, 2],
  [100, 7, 3],
])("all(%i) has %i rows, of %i pages", async (limit, rows, pages) => {
  asked = [];
  expect(await listOf().all(limit)).toHaveLength(rows);
  expect(asked).toHaveLength(pages);
});

test("no request is sent before the list is read, or after its reader stops", async () => {
  asked = [];
  const rows = listOf();
  expect(asked).toHaveLength(0);
  for await (const { name } of rows) if (name === "c") break;
  expect(asked).toHaveLength(1);
});

test("a list is read again each time", async () => {
  const rows = listOf();
  expect(await rows.all()).toEqual(await rows.all());
});

test("filters of every kind reach the platform", async () => {
  const { uid } = await client.groups.create(org.uid, { name: "below" });
  const { uid: deep } = await client.repos.create(uid, { name: "deep" });
  const nameOf = async (request: object) =>
    (await client.repos.list(request).all()).map(({ name }) => name);
  expect(await nameOf({ childrenOf: uid })).toEqual(["deep"]);
  expect(await nameOf({ descendantsOf: org.uid, name: "deep" })).toEqual(["deep"]);
  expect(await nameOf({ ids: [deep] })).toEqual(["deep"]);
  expect(await nameOf({ ids: [deep], name: "" })).toEqual([]);
  const above = await client.groups.list({ ancestorsOf: uid }).all();
  expect(above.map((group) => group.uid)).toEqual([org.uid]);
  const roots = await client.groups.list({ inRoot: true, name: org.name }).all();
  expect(roots.map((group) => group.uid)).toEqual([org.uid]);
  await client.repos.delete(deep);
});

/** The token as it would be four days later, with the key of the platform and times in the past. */
async function aged(token: string): Promise<string> {
  const [key = ""] = JSON.parse(inject("pageTokenKeys")) as string[];
  const [, payload = ""] = token.split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
  const past = 4 * 24 * 3600;
  const moved = { ...claims, iat: claims.iat - past, exp: claims.exp - past };
  return new SignJWT(moved).setProtectedHeader({ alg: "HS256" }).sign(base64url.decode(key));
}

test("an expired page token is an error, although the platform would start again", async () => {
  const { nextPageToken = "" } = await listOf().page();
  const rows = listOf({ pageToken: await aged(nextPageToken) });
  await expect(rows.page()).rejects.toBeInstanceOf(PageTokenExpired);
  await expect(rows.all()).rejects.toMatchObject({ code: "PAGE_TOKEN_EXPIRED" });
});
