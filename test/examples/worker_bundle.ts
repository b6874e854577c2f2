/** A Worker of an example, bundled as wrangler does, in workerd. */
import { build } from "esbuild";
import { Miniflare, convertV4MiniflareOptions as options } from "miniflare";
import type { Delivery } from "../client/webhooks/delivery.ts";

const root = new URL("../..", import.meta.url).pathname;

/** Starts the Worker of a file in `examples`. */
export async function startWorker(path: string, bindings: Record<string, string>) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [`examples/${path}`],
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    conditions: ["checkout"],
  });
  const script = outputFiles[0]?.text ?? "";
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
