import { rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runFsck } from "../../../cli/fsck/run.ts";
import { newFolder } from "../command.ts";
import { addEvents, eventDamages } from "./stored_events.ts";
import { damageDatabase, newFile, storeOf } from "./world.ts";

let folder: string;
let db: DatabaseSync;

beforeAll(async () => {
  folder = await newFolder();
  const file = join(folder, "events.sqlite");
  await newFile(file);
  db = new DatabaseSync(file);
  await addEvents(db);
});

afterAll(async () => {
  db.close();
  await rm(folder, { recursive: true });
});

test("an event with damaged data keeps its actor, and other events keep their data", async () => {
  const select = "SELECT seq, body_type, data FROM events ORDER BY seq";
  const rows = () =>
    db
      .prepare(select)
      .all()
      .map((row) => ({ ...row }));
  const before = rows();
  const [[, damage = ""] = []] = eventDamages;
  await damageDatabase(db, damage);
  await runFsck(storeOf(db), true);
  expect(rows()).toEqual([
    before[0],
    { seq: 0, body_type: "", data: '{"actor":{}}' },
    before[2],
    { seq: 2, body_type: "", data: '{"actor":{"subject":"ada"}}' },
  ]);
});
