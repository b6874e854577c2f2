import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { pendingSql } from "../../../cli/local/pending_migrations.ts";
import { migrationNames } from "../../../cli/migrations.ts";
import { newFolder } from "../command.ts";
import { laterFolder } from "../later_migrations.ts";

const newFile = async () => join(await newFolder(), "database.sqlite");

/** Runs SQL. Returns the names in the record of migrations afterwards. */
function recorded(file: string, sql: string): unknown[] {
  const db = new DatabaseSync(file);
  try {
    db.exec(`PRAGMA synchronous = off;\n${sql}`);
    const rows = db.prepare("SELECT name FROM d1_migrations ORDER BY id").all();
    return rows.map(({ name }) => name);
  } finally {
    db.close();
  }
}

test("a database without tables, as an interrupted start leaves it, gets every migration at once, in order", async () => {
  const file = await newFile();
  new DatabaseSync(file).close();
  const sql = await pendingSql(file);
  expect(sql).toBe(await pendingSql(undefined));
  expect(recorded(file, sql)).toEqual(await migrationNames());
  expect(await pendingSql(file)).toBe("");
});

test("a database with data gets only the migrations that it lacks, and keeps its rows", async () => {
  const file = await newFile();
  recorded(file, await pendingSql(undefined));
  const row =
    "INSERT INTO groups (uid, name, create_time, update_time) VALUES ('a', 'kept', 1, 1);";
  recorded(file, row);
  const folder = await laterFolder();
  expect(recorded(file, await pendingSql(file, folder))).toEqual(await migrationNames(folder));
  const db = new DatabaseSync(file);
  expect(db.prepare("SELECT name, color FROM groups").all()).toEqual([
    { name: "kept", color: "grey" },
  ]);
  db.close();
  expect(await pendingSql(file, folder)).toBe("");
});

test.each([
  ["an unreleased version", "0000_create_tables.sql", "was made by an unreleased version"],
  ["a newer version", "9998_add_color.sql", "does not have: 9998_add_color.sql"],
])("a database of %s is refused with what to do", async (_, name, text) => {
  const file = await newFile();
  const sql =
    name === "0000_create_tables.sql"
      ? "CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name TEXT);"
      : await pendingSql(undefined);
  recorded(file, `${sql}\nINSERT INTO d1_migrations (name) VALUES ('${name}');`);
  await expect(pendingSql(file)).rejects.toThrow(text);
});
