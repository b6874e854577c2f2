/** Bundles every Worker as `runWrangler deploy` uploads it, and an empty one for comparison. */
import { mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { uploadPattern } from "../../cli/check/sizes.ts";
import { readWranglerToml } from "../../cli/cloudflare/wrangler_toml.ts";
import { projectRoot } from "../../cli/project.ts";
import { runWrangler, withoutColors } from "../../cli/wrangler.ts";

/** The upload of one Worker. */
export interface Bundle {
  /** A domain, `platform` for all domains in one Worker, or `empty` for a Worker without code. */
  name: string;
  /** The path of its only module. */
  module: string;
  /** In KiB, as wrangler reports them. Cloudflare's limit counts the KiB of gzip. */
  kib: number;
  gzipKib: number;
}

export const emptyName = "empty";

/** The name of the Worker that is the whole platform. */
export const platformName = "platform";

/** The settings of wrangler.toml for bundling and running a Worker. */
export const toml = readWranglerToml(join(projectRoot, "wrangler.toml"));

/** Bundles the empty Worker, the platform and every domain below `folder`, one after another. */
export async function bundleAll(folder: string, say: (line: string) => void): Promise<Bundle[]> {
  const bundles = [await bundleEmpty(join(folder, emptyName))];
  for (const env of ["", ...Object.keys(toml.env)]) {
    const name = env || platformName;
    say(`bundling ${name}`);
    const main = toml.env[env]?.main ?? toml.main;
    bundles.push(await bundle(name, main, [`--env=${env}`], join(folder, name)));
  }
  return bundles;
}

async function bundleEmpty(folder: string): Promise<Bundle> {
  await mkdir(folder, { recursive: true });
  const main = join(folder, "empty.js");
  await writeFile(main, "export default { fetch: () => new Response() };\n");
  const { compatibility_date, compatibility_flags } = toml;
  const config = join(folder, "wrangler.json");
  await writeFile(
    config,
    JSON.stringify({ name: emptyName, main, compatibility_date, compatibility_flags }),
  );
  return bundle(emptyName, main, ["--config", config], join(folder, "out"));
}

async function bundle(name: string, main: string, args: string[], outdir: string): Promise<Bundle> {
  const { code, out, err } = await runWrangler(
    ["deploy", "--dry-run", "--minify", "--outdir", outdir, ...args],
    { quiet: true, env: { CLOUDFLARE_CF_FETCH_ENABLED: "false", CI: "true" } },
  );
  const size = uploadPattern.exec(withoutColors(out));
  if (code !== 0 || !size) throw new Error(`${name} cannot be bundled: ${out}${err}`);
  const [, kib, gzipKib] = size.map(Number);
  const module = join(outdir, `${basename(main).replace(/\.[jt]s$/, "")}.js`);
  return { name, module, kib: Number(kib), gzipKib: Number(gzipKib) };
}
