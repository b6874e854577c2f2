import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { pendingMigrations } from "../../../cli/local/pending_migrations.ts";
import { migrationNames, migrationSql, recordTable } from "../../../cli/migrations.ts";
import { newFolder } from "../command.ts";

const newFile = async () => join(await newFolder(), "database.sqlite");

/** Runs SQL. Returns the names in the record of migrations afterwards. */
function recorded(file: string, sql: string): unknown[] {
  const db = new DatabaseSync(file);
  db.exec(sql);
  const rows = db.prepare("SELECT name FROM d1_migrations ORDER BY id").all();
  db.close();
  return rows.map(({ name }) => name);
}

test("a database without tables, as an interrupted start leaves it, gets every migration in order", async () => {
  const file = await newFile();
  new DatabaseSync(file).close();
  const names = await migrationNames();
  expect(await pendingMigrations(file)).toBe(await pendingMigrations(undefined));
  expect(recorded(file, await pendingMigrations(file))).toEqual(names);
});

test("an older database gets only the migrations that it lacks, and a current one none", async () => {
  const file = await newFile();
  const names = await migrationNames();
  const older = names.slice(0, -2);
  expect(recorded(file, `${recordTable};\n${await migrationSql(older)}`)).toEqual(older);
  // None can be applied twice: the tables are there.
  expect(recorded(file, await pendingMigrations(file))).toEqual(names);
  expect(await pendingMigrations(file)).toBe(`${recordTable};\n`);
});
