/** After the repairing migration, fsck finds nothing that SQL alone can find. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { runFsck } from "../../../cli/fsck/run.ts";
import { newFolder } from "../command.ts";
import { damages } from "./damages.ts";
import {
  allRows,
  childUid,
  damageDatabase,
  foundProblems,
  migrate,
  newFile,
  openCopy,
  organizationUid,
  repairing,
  storeOf,
  viewer,
} from "./world.ts";

let folder: string;
let db: DatabaseSync;

const unrepaired = () => join(folder, "unrepaired.sqlite");

beforeAll(async () => {
  folder = await newFolder();
  await newFile(unrepaired(), repairing);
});

afterAll(() => rm(folder, { recursive: true }));

beforeEach(() => {
  db = openCopy(unrepaired());
});

afterEach(() => db.close());

const look = () => runFsck(storeOf(db), false);

test("the migration changes nothing without damage", async () => {
  const before = allRows(db);
  migrate(db, repairing);
  expect(allRows(db)).toEqual(before);
});

// The tables of SCIM groups came after this migration.
const seen = damages.filter(
  ([, sql, expected]) =>
    !("counts" in expected || "aliases" in expected || sql.includes("scim_group_members")),
);

test.each(seen)("the migration repairs %s", async (_, sql, expected) => {
  await damageDatabase(db, sql);
  expect(Object.keys(foundProblems(await look()))).toEqual(Object.keys(expected));
  const { triggers } = allRows(db);
  migrate(db, repairing);
  expect(foundProblems(await look())).toEqual({});
  expect(allRows(db).triggers).toEqual(triggers);
});

test("the migration repairs everything at once, with orphans below orphans", async () => {
  for (const [, sql] of seen) await damageDatabase(db, sql);
  await damageDatabase(db, `DELETE FROM groups WHERE uid = '${childUid(organizationUid, 0xf)}'`);
  migrate(db, repairing);
  expect(foundProblems(await look())).toEqual({});
  const once = allRows(db);
  migrate(db, repairing);
  expect(allRows(db)).toEqual(once);
  expect(db.prepare("SELECT uid FROM roles WHERE uid = ?").all(viewer)).toHaveLength(1);
});
