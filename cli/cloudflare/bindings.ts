/** The databases and the bucket of a deployment or of this machine, through the bindings of a Worker that wrangler runs. */
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { D1Database, R2Bucket } from "@cloudflare/workers-types";
import { refusedFailure } from "../failure.ts";
import { type Sql, sqlOf } from "../move/sql.ts";
import { projectRoot } from "../project.ts";
import { TemporaryFolder } from "../temporary_folder.ts";
import {
  type D1Binding,
  noDatabase,
  type R2Binding,
  readWranglerToml,
  type WorkerConfig,
} from "./wrangler_toml.ts";

/** The databases by their bindings. `close` must be called at the end. */
export interface BoundDatabases {
  databases: Map<string, Sql>;
  close: () => Promise<void>;
}

/** Opens these databases: the deployed ones, or local ones in the folder of `npm start`. */
export async function openBoundDatabases(
  bindings: D1Binding[],
  location: { folder?: string },
): Promise<BoundDatabases> {
  const { env, close } = await open({ d1_databases: bindings }, location);
  return { databases: databasesOf(env, bindings), close };
}

/** Opens these databases and the bucket like {@link openBoundDatabases}. */
export async function openBindings(
  bindings: D1Binding[],
  location: { folder?: string },
  bucket: R2Binding,
): Promise<BoundDatabases & { bucket: R2Bucket }> {
  const { env, close } = await open({ d1_databases: bindings, r2_buckets: [bucket] }, location);
  return { databases: databasesOf(env, bindings), bucket: env[bucket.binding] as R2Bucket, close };
}

type Bindings = Record<string, D1Database | R2Bucket>;

const databasesOf = (env: Bindings, bindings: D1Binding[]): Map<string, Sql> =>
  new Map(bindings.map(({ binding }) => [binding, sqlOf(env[binding] as D1Database)]));

async function open(
  bindings: { d1_databases: D1Binding[]; r2_buckets?: R2Binding[] },
  location: { folder?: string },
): Promise<{ env: Bindings; close: () => Promise<void> }> {
  const isUncreated = bindings.d1_databases.some(
    (database) => (database.database_id ?? noDatabase) === noDatabase,
  );
  if (location.folder === undefined && isUncreated)
    throw refusedFailure("D1", "The databases do not exist yet. Run `npm run deploy` first.");
  const folder = new TemporaryFolder("platformctl-");
  const configPath = join(await folder.path(), "wrangler.json");
  const remote = location.folder === undefined;
  await writeFile(configPath, configOf(bindings, remote));
  // It takes a second to load, and the package does not contain it.
  const { getPlatformProxy }: typeof import("wrangler") = createRequire(import.meta.url)(
    "wrangler",
  );
  const persist = location.folder === undefined ? false : { path: join(location.folder, "v3") };
  const proxy = await getPlatformProxy<Bindings>({
    configPath,
    persist,
    remoteBindings: remote,
    envFiles: [],
  });
  return {
    env: proxy.env,
    async close() {
      await proxy.dispose();
      await folder.remove();
    },
  };
}

/** Returns the databases in wrangler.toml of an environment, or of its top level. */
export const bindingsOf = (env: string | undefined): D1Binding[] =>
  workerOf(env).d1_databases ?? [];

/** Returns the bucket of the registry, like {@link bindingsOf}. Throws a Failure if the Worker has none. */
export function bucketOf(env: string | undefined): R2Binding {
  const { name, r2_buckets: [bucket] = [] } = workerOf(env);
  if (bucket) return bucket;
  throw refusedFailure(
    "BUCKET",
    `The Worker ${name} in wrangler.toml has no bucket. Leave out --env.`,
  );
}

function workerOf(env: string | undefined): WorkerConfig {
  const toml = readWranglerToml(join(projectRoot, "wrangler.toml"));
  const worker = env === undefined ? toml : toml.env[env];
  if (!worker) throw refusedFailure("WRANGLER_TOML", `wrangler.toml has no environment ${env}.`);
  return worker;
}

const configOf = (
  { d1_databases, r2_buckets = [] }: { d1_databases: D1Binding[]; r2_buckets?: R2Binding[] },
  remote: boolean,
) =>
  JSON.stringify({
    name: "platformctl",
    compatibility_date: "2026-10-01",
    d1_databases: d1_databases.map((database) => ({ ...database, remote })),
    r2_buckets: r2_buckets.map((bucket) => ({ ...bucket, remote })),
  });
