import type { D1Database } from "@cloudflare/workers-types";
import { afterAll, beforeAll, expect, test } from "vitest";
import { changedSchema, unplannedTables } from "../../../cli/move/schema.ts";
import { sqlOf } from "../../../cli/move/sql.ts";
import { type SpreadPlatform, startSpread } from "../../world/spread.ts";

let platform: SpreadPlatform;
beforeAll(async () => {
  platform = await startSpread();
});
afterAll(() => platform.stop());

test("a move knows every table, so none stays behind", async () => {
  expect(await unplannedTables(sqlOf(platform.db))).toEqual([]);
});

test("databases with the same migrations have equal tables, and a further trigger is a difference", async () => {
  const [one, other] = [sqlOf(platform.db), sqlOf(platform.databases.DB_2 as D1Database)];
  expect(await changedSchema(one, other)).toEqual([]);
  await platform.rowsIn("DB_2", "create trigger extra after insert on tags begin select 1; end");
  expect(await changedSchema(one, other)).toEqual(["extra"]);
});
