/** A List over several databases asks each of them only about its own organizations. */
import { expect, test } from "vitest";
import type { Database, Databases } from "../../src/auth/databases.ts";
import type { Scope } from "../../src/paging/listing.ts";
import { byDatabase } from "../../src/paging/requested_scope.ts";

const [first, second] = [{}, {}] as [Database, Database];
const [one, two] = ["1".repeat(40), "2".repeat(40)];

const databasesOf = (all: Database[]) =>
  ({
    all,
    first: all[0],
    split: async (uids: readonly string[]) =>
      [
        { db: first, name: "DB", uids: uids.filter((uid) => !uid.startsWith(two)) },
        { db: second, name: "DB_2", uids: uids.filter((uid) => uid.startsWith(two)) },
      ].filter((part) => part.uids.length > 0),
  }) as unknown as Databases;

const scopes: Scope[] = [
  { at: "atOrBelow", uid: one },
  { at: "below", uid: `${two}/a` },
  { at: "uids", uids: [`${one}/b`, `${two}/c`, `${two}/d`] },
  { at: "uids", uids: [`${one}/e`] },
];

test("with one database, it has all scopes", async () => {
  const databases = databasesOf([first]);
  expect(await byDatabase({ databases }, scopes)).toEqual([{ db: first, name: "DB", scopes }]);
});

test("with two, each has its scopes, and its uids of a scope of several", async () => {
  const databases = databasesOf([first, second]);
  const parts = await byDatabase({ databases }, scopes);
  expect(parts).toEqual([
    {
      ...{ db: first, name: "DB" },
      scopes: [scopes[0], { at: "uids", uids: [`${one}/b`] }, scopes[3]],
    },
    {
      ...{ db: second, name: "DB_2" },
      scopes: [scopes[1], { at: "uids", uids: [`${two}/c`, `${two}/d`] }],
    },
  ]);
  expect(parts.map(({ db }) => db === first)).toEqual([true, false]);
});
