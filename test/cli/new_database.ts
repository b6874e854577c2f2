/** A database with every migration, in the state that D1 has. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { root } from "./command.ts";

export function newDatabase(): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  const folder = join(root, "migrations");
  for (const name of readdirSync(folder).sort()) {
    if (name.endsWith(".sql")) database.exec(readFileSync(join(folder, name), "utf8"));
  }
  return database;
}
