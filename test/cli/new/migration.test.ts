/**
 * A migration is written for a table and its triggers, in a copy of the source files of migrations.
 * @module-tag long
 */
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeMigration } from "../../../cli/new/write_migration.ts";
import { migratedTriggers } from "../../../schema/describe/triggers.ts";
import { root } from "../command.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "platform-migration-"));
  for (const path of [
    "schema/drizzle.config.ts",
    "package.json",
    "migrations",
    "schema/tables",
    "schema/views",
  ]) {
    cpSync(join(root, path), join(folder, path), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a table file with the given triggers. */
const petsWith = (name: string, triggers: string) =>
  writeFileSync(
    join(folder, `schema/tables/${name}.ts`),
    `import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { groups } from "./iam/groups.ts";
import { countRows, requireParent, requireRow } from "./triggers.ts";
export const ${name} = sqliteTable("${name}", { uid: text("uid").primaryKey(), role: text("role") });
export const triggers = () => [${triggers}];
`,
  );

test("nothing is written if the migrations match the tables", async () => {
  expect(await writeMigration(folder, "change_nothing")).toBeUndefined();
});

test("a new table gets its triggers in the migration that creates it", async () => {
  petsWith("pets", "countRows(pets), requireParent(pets, groups)");
  const path = (await writeMigration(folder, "create_pets")) ?? "";
  expect(path).toMatch(/^migrations\/\d{4}_create_pets\.sql$/);
  const text = readFileSync(join(folder, path), "utf8");
  expect(text).toMatch(/^CREATE TABLE `pets`/);
  expect(text.match(/^CREATE TRIGGER \w+/gm)).toEqual([
    "CREATE TRIGGER pets_count_insert",
    "CREATE TRIGGER pets_count_delete",
    "CREATE TRIGGER pets_require_parent",
  ]);
  const made = migratedTriggers(join(folder, "migrations")).filter(({ table }) => table === "pets");
  expect(made).toHaveLength(3);
  const snapshots = readdirSync(join(folder, "migrations/meta")).filter((one) =>
    /snapshot/.test(one),
  );
  expect(snapshots).toEqual([
    `${path.slice("migrations/".length, -"_create_pets.sql".length)}_snapshot.json`,
  ]);
});

test("a trigger that is added or removed alone has its own migration", async () => {
  // Under another name, since a module is read once.
  rmSync(join(folder, "schema/tables/pets.ts"));
  petsWith("pets_again", "requireParent(pets, groups)");
  const again = join(folder, "schema/tables/pets_again.ts");
  writeFileSync(again, readFileSync(again, "utf8").replaceAll("pets_again", "pets"));
  const path = (await writeMigration(folder, "drop_counts")) ?? "";
  expect(readFileSync(join(folder, path), "utf8")).toBe(
    "DROP TRIGGER pets_count_insert;\n--> statement-breakpoint\nDROP TRIGGER pets_count_delete;\n",
  );
  expect(await writeMigration(folder, "change_nothing")).toBeUndefined();
});
