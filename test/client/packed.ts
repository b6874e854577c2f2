/** The package as npm publishes it: packed, and installed in a temporary folder. */

import { execFile } from "node:child_process";
import { access, constants, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { takeLock } from "../../cli/local/file_lock.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const execute = promisify(execFile);

/** Packs this checkout into a folder. */
export async function pack(folder: string): Promise<Packed> {
  // It is built in `dist`, and tests of other files may be packing it now.
  const unlock = await takeLock(join(root, "node_modules/.cache/pack.lock"), 120_000);
  try {
    const args = ["pack", "--json", "--pack-destination", folder];
    const stdout = await runNpm(args, root);
    // The output of `prepack` comes before it.
    const [{ filename, files, size }] = JSON.parse(stdout.slice(stdout.indexOf("[\n")));
    const paths = (files as { path: string }[]).map(({ path }) => path);
    return { tarball: join(folder, filename), files: paths, size };
  } finally {
    unlock?.();
  }
}

/** Runs npm and returns its output. Its cache is below the folder of the user, if that is writable. */
export async function runNpm(args: string[], cwd: string): Promise<string> {
  const isWritable = await access(homedir(), constants.W_OK).then(
    () => true,
    () => false,
  );
  const own = isWritable ? {} : { npm_config_cache: join(tmpdir(), "npm-cache") };
  const { stdout } = await execute("npm", args, { cwd, env: { ...process.env, ...own } });
  return stdout;
}

/** A packed package: the path of its file, the paths in it, and its size in bytes. */
type Packed = { tarball: string; files: string[]; size: number };

/** A project with the unpacked package. Of its libraries there is only jose, which the part for webhooks imports. */
export async function installPackedClient() {
  const folder = await mkdtemp(join(tmpdir(), "client-"));
  const packed = await pack(folder);
  const home = join(folder, "node_modules/platform-api");
  await mkdir(home, { recursive: true });
  await execute("tar", ["-xzf", packed.tarball, "--strip", "1", "-C", home]);
  await symlink(join(root, "node_modules/jose"), join(folder, "node_modules/jose"));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');

  /** Runs a module of the project in plain Node. Returns its output. */
  const run = async (name: string, text: string, env: NodeJS.ProcessEnv = {}): Promise<string> => {
    await writeFile(join(folder, name), text);
    const PATH = folder + delimiter + process.env.PATH;
    const options = { cwd: folder, env: { ...process.env, PATH, ...env } };
    return (await execute(process.execPath, [name], options)).stdout;
  };

  /** Checks the types of modules with the strictest options. Returns the output of tsc. */
  const typecheck = async (files: Record<string, string>): Promise<string> => {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const flags = "--noEmit --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess".split(
      " ",
    );
    const platform = "--module nodenext --target es2022 --lib es2023,dom,dom.iterable --types node";
    const roots = ["--typeRoots", join(root, "node_modules/@types")];
    const tsc = join(root, "node_modules/.bin/tsc");
    try {
      const all = [...flags, ...platform.split(" "), ...roots, ...Object.keys(files)];
      return (await execute(tsc, all, { cwd: folder })).stdout;
    } catch (error) {
      return (error as { stdout: string }).stdout;
    }
  };

  /** Bundles a module for browsers and Workers. The import of a module that only Node has would fail. */
  const bundle = async (name: string, text: string, globalName?: string): Promise<string> => {
    await writeFile(join(folder, name), text);
    const { outputFiles } = await build({
      absWorkingDir: folder,
      entryPoints: [name],
      bundle: true,
      minify: true,
      write: false,
      platform: "browser",
      target: "es2022",
      ...(globalName ? { format: "iife" as const, globalName } : { format: "esm" as const }),
    });
    return outputFiles[0]?.text ?? "";
  };

  return {
    folder,
    files: packed.files,
    run,
    typecheck,
    bundle,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}
