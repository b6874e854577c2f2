/** The platform of the races: a Worker whose D1 the test can stop, run and reset. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { Miniflare, convertV4MiniflareOptions as options, type V4WorkerOptions } from "miniflare";
import { inject } from "vitest";
import { unstable_getMiniflareWorkerOptions as optionsOf } from "wrangler";
import { applyMigrations } from "../world/migrations.ts";
import {
  type Columns,
  type Run,
  type RunRecord,
  type StageCommand,
  stagePath,
  type UpstreamPages,
} from "./protocol.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const entry = "./platform.js";

/** The module in front of the platform. */
function stageModule(): string {
  const contents = `import platform from ${JSON.stringify(entry)};
    import { door, stageOf } from "./main.ts";
    export const Stage = stageOf(platform);
    export default door;`;
  const resolveDir = join(root, "test/races/worker");
  const { outputFiles } = buildSync({
    stdin: { contents, resolveDir, loader: "ts" },
    ...{ bundle: true, write: false, format: "esm", target: "es2024" },
    external: [entry, "node:*", "cloudflare:*"],
  });
  return outputFiles[0]?.text ?? "";
}

async function startWorker(bindings: Record<string, string>) {
  const platform = optionsOf(join(root, "wrangler.toml")).workerOptions as V4WorkerOptions;
  const { d1Databases: _, ...rest } = platform;
  return new Miniflare(
    options({
      ...rest,
      // Its Worker has no consumer.
      ...{ queueProducers: {}, queueConsumers: {} },
      name: "platform",
      compatibilityFlags: [...(platform.compatibilityFlags ?? []), "nodejs_als"],
      durableObjects: { RACES: { className: "Stage", useSQLite: true } },
      modules: [
        { type: "ESModule", path: "stage.js", contents: stageModule() },
        { type: "ESModule", path: entry, contents: await readFile(inject("bundle"), "utf8") },
      ],
      bindings: {
        ...platform.bindings,
        SIGNING_KEYS: inject("signingKeys"),
        PAGE_TOKEN_KEYS: inject("pageTokenKeys"),
        ENCRYPTION_KEYS: inject("encryptionKeys"),
        RATE_LIMITS: "off",
        ...bindings,
      },
      unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
    }),
  );
}

export interface RaceStage {
  url: string;
  /** Milliseconds since 1970 in UTC: the current time while the world is created. */
  time: number;
  sql<Row = Record<string, unknown>>(query: string, ...values: unknown[]): Promise<Row[]>;
  /** The OpenID provider from now on. */
  serve(pages: UpstreamPages): Promise<void>;
  /** Makes the current rows those of the world, which every run begins with. */
  snapshot(): Promise<Columns>;
  runs(runs: Run[]): Promise<RunRecord[]>;
  /** Whether every row is the same as before. */
  isWhole(): Promise<boolean>;
  stop(): Promise<void>;
}

/** Starts it. `bindings` override the variables of wrangler.toml. */
export async function startStage(bindings: Record<string, string>): Promise<RaceStage> {
  const miniflare = await startWorker(bindings);
  const url = (await miniflare.unsafeGetDirectURL("platform")).origin;
  const ask = async <T>(asked: StageCommand): Promise<T> => {
    const body = JSON.stringify(asked);
    const response = await fetch(`${url}${stagePath}`, { method: "POST", body });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return JSON.parse(text) as T;
  };
  await applyMigrations({
    prepare: (query: string) => ({ query, values: [] }),
    batch: (statements) => ask({ do: "sql", statements }),
  });
  const time = Date.now();
  await ask({ do: "clock", time });
  return {
    ...{ url, time },
    async sql<Row>(query: string, ...values: unknown[]) {
      const [rows] = await ask<Row[][]>({ do: "sql", statements: [{ query, values }] });
      return rows ?? [];
    },
    serve: (pages) => ask({ do: "upstream", pages }),
    snapshot: () => ask({ do: "snapshot" }),
    runs: (runs) => ask({ do: "runs", runs }),
    isWhole: async () => (await ask<{ isWhole: boolean }>({ do: "compare" })).isWhole,
    stop: () => miniflare.dispose(),
  };
}
