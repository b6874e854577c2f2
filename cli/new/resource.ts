/** `npm run new -- <domain>/<resources>`: creates a resource with everything that `npm run check` asks for. */
import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { failureText, refusedFailure, toFailure, usageFailure } from "../failure.ts";
import { printHelpIfAsked } from "../program_help.ts";
import { projectRoot } from "../project.ts";
import { runProcess } from "../wrangler.ts";
import { type Names, namesOf } from "./names.ts";
import { staged } from "./staged.ts";
import { writeMigration } from "./write_migration.ts";
import { grants, movedTables, writeResource } from "./write_resource.ts";

const usageText = `Usage: npm run new <domain>/<resources>

  domain      A folder of src with a worker.ts, such as events.
  resources   The new resources, in the plural and in snake case, such as webhooks.

Write the proto, the table, the resource file and the test of a new resource. Add its capabilities, its service to the
Worker and its table to the move of an organization. Generate the code and the migration. If the command fails or is
interrupted, it changes nothing.`;

/** The paths that are read and written. Tests of other domains are not among them. */
const pathsOf = ({ domain }: Names) => [
  ...["biome.json", "package.json", movedTables],
  ...["schema", "client", "src", "migrations", "wrangler.toml"],
  ...[`test/${domain}`].filter((path) => existsSync(join(projectRoot, path))),
];

async function main(): Promise<void> {
  printHelpIfAsked(usageText);
  const [path = "", ...others] = process.argv.slice(2);
  if (path === "" || others.length > 0) throw usageFailure(usageText);
  const names = namesOf(path);
  const written = await staged(projectRoot, pathsOf(names), (copy) => write(copy, names));
  console.log(`Wrote ${written.join("\n      ")}

Next, describe in the proto what ${names["a words"]} is, and run npm run gen. Then run:
  UPDATE_GOLDEN=1 npx vitest run test/contract/surface.test.ts   # adds its routes to routes.txt
  npm run check
  npx vitest run test/${names.domain}/${names.plural_snake}.test.ts test/contract`);
}

/** Writes the resource and everything generated from it below `root`. Returns the paths that are not generated. */
async function write(root: string, names: Names): Promise<string[]> {
  const must = async (what: string, program: string, ...args: string[]) => {
    const { code } = await runProcess(program, args, { cwd: root });
    if (code === 0) return;
    throw refusedFailure("RESOURCE", `${what} failed; see above. Nothing was changed.`);
  };
  const { written, capabilities } = writeResource(root, names);
  const code = written.filter((path) => path.endsWith(".ts"));
  // git ignores the folder of the copy.
  await must(
    "biome",
    "node_modules/.bin/biome",
    "check",
    "--write",
    "--vcs-enabled=false",
    ...code,
  );
  await must("npm run gen", process.execPath, "schema/generate.mjs");
  const migration = await writeMigration(root, `create_${names.plural_snake}`);
  if (!migration)
    throw refusedFailure(
      "RESOURCE",
      "The new table needs no migration. Check whether it already exists.",
    );
  appendFileSync(join(root, migration), `--> statement-breakpoint\n${grants(capabilities)}`);
  return [...written, migration];
}

try {
  await main();
} catch (thrown) {
  const failure = toFailure(thrown);
  process.stderr.write(failureText(failure));
  process.exitCode = failure.exitCode;
}
