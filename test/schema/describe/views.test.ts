/** The views that the files of schema/views declare are exactly those of the database. */

import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { schemaChanges, schemaStatements, wantedViews } from "../../../schema/describe/views.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

let migrations: string;
beforeAll(() => {
  migrations = mkdtempSync(join(tmpdir(), "platform-views-"));
  cpSync(join(root, "migrations"), migrations, { recursive: true });
});
afterAll(() => rmSync(migrations, { recursive: true }));

const change = (sql: string) => writeFileSync(join(migrations, "9999_change.sql"), sql);

test("the migrations create exactly the views of the files", async () => {
  expect((await wantedViews(root)).map(({ name }) => name)).toEqual(["tag_moves"]);
  expect(schemaStatements(await schemaChanges(root, migrations))).toBe("");
});

test("a changed view is created again with its triggers, which end with it", async () => {
  change("DROP VIEW tag_moves; CREATE VIEW tag_moves AS SELECT 1 AS repo_uid;");
  const statements = schemaStatements(await schemaChanges(root, migrations));
  expect(statements.match(/^(DROP|CREATE) \w+ \w+/gm)).toEqual([
    "DROP VIEW tag_moves",
    "CREATE VIEW tag_moves",
    "CREATE TRIGGER tag_moves_insert",
    "CREATE TRIGGER tag_moves_delete",
    "CREATE TRIGGER tag_moves_update",
  ]);
  change(`DROP VIEW tag_moves; CREATE VIEW tag_moves AS SELECT 1 AS repo_uid;
    --> statement-breakpoint\n${statements}`);
  expect(schemaStatements(await schemaChanges(root, migrations))).toBe("");
});

test("a view that no file declares is dropped, and a missing trigger of a view is created", async () => {
  change("CREATE VIEW other AS SELECT 1 AS one; DROP TRIGGER tag_moves_delete;");
  const statements = schemaStatements(await schemaChanges(root, migrations));
  expect(statements.match(/^(DROP|CREATE) \w+ \w+/gm)).toEqual([
    "DROP VIEW other",
    "CREATE TRIGGER tag_moves_delete",
  ]);
});
