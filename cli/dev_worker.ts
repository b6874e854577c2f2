/**
 * The Worker of `npm start`, as `wrangler dev` runs it. That command always opens an inspector, by which any
 * program of this machine could read the Worker's secrets; here there is none. Started as
 * `dev_worker.ts JSON`, by start.ts, which is sent the port in the form of `wrangler dev`.
 */
import { unstable_startWorker as startWorker } from "wrangler";

/** What start.ts says of the Worker. */
export interface DevWorker {
  /** The env file with the secrets. */
  keysFile: string;
  /** Folder of the local database. */
  persistTo: string;
  /** Variables that go before those of wrangler.toml. */
  vars: Record<string, string>;
}

const { keysFile, persistTo, vars }: DevWorker = JSON.parse(process.argv[2] ?? "{}");
const worker = await startWorker({
  config: "wrangler.toml",
  envFiles: [keysFile],
  bindings: Object.fromEntries(
    Object.entries(vars).map(([name, value]) => [name, { type: "plain_text", value }]),
  ),
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
