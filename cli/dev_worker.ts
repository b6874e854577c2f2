/**
 * Runs the Worker of `npm start` in the way that `wrangler dev` does, but without an inspector. `wrangler dev` always
 * opens one, and any program on this machine could read the secrets of the Worker through it. `start.ts` runs this file
 * as `dev_worker.ts JSON` and receives the port as a message in the form that `wrangler dev` uses.
 */
import { unstable_startWorker as startWorker } from "wrangler";
import { rateBindings, rateClasses, ratePeriod } from "../schema/deployment/rate_limits.ts";

/** The JSON argument. */
export interface DevWorker {
  /** The env file with the secrets. */
  keysFile: string;
  /** The folder of the local database. */
  persistTo: string;
  /** Variables that override those of wrangler.toml. */
  vars: Record<string, string>;
}

const { keysFile, persistTo, vars }: DevWorker = JSON.parse(process.argv[2] ?? "{}");
const worker = await startWorker({
  config: "wrangler.toml",
  envFiles: [keysFile],
  bindings: {
    ...Object.fromEntries(
      Object.entries(vars).map(([name, value]) => [name, { type: "plain_text", value } as const]),
    ),
    ...countersOf(vars.RATE_LIMITS),
  },
  dev: {
    server: { hostname: "127.0.0.1", port: 0 },
    inspector: false,
    persist: persistTo,
    logLevel: "warn",
    remote: false,
  },
});
await worker.ready;
const { port } = await worker.url;
process.send?.(JSON.stringify({ port: Number(port) }));

/** The bindings that count calls, if the limits are not those of wrangler.toml. */
function countersOf(changes = "off") {
  // The Worker reports a text that is not JSON.
  if (!changes.startsWith("{")) return {};
  const bindings = rateBindings(JSON.parse(changes), rateClasses, 1);
  return Object.fromEntries(
    bindings.map(({ name, namespace, limit }) => [
      name,
      {
        type: "ratelimit",
        namespace_id: namespace,
        simple: { limit, period: ratePeriod },
      } as const,
    ]),
  );
}

/**
 * Does the part of Cloudflare that runs the schedule of a deployed Worker. The path belongs to miniflare, and the front
 * door does not pass it on.
 */
async function runSchedule(): Promise<void> {
  const path = "/cdn-cgi/local/scheduled?cron=*+*+*+*+*";
  const { status } = await worker.fetch(`http://localhost${path}`);
  if (status !== 200) console.error(`The schedule of the Worker failed with status ${status}.`);
}
await runSchedule();
setInterval(runSchedule, 60_000);
