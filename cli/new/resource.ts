/** `npm run new -- <domain>/<resources>`: a resource with everything that `npm run check` asks for. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { failureText, refusedFailure, toFailure, usageFailure } from "../failure.ts";
import { printHelpIfAsked } from "../program_help.ts";
import { projectRoot } from "../project.ts";
import { runProcess } from "../wrangler.ts";
import { namesOf } from "./names.ts";
import { writeMigration } from "./write_migration.ts";
import { grants, writeResource } from "./write_resource.ts";

const usageText = `Usage: npm run new <domain>/<resources>

  domain      a folder of src with a worker.ts, as events
  resources   what is new, in the plural and in snake case, as webhooks

Writes the proto, the table, the resource file and the test, gives the resource its capabilities and the Worker
its service; then generates the code and the migration.`;

/** Runs a program of the project. Throws a RESOURCE Failure if it fails. */
async function must(program: string, ...args: string[]): Promise<void> {
  const { code } = await runProcess(join(projectRoot, "node_modules/.bin", program), args);
  if (code !== 0)
    throw refusedFailure("RESOURCE", `${program} ${args.join(" ")} failed, see above.`);
}

async function main(): Promise<void> {
  printHelpIfAsked(usageText);
  const [path = "", ...others] = process.argv.slice(2);
  if (path === "" || others.length > 0) throw usageFailure(usageText);
  const names = namesOf(path);
  const { written, capabilities } = writeResource(projectRoot, names);
  const code = written.filter((one) => one.endsWith(".ts"));
  await must("biome", "check", "--write", ...code.map((one) => join(projectRoot, one)));
  const gen = await runProcess(process.execPath, [join(projectRoot, "schema/generate.mjs")]);
  if (gen.code !== 0) throw refusedFailure("RESOURCE", "npm run gen failed, see above.");
  const migration = await writeMigration(projectRoot, `create_${names.plural_snake}`);
  if (!migration)
    throw refusedFailure("RESOURCE", "the table needs no migration: is it there already?");
  appendFileSync(join(projectRoot, migration), `--> statement-breakpoint\n${grants(capabilities)}`);
  console.log(`Wrote ${[...written, migration].join("\n      ")}

Next: say in the proto what a ${names.words} is, then run npm run gen and npm run check, and
  UPDATE_GOLDEN=1 npx vitest run test/contract/surface.test.ts   # adds its routes to routes.txt
  npx vitest run test/${names.domain}/${names.plural_snake}.test.ts test/contract`);
}

try {
  await main();
} catch (thrown) {
  const failure = toFailure(thrown);
  process.stderr.write(failureText(failure));
  process.exitCode = failure.exitCode;
}
