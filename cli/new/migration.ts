/** `npm run migration -- <verb_noun>`: writes the migration for changes in schema/tables. */
import { failureText, toFailure, usageFailure } from "../failure.ts";
import { printHelpIfAsked } from "../program_help.ts";
import { projectRoot } from "../project.ts";
import { staged } from "./staged.ts";
import { writeMigration } from "./write_migration.ts";

const usageText = `Usage: npm run migration -- <verb_noun>

  verb_noun   Name of the migration, such as create_webhooks or add_homepage.`;

try {
  printHelpIfAsked(usageText);
  const [name = "", ...others] = process.argv.slice(2);
  if (!/^[a-z]+(_[a-z0-9]+)+$/.test(name) || others.length > 0) throw usageFailure(usageText);
  const read = ["package.json", "schema", "migrations"];
  const path = await staged(projectRoot, read, (copy) => writeMigration(copy, name));
  console.log(
    path
      ? `Wrote ${path}.`
      : "Nothing to write: the migrations already create all tables and triggers.",
  );
} catch (thrown) {
  const failure = toFailure(thrown);
  process.stderr.write(failureText(failure));
  process.exitCode = failure.exitCode;
}
