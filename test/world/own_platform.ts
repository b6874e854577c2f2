/** A separate platform for a test: the shared module, with its own bindings and database. */
import { copyFile, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { D1Database } from "@cloudflare/workers-types";
import { Miniflare, convertV4MiniflareOptions as options, type V4WorkerOptions } from "miniflare";
import { inject } from "vitest";
import { unstable_getMiniflareWorkerOptions as optionsOf } from "wrangler";
import { placeOf } from "../../cli/local/databases.ts";
import {
  type RateLimitChanges,
  rateBindings,
  rateClasses,
  ratePeriod,
} from "../../schema/deployment/rate_limits.ts";
import type { Env } from "../../src/config.ts";
import { databaseAt, sqlName, sqlWorker } from "./databases.ts";
import { checkLogs, takeLogs } from "./logs.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const platform = optionsOf(join(root, "wrangler.toml")).workerOptions as V4WorkerOptions;

interface Setting {
  /** They override the variables of wrangler.toml and the secrets of the tests. */
  bindings?: Record<string, string>;
  /** Responds to every request that the Worker sends. Without it, requests go to their addresses. */
  network?: (request: Request) => Promise<Response>;
  /** True if events are sent. Without it, there is no queue. */
  sendsEvents?: boolean;
  /**
   * The source of a module around the platform's, which it imports as `platform.js`. It can replace bindings.
   */
  wrapper?: string;
  /** The port to listen on. By default any free one. */
  port?: number;
  /** The names of further databases, such as `DB_2`. */
  further?: string[];
  /** The folder of the database, which stays. Without it, the database is deleted with the platform. */
  folder?: string;
  /** False if the folder has a database already. */
  isNew?: boolean;
  /** True if the platform has credentials for the S3 API of its bucket, which this machine serves. */
  hasS3?: boolean;
  /** The rate limits that differ from the defaults. Without them, there are none. */
  rateLimits?: RateLimitChanges;
  /** Whether the Worker counts calls itself, because it has no bindings for that. */
  countsItself?: boolean;
  /** Receives the output of the platform and the runtime. Without it, `expectLog` checks errors. */
  log?: (message: string) => void;
}

/**
 * Copies a database with every migration and nothing else to the place where a Worker of that folder looks
 * for it.
 */
export async function copyDatabase(folder: string, further: string[] = []): Promise<void> {
  const { file, place } = inject("database");
  await mkdir(dirname(join(folder, place)), { recursive: true });
  for (const copy of [place, ...further.map(placeOf)]) await copyFile(file, join(folder, copy));
}

/**
 * Starts the platform on a migrated database. `stop` stops it. `env` is for code of a Worker that runs in the
 * process of the test.
 */
export async function startOwnPlatform({
  bindings,
  network,
  sendsEvents = false,
  wrapper,
  port = 0,
  further = [],
  folder,
  isNew = true,
  hasS3 = false,
  rateLimits,
  countsItself = false,
  log,
}: Setting = {}) {
  const own = folder ?? (await mkdtemp(join(tmpdir(), "platform-test-")));
  if (isNew) await copyDatabase(own, further);
  const contents = await readFile(inject("bundle"), "utf8");
  const s3 = hasS3 ? await newS3() : undefined;
  const variables = {
    ...platform.bindings,
    ...s3?.variables,
    SIGNING_KEYS: inject("signingKeys"),
    PAGE_TOKEN_KEYS: inject("pageTokenKeys"),
    ENCRYPTION_KEYS: inject("encryptionKeys"),
    RATE_LIMITS: rateLimits ? JSON.stringify(rateLimits) : "off",
    ...bindings,
  };
  const d1Databases = {
    ...(platform.d1Databases as Record<string, { id: string }>),
    ...Object.fromEntries(further.map((name) => [name, { id: name }])),
  };
  let miniflare: Miniflare | undefined = new Miniflare(
    options({
      workers: [
        {
          ...platform,
          ...(sendsEvents ? {} : { queueProducers: {}, queueConsumers: {} }),
          name: "platform",
          modules: [
            ...(wrapper
              ? [{ type: "ESModule" as const, path: "wrapper.js", contents: wrapper }]
              : []),
            { type: "ESModule", path: "platform.js", contents },
          ],
          bindings: variables,
          d1Databases,
          ratelimits: rateLimits && !countsItself ? countersOf(rateLimits) : {},
          ...(s3 ? { r2Buckets: { BLOBS: s3.bucket } } : {}),
          ...(network ? { outboundService: network as never } : {}),
          unsafeDirectSockets: [{ host: "127.0.0.1", port }],
        },
        sqlWorker(inject("sqlModule"), { ...platform, d1Databases }),
      ],
      resourcePersistencePath: own,
      ...(s3 ? { port: s3.port } : {}),
      handleStructuredLogs: log ? checked(log) : takeLogs(inject("logs")),
    }),
  );
  const { origin: sqlUrl } = await miniflare.unsafeGetDirectURL(sqlName);
  const db = databaseAt(sqlUrl);
  const others = further.map((name) => [name, databaseAt(sqlUrl, name)] as const);
  const { origin } = await miniflare.unsafeGetDirectURL("platform");
  const stop = async () => {
    await miniflare?.dispose();
    // The modules of tests stay until the run ends, and with them what this function returns.
    miniflare = undefined;
    if (!folder) await rm(own, { recursive: true });
  };
  const running = () => {
    if (!miniflare) throw new Error("the platform has been stopped");
    return miniflare;
  };
  /** Runs the schedule of the Worker. Throws its error. */
  const runSchedule = async () => {
    const worker = await running().getWorker("platform");
    const { outcome } = await worker.scheduled({ cron: "* * * * *" });
    if (outcome !== "ok") throw new Error(`the schedule ended with ${outcome}`);
  };
  /** The bucket itself, for objects that no request of the registry would write. */
  const bucket = () => running().getR2Bucket("BLOBS", "platform");
  /** The keys of all objects in the bucket. */
  const listObjects = async () => (await (await bucket()).list()).objects.map(({ key }) => key);
  /** Forgets what the cache has about some URLs, as if its time had passed. */
  const forgetCached = async (urls: string[]) => {
    const { default: cache } = await running().getCaches();
    await Promise.all(urls.map((url) => cache.delete(url)));
  };
  const putObject = async (key: string, bytes: string) => (await bucket()).put(key, bytes);
  const deleteObject = async (key: string) => (await bucket()).delete(key);
  const databases = Object.fromEntries([["DB", db] as const, ...others]);
  const env = { ...variables, ...databases } as unknown as Env;
  const s3Origin = s3 ? new URL(s3.variables.S3_URL).origin : "";
  return {
    db,
    databases,
    env,
    origin,
    s3Origin,
    runSchedule,
    listObjects,
    forgetCached,
    putObject,
    deleteObject,
    stop,
  };
}

/** The simulated bindings that count calls. */
const countersOf = (changes: RateLimitChanges) =>
  Object.fromEntries(
    rateBindings(changes, rateClasses, 1).map(({ name, namespace, limit }) => [
      name,
      { namespace_id: namespace, simple: { limit, period: ratePeriod } },
    ]),
  );

/** Passes the messages on to a test, and checks them. */
function checked(log: (message: string) => void) {
  const check = checkLogs(inject("logs"));
  return (logged: { level: string; message: string }): void => {
    check(logged);
    log(logged.message);
  };
}

/** A bucket that workerd serves over the S3 API, and the variables of a Worker that signs requests to it. */
async function newS3() {
  const port = await freePort();
  const credentials = { accessKeyId: "test-key", secretAccessKey: "test-secret" };
  return {
    port,
    bucket: { id: "platform-blobs", s3Credentials: credentials },
    variables: {
      S3_URL: `http://127.0.0.1:${port}/cdn-cgi/local/r2/s3/platform-blobs`,
      S3_ACCESS_KEY_ID: credentials.accessKeyId,
      S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

/** The rows of every table, as one JSON for each table. */
export async function storedRows(db: D1Database): Promise<string[]> {
  const tables = await db
    .prepare(
      "select name from sqlite_master where type = 'table' and name not like '\\_cf%' escape '\\'",
    )
    .all<{ name: string }>();
  const rows = await Promise.all(
    tables.results.map(({ name }) => db.prepare(`select * from "${name}"`).all()),
  );
  return rows.map(({ results }) => JSON.stringify(results));
}
