/** @module-tag long */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BoundDatabases, openBoundDatabases } from "../../../cli/cloudflare/bindings.ts";
import { noDatabase } from "../../../cli/cloudflare/wrangler_toml.ts";
import { moveOrganization } from "../../../cli/move/move.ts";
import { run } from "../../../cli/move/sql.ts";
import { copyDatabase } from "../../world/own_platform.ts";

const root = "c".repeat(40);
let folder: string;
let opened: BoundDatabases;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "move-"));
  await copyDatabase(join(folder, "v3"), ["DB_2"]);
  opened = await openBoundDatabases(
    [
      { binding: "DB", database_name: "one", database_id: noDatabase },
      { binding: "DB_2", database_name: "two", database_id: "DB_2" },
    ],
    { folder },
  );
});
afterAll(async () => {
  await opened.close();
  await rm(folder, { recursive: true });
});

test("a move reaches the databases of this machine through their bindings", async () => {
  const { databases } = opened;
  const [one, two] = [databases.get("DB"), databases.get("DB_2")];
  if (!one || !two) throw new Error(`found ${[...databases.keys()]}`);
  await run(
    one,
    "INSERT INTO groups (uid, name, create_time, update_time) VALUES (?, 'o', 1, 1)",
    root,
  );
  expect(await moveOrganization({ databases, root, to: "DB_2" })).toMatchObject({
    from: "DB",
    to: "DB_2",
  });
  const groups = "SELECT uid FROM groups";
  expect([await run(one, groups), await run(two, groups)]).toEqual([[], [{ uid: root }]]);
}, 120_000);

test("an unknown database and an unknown organization are named", async () => {
  const { databases } = opened;
  await expect(moveOrganization({ databases, root, to: "DB_3" })).rejects.toThrow(
    "There is no database DB_3. The databases are: DB, DB_2.",
  );
  const other = "d".repeat(40);
  await expect(moveOrganization({ databases, root: other, to: "DB_2" })).rejects.toThrow(
    `There is no organization ${other}.`,
  );
});
