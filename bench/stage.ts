/**
 * The platform's Worker for measurements. It is built once and runs with its own D1 in a temporary folder. Other
 * Workers can run next to it on the same D1. Requests reach each Worker on its own socket and bypass the proxy of the
 * development server, which would otherwise dominate the measurements.
 */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { JWTPayload } from "jose";
import {
  type Json,
  Miniflare,
  convertV4MiniflareOptions as options,
  type V4WorkerOptions,
} from "miniflare";
import { unstable_getMiniflareWorkerOptions as optionsOf } from "wrangler";
import type { Meter } from "../src/rpc/session.ts";
import { applyMigrations } from "../test/world/migrations.ts";
import { costOf } from "../test/world/server_timing.ts";
import { endWithRun } from "./programs.ts";
import { makeSecrets, sign } from "./secrets.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const databaseId = "00000000-0000-0000-0000-000000000000";

/** The part of D1 that the benchmark uses. */
export interface Database {
  prepare(query: string): Statement;
  batch(statements: Statement[]): Promise<unknown[]>;
}

interface Statement {
  bind(...values: unknown[]): Statement;
  all<Row>(): Promise<{ results: Row[] }>;
}

/** A response over REST. `body` is undefined if there is none. */
export interface Answer {
  status: number;
  body: Record<string, unknown> | undefined;
  cost: Meter;
}

/** A Worker next to the platform, in the same process and on the same D1, with the same secrets. */
export interface ExtraWorker {
  name: string;
  /** The source of an ES module. */
  script: string;
  bindings?: Record<string, Json>;
  /** The name of an R2 bucket of its own, which it gets as `BLOBS`. */
  bucket?: string;
}

/** How the platform differs from a deployment, and which other Workers run. */
export interface BenchPlatformOptions {
  /** Whether responses report their cost in D1. The default is true. */
  meter?: boolean;
  /** Variables that replace those of the deployment. */
  variables?: Record<string, string>;
  /** The modules of the Worker, the entry first. The default is the bundle alone. */
  modules?: { path: string; contents: string }[];
  extraWorkers?: ExtraWorker[];
  /** More Workers of the platform on the same data, by name, with the variables that differ. */
  copies?: Record<string, Record<string, string>>;
  /** Whether the Worker serves the pages of the site and of the console. `node site/build.ts` makes them. */
  hasPages?: boolean;
  /** Whether the Worker counts calls itself, for limits of `RATE_LIMITS`. By default no call is limited. */
  countsItself?: boolean;
  /** Whether events are sent. The default is false, because the sender would share the time of the calls. */
  sendsEvents?: boolean;
}

/** A running platform. Origins have no trailing slash. */
export interface BenchPlatform {
  url: string;
  /** The variables and secrets of the Worker. */
  variables: Record<string, Json>;
  /** Returns the origin of a Worker next to the platform. */
  extraWorkerUrl(name: string): Promise<string>;
  /** The audience of API tokens. */
  audience: string;
  /** The audience of registry tokens. */
  registryAudience: string;
  db: Database;
  /**
   * Returns an access token of the platform's issuer for an identity. It is valid for an hour. The default audience is
   * the API.
   */
  tokenFor(identity: string, audience?: string, claims?: JWTPayload): Promise<string>;
  /** Makes one REST call. Throws an Error unless it returns 200. */
  call(token: string, path: string, asked?: Asked): Promise<Answer>;
  stop(): Promise<void>;
}

const quiet = {
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_HIDE_BANNER: "true",
};

/** Creates a temporary folder for everything that a run writes. */
export const makeFolder = () => mkdtemp(join(tmpdir(), "platform-bench-"));

/** Bundles the whole platform as a deployment would, and returns the text of the bundle. */
export async function build(folder: string): Promise<string> {
  const cli = fileURLToPath(import.meta.resolve("wrangler"));
  const outdir = join(folder, "bundle");
  const bundling = promisify(execFile)(
    process.execPath,
    [cli, "deploy", "--dry-run", "--minify", "--outdir", outdir],
    { cwd: root, env: { ...process.env, ...quiet } },
  );
  // An interrupted run removes the folder, and the bundler would create it again.
  endWithRun(bundling.child);
  await bundling;
  return readFile(join(outdir, "platform.js"), "utf8");
}

/** Creates a folder with an empty D1 that has all migrations. Returns the path of its SQLite file. */
export async function makeDatabase(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const miniflare = new Miniflare(
    options({
      modules: true,
      script: "export default { fetch: () => new Response() };",
      d1Databases: { DB: databaseId },
      resourcePersistencePath: folder,
    }),
  );
  const db = (await miniflare.getD1Database("DB")) as unknown as Database;
  await applyMigrations(db);
  await miniflare.dispose();
  const files = await readdir(folder, { recursive: true });
  const file = files.find((name) => /[0-9a-f]{64}\.sqlite$/.test(name));
  if (!file) throw new Error(`there is no SQLite file of a D1 in ${folder}: ${files}`);
  return join(folder, file);
}

