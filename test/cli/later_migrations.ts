/** Migrations of a later version, which tests invent. */
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { migrationFolder } from "../../cli/migrations.ts";
import { newFolder } from "./command.ts";

/** Returns a folder with the migrations of this checkout, one that adds a column, and one that waits for all Workers. */
export async function laterFolder(): Promise<string> {
  const folder = await newFolder();
  cpSync(migrationFolder, folder, { recursive: true });
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write("9998_add_color.sql", "ALTER TABLE groups ADD color text DEFAULT 'grey' NOT NULL;");
  write("9999_drop_acceptances.sql", "DROP TABLE terms_acceptances;");
  return folder;
}
