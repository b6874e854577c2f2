/**
 * The platform's Worker under measurement: built once, run with a D1 of its own in a temporary
 * folder, beside a bare Worker on the same D1 to compare with. Requests reach both on sockets of
 * their own, past the proxy of the development server, which would be most of what is measured.
 */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from "jose";
import { Miniflare, convertV4MiniflareOptions as options, type V4WorkerOptions } from "miniflare";
import { unstable_getMiniflareWorkerOptions as optionsOf } from "wrangler";
import { applyMigrations } from "../test/world/migrations.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const databaseId = "00000000-0000-0000-0000-000000000000";

/** What the bench asks of D1 itself. */
export interface Database {
  prepare(query: string): Statement;
  batch(statements: Statement[]): Promise<unknown[]>;
}

interface Statement {
  bind(...values: unknown[]): Statement;
  all<Row>(): Promise<{ results: Row[] }>;
}

/** D1 round trips and rows that one call cost, from its `server-timing` header. */
export interface Cost {
  roundTrips: number;
  rowsRead: number;
  rowsWritten: number;
}

/** An answer over REST. `body` is undefined where there is none. */
export interface Answer {
  status: number;
  body: Record<string, unknown> | undefined;
  cost: Cost;
}

/** A running platform. Origins have no trailing slash. */
export interface Stage {
  url: string;
  bareUrl: string;
  /** Audience of API tokens. */
  audience: string;
  db: Database;
  /** An access token of the platform's issuer for an identity, good for an hour. */
  tokenFor(identity: string): Promise<string>;
  /** One REST call. Throws unless it answers 200. */
  call(token: string, path: string, asked?: { method?: string; body?: unknown }): Promise<Answer>;
  stop(): Promise<void>;
}

const quiet = {
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_HIDE_BANNER: "true",
};

/** A new temporary folder for everything a run writes. */
export const makeFolder = () => mkdtemp(join(tmpdir(), "platform-bench-"));

/** Bundles the whole platform as a deployment would, and answers the bundle's text. */
export async function build(folder: string): Promise<string> {
  const cli = fileURLToPath(import.meta.resolve("wrangler"));
  const outdir = join(folder, "bundle");
  await promisify(execFile)(
    process.execPath,
    [cli, "deploy", "--dry-run", "--minify", "--outdir", outdir],
    { cwd: root, env: { ...process.env, ...quiet } },
  );
  return readFile(join(outdir, "platform.js"), "utf8");
}

/** A folder with an empty D1 that has all migrations; answers the path of its SQLite file. */
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
  if (!file) throw new Error(`no SQLite file of a D1 in ${folder}: ${files}`);
  return join(folder, file);
}

const bareScript = `
const columns = "uid, name, digest, deprecated, bundles, create_time, update_time";
const page = "select " + columns + " from tags where ancestor0 = ? and class = 0 order by name, uid limit 50";
export default {
  async fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== "/page") return Response.json({ reply: "pong" });
    const { results } = await env.DB.prepare(page).bind(searchParams.get("root")).all();
    return Response.json({ tags: results });
  },
};`;

/** Starts the bundle and the bare Worker on the D1 of a folder. */
export async function openStage(bundle: string, folder: string): Promise<Stage> {
  const secrets = await makeSecrets();
  const worker = optionsOf(join(root, "wrangler.toml")).workerOptions as V4WorkerOptions;
  const unsafeDirectSockets = [{ host: "127.0.0.1", port: 0 }];
  const miniflare = new Miniflare(
    options({
      resourcePersistencePath: folder,
      workers: [
        {
          ...worker,
          name: "platform",
          modules: [{ type: "ESModule", path: "platform.js", contents: bundle }],
          bindings: { ...worker.bindings, ...secrets.bindings, METER: "true" },
          unsafeDirectSockets,
        },
        {
          name: "bare",
          modules: true,
          script: bareScript,
          compatibilityDate: worker.compatibilityDate ?? "",
          d1Databases: { DB: databaseId },
          unsafeDirectSockets,
        },
      ],
    }),
  );
  const url = (await miniflare.unsafeGetDirectURL("platform")).origin;
  const issuer = String(worker.bindings?.ISSUER_URL);
  const audience = String(worker.bindings?.AUDIENCE);
  return {
    url,
    audience,
    bareUrl: (await miniflare.unsafeGetDirectURL("bare")).origin,
    db: (await miniflare.getD1Database("DB", "platform")) as unknown as Database,
    tokenFor: (identity) => sign(secrets.key, issuer, audience, identity),
    call: (token, path, asked) => call(url, token, path, asked),
    stop: () => miniflare.dispose(),
  };
}

/** Removes what a run wrote. */
export const removeFolder = (folder: string) => rm(folder, { recursive: true, force: true });

async function makeSecrets() {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const key: JWK = { ...(await exportJWK(privateKey)), kid: "bench", alg: "ES256", use: "sig" };
  const newKey = () =>
    Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
  const bindings = {
    SIGNING_KEYS: JSON.stringify({ keys: [key] }),
    PAGE_TOKEN_KEYS: JSON.stringify([newKey()]),
    ENCRYPTION_KEYS: JSON.stringify([newKey()]),
  };
  return { key, bindings };
}

const sign = async (key: JWK, issuer: string, audience: string, identity: string) =>
  new SignJWT({})
    .setProtectedHeader({ alg: "ES256", kid: "bench" })
    .setIssuer(issuer)
    .setSubject(identity)
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime("1h")
    .sign(await importJWK(key, "ES256"));

async function call(
  url: string,
  token: string,
  path: string,
  { method = "GET", body }: { method?: string; body?: unknown } = {},
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return {
    status: response.status,
    body: text === "" ? undefined : (JSON.parse(text) as Record<string, unknown>),
    cost: costOf(response.headers.get("server-timing") ?? ""),
  };
}

function costOf(header: string): Cost {
  const read = (name: string) => {
    const found = new RegExp(`${name}=(\\d+)`).exec(header)?.[1];
    if (found === undefined) throw new Error(`no ${name} in server-timing: ${header}`);
    return Number(found);
  };
  return {
    roundTrips: read("round_trips"),
    rowsRead: read("rows_read"),
    rowsWritten: read("rows_written"),
  };
}
