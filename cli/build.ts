/**
 * Builds `dist`, the JavaScript of the package: the two programs, and the client with its types. The package needs it
 * because Node does not strip types in node_modules. Dependencies that npm installs with the package stay imports.
 * Everything else becomes part of a program, such as the code of one proto from a large library.
 */
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { readCommit } from "./commands/version.ts";
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
  // Code that only one command needs stays in its own file, which that command loads.
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  external: [
    ...Object.keys({ ...installed.dependencies, ...installed.peerDependencies }),
    // They run only in a checkout, and the package does not contain them.
    "../move/command.ts",
    "../fsck/bucket/command.ts",
    "../local/statements.ts",
  ],
  legalComments: "eof",
});
// schema/descriptors.ts reads the file from its own folder.
await cp(join(projectRoot, "schema/gen/descriptors.binpb"), join(dist, "gen/descriptors.binpb"));
// A package that was built outside of git has no commit to name.
await writeFile(join(dist, "commit.txt"), await readCommit().catch(() => ""));
const { code } = await runProcess(join(projectRoot, "node_modules/.bin/tsc"), ["-p", "client"]);
if (code !== 0) process.exit(code);
await nameVersion(join(dist, "client/transport.js"));
// A bundler may drop the parts of the client that a program does not use. The programs have side effects.
const client = { type: "module", sideEffects: false };
await writeFile(join(dist, "client/package.json"), `${JSON.stringify(client)}\n`);
await cp(join(projectRoot, "client/README.md"), join(dist, "client/README.md"));

/**
 * Writes the version into the client, which sends it to the platform. A release names its version only in package.json.
 */
async function nameVersion(file: string): Promise<void> {
  const text = await readFile(file, "utf8");
  const name = "platform-api-client/";
  if (!text.includes(`${name}0.0.0`)) throw new Error(`${file} has no version to replace`);
  await writeFile(file, text.replace(`${name}0.0.0`, name + packageJson().version));
}
