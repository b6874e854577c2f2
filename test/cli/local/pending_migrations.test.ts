import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { copyLocally, pendingMigrations } from "../../../cli/local/pending_migrations.ts";
import { migrationNames, migrationSql, recordTable } from "../../../cli/migrations.ts";
import { long } from "../../world/tiers.ts";
import { newFolder } from "../command.ts";

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

/** Migrates the database as `npm start` does. Returns the names in the record afterwards. */
async function migrate(file: string): Promise<unknown[]> {
  let names: unknown[] = [];
  for (const { copy, sql } of await pendingMigrations(file)) {
    if (copy) await copyLocally(file, copy);
    names = recorded(file, sql);
  }
  return names;
}

test("a database without tables, as an interrupted start leaves it, gets every migration at once, in order", async () => {
  const file = await newFile();
  new DatabaseSync(file).close();
  const steps = await pendingMigrations(file);
  expect(steps).toHaveLength(1);
  expect(steps).toEqual(await pendingMigrations(undefined));
  expect(await migrate(file)).toEqual(await migrationNames());
});

test("an older database gets only the migrations that it lacks, and a current one none", async () => {
  const file = await newFile();
  const names = await migrationNames();
  const older = names.slice(0, -3);
  expect(recorded(file, `${recordTable};\n${await migrationSql(older)}`)).toEqual(older);
  // None can be applied twice: the tables are there.
  expect(await migrate(file)).toEqual(names);
  expect(await pendingMigrations(file)).toEqual([]);
});

test(
  "the rows of an older database are copied before the migration that needs it, also after an interruption",
  long,
  async () => {
    const file = await newFile();
    const names = await migrationNames();
    const creating = names.findIndex((name) => name.endsWith("_create_tag_records.sql"));
    recorded(file, `${recordTable};\n${await migrationSql(names.slice(0, creating))}`);
    const db = new DatabaseSync(file);
    db.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 6000)
    INSERT INTO tag_moves (repo_uid, tag, update_time, digest) SELECT 'a', 'latest', i, 'sha256:' || i FROM n`);
    db.close();
    const [first, second] = await pendingMigrations(file);
    expect([first?.copy, second?.copy?.what]).toEqual([undefined, "the history of tags"]);
    recorded(file, first?.sql ?? "");
    expect(() => recorded(file, `BEGIN;\n${second?.sql}`)).toThrow("have not all been copied");
    expect(await migrate(file)).toEqual(names);
    const after = new DatabaseSync(file);
    const rows = after
      .prepare("SELECT count(*) AS n, sum(update_time) AS sum FROM tag_moves")
      .get();
    after.close();
    expect(rows).toEqual({ n: 6000, sum: 6000 * 3000.5 });
  },
);