const unsafeDirectSockets = [{ host: "127.0.0.1", port: 0 }];

const workerBeside = (
  { name, script, bindings = {}, bucket }: ExtraWorker,
  compatibilityDate: string,
  secrets: Record<string, string>,
) => ({
  name,
  modules: true as const,
  script,
  bindings: { ...secrets, ...bindings },
  compatibilityDate,
  d1Databases: { DB: databaseId },
  ...(bucket === undefined ? {} : { r2Buckets: { BLOBS: bucket } }),
  unsafeDirectSockets,
});

/**
 * Code that discards the line about each request once the Worker has written it. The development server would read it
 * in the process that measures, which no deployment does. Warnings and errors are still printed.
 */
const discardsLines = "console.log = () => undefined;\n";

/** Starts the bundle on the D1 of a folder. */
export async function startBenchPlatform(
  bundle: string,
  folder: string,
  {
    meter = true,
    variables = {},
    modules = [{ path: "platform.js", contents: bundle }],
    extraWorkers = [],
    copies = {},
    sendsEvents = false,
    countsItself = false,
    hasPages = false,
  }: BenchPlatformOptions = {},
): Promise<BenchPlatform> {
  const secrets = await makeSecrets();
  const { assets, ...worker } = optionsOf(join(root, "wrangler.toml"))
    .workerOptions as V4WorkerOptions;
  const bindings = {
    ...worker.bindings,
    ...secrets.bindings,
    // Measurements send more calls than any program.
    RATE_LIMITS: "off",
    ...variables,
    METER: String(meter),
  };
  const platformWorker = (name: string, others: Record<string, string> = {}) => ({
    ...worker,
    ...(sendsEvents ? {} : { queueProducers: {}, queueConsumers: {} }),
    ...(countsItself ? { ratelimits: {} } : {}),
    ...(hasPages && assets ? { assets } : {}),
    name,
    modules: modules.map(({ path, contents }) => ({
      type: "ESModule" as const,
      path,
      contents: `${discardsLines}${contents}`,
    })),
    bindings: { ...bindings, ...others },
    unsafeDirectSockets,
  });
  const miniflare = new Miniflare(
    options({
      resourcePersistencePath: folder,
      handleStructuredLogs: ({ message }) => process.stderr.write(`${message}\n`),
      workers: [
        platformWorker("platform"),
        ...Object.entries(copies).map(([name, others]) => platformWorker(name, others)),
        ...extraWorkers.map((extra) =>
          workerBeside(extra, worker.compatibilityDate ?? "", secrets.bindings),
        ),
      ],
    }),
  );
  const url = (await miniflare.unsafeGetDirectURL("platform")).origin;
  const issuer = String(worker.bindings?.ISSUER_URL);
  const audience = String(worker.bindings?.AUDIENCE);
  return {
    url,
    variables: bindings,
    audience,
    registryAudience: String(worker.bindings?.REGISTRY_AUDIENCE),
    extraWorkerUrl: async (name) => (await miniflare.unsafeGetDirectURL(name)).origin,
    db: (await miniflare.getD1Database("DB", "platform")) as unknown as Database,
    tokenFor: (identity, of = audience, claims = {}) =>
      sign(secrets.key, issuer, of, identity, claims),
    call: (token, path, asked) => call(url, token, path, asked),
    stop: () => miniflare.dispose(),
  };
}

/** Removes everything that a run wrote. */
export const removeFolder = (folder: string) => rm(folder, { recursive: true, force: true });

/** One call. `mayBeMuch` allows RESOURCE_EXHAUSTED as a response. */
interface Asked {
  method?: string;
  body?: unknown;
  mayBeMuch?: boolean;
}

/** Whether the server has closed the connection. After some idle seconds it does, even if a call has just begun. */
const isClosed = (error: unknown) =>
  error instanceof TypeError && (error.cause as { code?: string })?.code === "UND_ERR_SOCKET";

async function call(
  url: string,
  token: string,
  path: string,
  { method = "GET", body, mayBeMuch = false }: Asked = {},
): Promise<Answer> {
  const send = () =>
    fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const response = await send().catch((error) => {
    if (method !== "GET" || !isClosed(error)) throw error;
    return send();
  });
  const text = await response.text();
  const isFine = response.status === 200 || (mayBeMuch && response.status === 429);
  if (!isFine) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return {
    status: response.status,
    body: text === "" ? undefined : (JSON.parse(text) as Record<string, unknown>),
    cost: costOf(response.headers.get("server-timing") ?? ""),
  };
}

/** Makes an expiry plan a minute older, with the mark that all its pulls are known. A platform without a schedule has none. */
export const letPullsBeKnown = ({ db }: BenchPlatform, uid: string) =>
  db
    .prepare(
      "update expiry_plans set create_time = create_time - 60000, pulls_known_time = 1 where uid = ?",
    )
    .bind(uid)
    .all();
