/**
 * Runs the Worker of `npm start` with miniflare, on the local D1 and R2 of wrangler. `wrangler dev` does the same. With
 * it, each request also passes a proxy in a process of its own, and Workers for routes and assets. Together they cost
 * more than a simple request itself. It also opens an inspector, through which any program on this machine could read
 * the secrets of the Worker. `start.ts` runs this file as `dev_worker.ts JSON` and receives the port as a message.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { build, stop } from "esbuild";
import {
  Log,
  LogLevel,
  Miniflare,
  convertV4MiniflareOptions as options,
  type V4WorkerOptions,
} from "miniflare";
import { unstable_getMiniflareWorkerOptions as optionsOf } from "wrangler";
import { rateBindings, rateClasses, ratePeriod } from "../schema/deployment/rate_limits.ts";
import { projectRoot } from "./project.ts";

/** The JSON argument. */
export interface DevWorker {
  /** The env file with the secrets. */
  keysFile: string;
  /** The folder of the local database. */
  persistTo: string;
  /** Variables that override those of wrangler.toml. */
  vars: Record<string, string>;
}

/** The Worker with the files of the site. Calls do not pass it. */
const pages = "pages";

const { keysFile, persistTo, vars }: DevWorker = JSON.parse(process.argv[2] ?? "{}");
const secrets = parseEnv(readFileSync(keysFile, "utf8")) as Record<string, string>;
const configured = optionsOf(join(projectRoot, "wrangler.toml"));
const { assets, ...worker } = configured.workerOptions as V4WorkerOptions;
if (!configured.main || !assets) throw new Error("wrangler.toml has no Worker with assets.");
const miniflare = new Miniflare(
  options({
    log: new Log(LogLevel.WARN),
    handleStructuredLogs: ({ level, message }) => {
      if (level === "warn" || level === "error") console.error(message);
    },
    // The folder in which wrangler keeps what is local.
    resourcePersistencePath: join(persistTo, "v3"),
    workers: [
      {
        ...worker,
        name: "platform",
        modules: [esModule("platform.js", await bundle(configured.main))],
        bindings: { ...worker.bindings, ...secrets, ...vars },
        ratelimits: { ...worker.ratelimits, ...countersOf(vars.RATE_LIMITS) },
        serviceBindings: { ...worker.serviceBindings, ASSETS: pages },
        // Without this socket, a Worker of miniflare reads and copies each request first.
        unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
      },
      {
        name: pages,
        modules: [esModule("pages.js", "export default { fetch() {} };")],
        assets: { ...assets, run_worker_first: false, routerConfig: { has_user_worker: false } },
      },
    ],
  }),
);
const { port } = await miniflare.unsafeGetDirectURL("platform");
process.send?.(JSON.stringify({ port: Number(port) }));

/** A module of a Worker. */
function esModule(path: string, contents: string) {
  return { type: "ESModule" as const, path, contents };
}

/** Bundles the Worker as wrangler does for a deployment. */
async function bundle(main: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [main],
    bundle: true,
    write: false as const,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    sourcemap: "inline",
    external: ["cloudflare:*"],
    // No one reads the line of each request, and miniflare would read it from a pipe. Warnings and errors are printed.
    banner: { js: "console.log = () => undefined;" },
    define: { "process.env.NODE_ENV": '"production"' },
  });
  await stop();
  return outputFiles.map(({ text }) => text).join("");
}

/** The bindings that count calls, if the limits are not those of wrangler.toml. */
function countersOf(changes = "off") {
  // The Worker reports a text that is not JSON.
  if (!changes.startsWith("{")) return {};
  const bindings = rateBindings(JSON.parse(changes), rateClasses, 1);
  return Object.fromEntries(
    bindings.map(({ name, namespace, limit }) => [
      name,
      { namespace_id: namespace, simple: { limit, period: ratePeriod } },
    ]),
  );
}

/** Does the part of Cloudflare that runs the schedule of a deployed Worker. Ends the process if the Worker has ended. */
async function runSchedule(): Promise<void> {
  try {
    const { outcome } = await (await miniflare.getWorker("platform")).scheduled({
      cron: "* * * * *",
    });
    if (outcome !== "ok") console.error(`The schedule of the Worker ended with ${outcome}.`);
  } catch (error) {
    if (!(error instanceof TypeError && error.cause)) throw error;
    // No connection: `start.ts` has ended the Worker, or says that it has ended.
    process.exit(1);
  }
}
await runSchedule();
setInterval(runSchedule, 60_000);
