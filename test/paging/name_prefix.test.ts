import { describe, expect, test } from "vitest";
import { endOf, foldCase } from "../../src/paging/order.ts";
import { createResource } from "../world/personas.ts";
import { callRest, costOf, sql } from "../world/platform.ts";
import { randomNumbers } from "../world/random.ts";
import {
  compareBytes,
  everyTag,
  expectedUids,
  type Named,
  newPlaces,
  type Places,
  plantNames,
  searchable,
} from "./named_rows.ts";
import { walkPages } from "./tree.ts";

const random = randomNumbers(20261104);
const oneOf = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
const textOf = (characters: readonly string[], most: number) =>
  Array.from({ length: 1 + Math.floor(random() * most) }, () => oneOf(characters)).join("");

/** Characters that SQL, patterns or orders of texts could treat in a special way. */
const special = [..."ab z019-._/%*?'\"\\@[`{é´ßİıﬀ\u{d7ff}\u{e000}😀\u{10ffff}"];
const capitals = [..."ABZ"];

/** The rows of a resource in each scope. */
type Scoped = [scope: Record<string, string>, rows: Named[]][];

/** Plants rows with random names in the organization and in its team. Only tags can have capitals in their names. */
async function plantRandom(table: string, places: Places): Promise<Scoped> {
  const { uid, team, repo, inner } = places;
  const inRepos = table === "tags";
  const characters = inRepos ? [...special, ...capitals] : special;
  const names = () => Array.from({ length: 120 }, () => textOf(characters, 5));
  const above = await plantNames(table, inRepos ? repo : uid, names());
  const below = await plantNames(table, inRepos ? inner : team, names());
  if (table === "groups") above.push({ uid: team, name: "team" });
  if (table === "repos") {
    above.push({ uid: repo, name: "image" });
    below.push({ uid: inner, name: "image" });
  }
  return [
    [{ "uidp.descendants_of": uid }, [...above, ...below]],
    [{ "uidp.children_of": inRepos ? repo : uid }, above],
    [{ "uidp.descendants_of": team }, below],
  ];
}

test.each(searchable)(
  "$plural: a list returns exactly the names that begin with the text, sorted by name, over all pages",
  async ({ path, plural }) => {
    const places = await newPlaces();
    const scoped = await plantRandom(plural, places);
    const names = scoped.flatMap(([, rows]) => rows.map(({ name }) => name));
    const texts = [
      ...["%", "a%", "'", '"', "\\", "*", "A", "tEA", "IMAGE", "É", "\u{10ffff}", "no such name"],
      ...Array.from({ length: 15 }, () => textOf([...special, ...capitals], 2)),
      ...Array.from({ length: 6 }, () => [...oneOf(names)].slice(0, 3).join("")),
    ];
    const lengths: number[] = [];
    for (const text of texts) {
      const order_by = oneOf(["", "name", "name desc", "name asc"]);
      const page_size = String(3 + Math.floor(random() * 12));
      const [scope, rows] = oneOf(scoped);
      const query = { ...scope, order_by, page_size, name_prefix: text };
      const asked = plural === "tags" ? { ...query, ...everyTag } : query;
      const { uids, totals } = await walkPages(path, plural, asked, places.token);
      const wanted = expectedUids(rows, text, order_by === "name desc");
      expect(uids, JSON.stringify(query)).toEqual(wanted);
      // No page has a total.
      expect(totals.filter((total) => total !== undefined)).toEqual([]);
      lengths.push(uids.length);
    }
    expect(lengths).toContain(0);
    expect(Math.max(...lengths)).toBeGreaterThan(5);
  },
);

test("a range of names ends before the first text after all that begin with the prefix", () => {
  const all = [...special, ...capitals, "@", "Z", "[", "z", "{"];
  for (let turn = 0; turn < 20_000; turn += 1) {
    const ignoresCase = turn % 2 === 0;
    const seen = (text: string) => (ignoresCase ? foldCase(text) : text);
    const prefix = seen(textOf(all, 3));
    const name = seen(textOf(all, 4));
    const end = endOf(prefix, ignoresCase);
    const isBefore = end === undefined || compareBytes(name, seen(end)) < 0;
    const isInRange = compareBytes(name, prefix) >= 0 && isBefore;
    expect(isInRange, JSON.stringify({ prefix, name, end })).toBe(name.startsWith(prefix));
  }
  expect(endOf("\u{10ffff}\u{10ffff}", false)).toBeUndefined();
});

test("the text can have 100 characters, and empty means no filter", async () => {
  const { uid, token } = await newPlaces();
  const name = `${"x".repeat(120)}y`;
  await createResource(`/registry/v2/repos/${uid}`, token, { name });
  const list = (text: string) =>
    callRest(`/registry/v2/repos?${new URLSearchParams({ namePrefix: text })}`, { token });
  const found = await list("X".repeat(100));
  expect(found.body.repos.map((repo: Named) => repo.name)).toEqual([name]);
  const { status, body } = await list("x".repeat(101));
  expect([status, body.details[1].fieldViolations[0].field]).toEqual([400, "name_prefix"]);
  expect((await list("")).body.totalCount).toBe("3");
});

/** Writes rows whose names are `v1.` and a number. The `v` of every second tag is a capital. */
const plantMany = (table: string, parent: string, count: number) =>
  sql(
    `insert into ${table} (uid, name, create_time, update_time${table === "tags" ? ", digest" : ""})
     with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ?2)
     select ?1 || '/' || printf('%016x', n * 7919 % 1000003),
       iif(n % 2 or ?3, 'v', 'V') || '1.' || n, n, n${table === "tags" ? ", 'sha256:0'" : ""}
     from numbers`,
    parent,
    count,
    table === "tags" ? 0 : 1,
  );

describe.each([
  { table: "tags", rows: 20_000 },
  { table: "repos", rows: 5_000 },
])("among $rows $table", ({ table, rows }) => {
  /** Reads the first two pages, and what they cost. */
  async function readTwoPages(query: Record<string, string>, token: string) {
    const read = async (page_token: string) => {
      const asked = new URLSearchParams({ ...query, page_token });
      const answer = await callRest(`/registry/v2/${table}?${asked}`, { token });
      const length = answer.body[table]?.length ?? 0;
      return { ...costOf(answer), length, next: answer.body.nextPageToken };
    };
    const first = await read("");
    return first.next ? [first, await read(first.next)] : [first];
  }

  test("a page reads at most four times its rows and 100, in one round trip", async () => {
    const { uid, token, repo } = await newPlaces();
    const parent = table === "tags" ? repo : uid;
    await plantMany(table, parent, rows);
    const texts = ["v", "V1.", "v1.49", "v1.4999", "w", "no such name"];
    const scopes = [{ "uidp.descendants_of": uid }, { "uidp.children_of": parent }];
    const queries = scopes.flatMap((scope) =>
      ["name", "name desc"].flatMap((order_by) =>
        texts.map((name_prefix) => ({ ...scope, order_by, name_prefix, page_size: "30" })),
      ),
    );
    const lengths: number[] = [];
    for (const query of queries) {
      for (const { roundTrips, rowsRead, length } of await readTwoPages(query, token)) {
        const cost = JSON.stringify({ query, rowsRead, length });
        expect(roundTrips, cost).toBe(1);
        expect(rowsRead, cost).toBeLessThanOrEqual(4 * length + 100);
        lengths.push(length);
      }
    }
    expect(lengths.filter((length) => length === 30).length).toBeGreaterThanOrEqual(20);
  });
});
