/** A database with every migration, in the state that D1 has. */
import { copyFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { inject } from "vitest";

/** A copy of the one that the run has made. Its file goes with the folder of the run. */
export function newDatabase(): DatabaseSync {
  const file = join(mkdtempSync(join(tmpdir(), "database-")), "d1.sqlite");
  copyFileSync(inject("database").file, file);
  return new DatabaseSync(file);
}
