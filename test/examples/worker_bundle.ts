/** A Worker of an example, bundled by wrangler with the configuration of the example, in workerd. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Miniflare, convertV4MiniflareOptions as options } from "miniflare";
import { runWrangler } from "../../cli/wrangler.ts";
import type { Delivery } from "../client/webhooks/delivery.ts";

/** Returns the script that wrangler would deploy. */
async function bundle(folder: string, name: string): Promise<string> {
  const out = await mkdtemp(join(tmpdir(), "example-worker-"));
  try {
    const config = `--config=examples/${folder}/wrangler.toml`;
    const { code, err } = await runWrangler(["deploy", "--dry-run", `--outdir=${out}`, config], {
      quiet: true,
      env: { CLOUDFLARE_CF_FETCH_ENABLED: "false", CI: "true" },
    });
    if (code !== 0) throw new Error(err);
    return await readFile(join(out, `${name}.js`), "utf8");
  } finally {
    await rm(out, { recursive: true });
  }
}

/** Starts the Worker of a folder in `examples`. */
export async function startWorker(folder: string, name: string, bindings: Record<string, string>) {
  const script = await bundle(folder, name);
  const worker = new Miniflare(
    options({ modules: true, script, compatibilityDate: "2026-10-01", bindings }),
  );
  return {
    /** Sends a delivery. Returns the status. */
    async deliver({ headers, body }: Delivery): Promise<number> {
      const init = { method: "POST", headers, body };
      return (await worker.dispatchFetch("https://hooks.example/", init)).status;
    },
    [Symbol.asyncDispose]: () => worker.dispose(),
  };
}
