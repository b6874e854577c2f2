/**
 * The platform's Worker as wrangler bundles it and wrangler.toml configures it, and a second Worker that runs
 * SQL on its D1. Both have their own sockets. Through the proxy of the development server or of wrangler's
 * test harness, a call takes several times as long.
 */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Miniflare, convertV4MiniflareOptions as options, type V4WorkerOptions } from "miniflare";
import { unstable_getMiniflareWorkerOptions as optionsOf } from "wrangler";
import { runWrangler } from "../../cli/wrangler.ts";
import { sqlName, sqlWorker } from "./databases.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const unsafeDirectSockets = [{ host: "127.0.0.1", port: 0 }];

/**
 * Starts both on the database in that folder. `text` is the source of the platform's module, and `sql` that of the other.
 * `object` is that of the module which runs the platform in an object with its database. Without it, the database is a
 * local D1. `bindings` override the variables of wrangler.toml.
 */
export async function startWorkers(
  folder: string,
  { text, sql, object }: { text: string; sql: string; object: string | undefined },
  bindings: Record<string, string>,
  handleStructuredLogs: (log: { level: string; message: string }) => void,
) {
  const platform = optionsOf(join(root, "wrangler.toml")).workerOptions as V4WorkerOptions;
  const module = { type: "ESModule" as const, path: "./platform.js", contents: text };
  const own: V4WorkerOptions = {
    ...platform,
    // Tests that send events start a platform of their own (own_platform.ts).
    ...{ queueProducers: {}, queueConsumers: {} },
    name: "platform",
    bindings: { ...platform.bindings, ...bindings },
    unsafeDirectSockets,
  };
  const workers = object
    ? [
        {
          ...own,
          ...{ d1Databases: {}, durableObjects: { OBJECT: { className, useSQLite: true } } },
          modules: [{ type: "ESModule" as const, path: "object.js", contents: object }, module],
        },
        sqlWorker(
          passOn,
          { ...platform, d1Databases: {} },
          { OBJECT: { className, scriptName: "platform" } },
        ),
      ]
    : [{ ...own, modules: [module] }, sqlWorker(sql, platform)];
  const miniflare = new Miniflare(
    options({ handleStructuredLogs, workers, resourcePersistencePath: folder }),
  );
  const sqlUrl = (await miniflare.unsafeGetDirectURL(sqlName)).origin;
  return {
    platformUrl: (await miniflare.unsafeGetDirectURL("platform")).origin,
    sqlUrl,
    stop: () => miniflare.dispose(),
  };
}

const className = "PlatformObject";

/** The source of the Worker that has the object run a test's statements. */
const passOn = `export default { fetch: (request, { OBJECT }) => OBJECT.getByName("one").fetch("http://sql/", request) };`;

/** Returns the source of the module that runs the platform in an object (object.ts). */
export async function bundleObject(): Promise<string> {
  const contents = `import platform from "./platform.js";
    import { door, objectOf } from "./object.ts";
    export const ${className} = objectOf(platform);
    export default door;`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: join(root, "test/world"), loader: "ts" },
    ...{ bundle: true, write: false, format: "esm", target: "es2024" },
    external: ["./platform.js"],
  });
  return outputFiles[0]?.text ?? "";
}

/** Returns the source of the platform's module. */
export async function bundlePlatform(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "platform-test-bundle-"));
  const args = ["deploy", "--dry-run", "--config", "wrangler.toml", "--outdir", folder];
  const { code, out, err } = await runWrangler(args, { quiet: true });
  if (code !== 0) throw new Error(`${out}${err}`);
  const file = (await readdir(folder)).find((name) => name.endsWith(".js")) ?? "";
  const text = await readFile(join(folder, file), "utf8");
  await rm(folder, { recursive: true });
  return text;
}
