/** The migration that repairs leaves nothing for fsck to find that SQL alone can see. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { run } from "../../cli/fsck/run.ts";
import { newFolder } from "./command.ts";
import { damages } from "./fsck_damages.ts";
import {
  below,
  contents,
  damage,
  found,
  migrate,
  newFile,
  openCopy,
  org,
  repairing,
  storeOf,
  viewer,
} from "./fsck_world.ts";

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

const look = () => run(storeOf(db), false);

test("changes nothing where nothing is damaged", async () => {
  const before = contents(db);
  migrate(db, repairing);
  expect(contents(db)).toEqual(before);
});

const seen = damages.filter(([, , expected]) => !("counts" in expected || "aliases" in expected));

test.each(seen)("repairs it where %s", async (_, sql, expected) => {
  await damage(db, sql);
  expect(Object.keys(found(await look()))).toEqual(Object.keys(expected));
  const { triggers } = contents(db);
  migrate(db, repairing);
  expect(found(await look())).toEqual({});
  expect(contents(db).triggers).toEqual(triggers);
});

test("repairs all of it at once, and orphans below orphans", async () => {
  for (const [, sql] of seen) await damage(db, sql);
  await damage(db, `DELETE FROM groups WHERE uid = '${below(org, 0xf)}'`);
  migrate(db, repairing);
  expect(found(await look())).toEqual({});
  const once = contents(db);
  migrate(db, repairing);
  expect(contents(db)).toEqual(once);
  expect(db.prepare("SELECT uid FROM roles WHERE uid = ?").all(viewer)).toHaveLength(1);
});
