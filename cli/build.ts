/**
 * Makes `dist`, the JavaScript of the package, since Node strips no types in node_modules: the two programs, and
 * the client with its types. Libraries that are installed along stay imports; what else is imported, as the code of
 * a proto from a large library, becomes part of a program.
 */
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { packageJson, projectRoot } from "./project.ts";
import { runProcess } from "./wrangler.ts";

const dist = join(projectRoot, "dist");
const installed = packageJson();

await rm(dist, { recursive: true, force: true });
await build({
  absWorkingDir: projectRoot,
  entryPoints: ["cli/commands/main.ts", "cli/commands/docker_credential.ts"],
  outdir: dist,
  bundle: true,
  // What a command alone needs stays a file of its own, loaded by that command.
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  external: Object.keys({ ...installed.dependencies, ...installed.peerDependencies }),
  legalComments: "eof",
});
// schema/descriptors.ts reads it beside itself.
await cp(join(projectRoot, "schema/gen/descriptors.binpb"), join(dist, "gen/descriptors.binpb"));
const { code } = await runProcess(join(projectRoot, "node_modules/.bin/tsc"), ["-p", "client"]);
if (code !== 0) process.exit(code);
await nameVersion(join(dist, "client/transport.js"));
// Bundlers leave out what a program does not use of the client, and run all of the programs.
const client = { type: "module", sideEffects: false };
await writeFile(join(dist, "client/package.json"), `${JSON.stringify(client)}\n`);
await cp(join(projectRoot, "client/README.md"), join(dist, "client/README.md"));

/** The client says its version to the platform. A release names it in package.json only. */
async function nameVersion(file: string): Promise<void> {
  const text = await readFile(file, "utf8");
  const name = "platform-api-client/";
  if (!text.includes(`${name}0.0.0`)) throw new Error(`${file} has no version to replace`);
  await writeFile(file, text.replace(`${name}0.0.0`, name + packageJson().version));
}
