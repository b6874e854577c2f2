/**
 * Starts the platform once for all tests: real Workers, a real local D1, every migration. In watch mode it
 * restarts before the tests run again if a source file of the Workers has changed.
 */
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join, matchesGlob, relative } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { TestProject } from "vitest/node";
import { localDatabases, placeOf } from "../../cli/local/databases.ts";
import { buildSite } from "../../site/build.ts";
import { startBrowsers } from "./browsers.ts";
import { bundleSql, databaseAt } from "./databases.ts";
import { makeKeys } from "./keys.ts";
import { requireExpectedLogs, takeLogs } from "./logs.ts";
import { applyMigrations } from "./migrations.ts";
import { startResolver } from "./resolver.ts";
import { newRunFolder } from "./run_folder.ts";
import { workerFiles } from "./worker_files.ts";
import { bundleObject, bundlePlatform, startWorkers } from "./workers.ts";

type Database = { file: string; place: string };

/** Where the local D1 of a Worker is. */
const place = placeOf(localDatabases()[0]?.id ?? "");

declare module "vitest" {
  interface ProvidedContext {
    /** The origin of the whole platform in one Worker. */
    baseUrl: string;
    /** The file with the module of the whole platform, for tests that start their own. */
    bundle: string;
    /** A database with every migration and nothing else, and its path in the folder of a Worker. */
    database: Database;
    /** The URL where a test can run SQL on the platform's D1, and the module that does it (databases.ts). */
    sqlUrl: string;
    sqlModule: string;
    /** SIGNING_KEYS of the platform. */
    signingKeys: string;
    pageTokenKeys: string;
    encryptionKeys: string;
    /** The ports where the platform expects the clouds. A test can listen on them. */
    clouds: { aws: number; google: number; azure: number };
    /** The folder with a file for each port that an issuer has used (new_port.ts). */
    issuerPorts: string;
    /** The folder with a file for each error that a test expects in the platform's log (logs.ts). */
    logs: string;
    /** Where a test finds the address of its browser (browsers.ts). */
    browsers: string;
    /** The port of the issuer whose people can register themselves. A test can listen on it. */
    registrar: number;
  }
}

process.env.CLOUDFLARE_CF_FETCH_ENABLED = "false";
process.env.WRANGLER_SEND_METRICS = "false";
// For the tests that start more: each puts a Worker of wrangler's own in the way of every request.
process.env.X_LOCAL_EXPLORER = "false";
process.env.X_LOCAL_OBSERVABILITY = "false";

export default async function setup(project: TestProject) {
  const { signingKeys, pageTokenKeys, encryptionKeys } = await makeKeys();
  const clouds = { aws: await freePort(), google: await freePort(), azure: await freePort() };
  const registrar = await freePort();
  const names = await startResolver();
  const variables = {
    METER: "true",
    // Tests send more calls than any program. Those of the limits start a platform of their own.
    RATE_LIMITS: "off",
    TRUSTED_EMAIL_ISSUERS: `https://trusted.example http://localhost:${registrar}`,
    REGISTRATION_ISSUERS: `http://localhost:${registrar}`,
    PUBLIC_EMAIL_DOMAINS: "mail.example",
    AWS_STS_URL: `http://127.0.0.1:${clouds.aws}`,
    GOOGLE_STS_URL: `http://127.0.0.1:${clouds.google}`,
    AZURE_LOGIN_URL: `http://127.0.0.1:${clouds.azure}`,
    DNS_URL: names.url,
    SIGNING_KEYS: signingKeys,
    PAGE_TOKEN_KEYS: pageTokenKeys,
    ENCRYPTION_KEYS: encryptionKeys,
  };
  const folder = await newRunFolder();
  // Temporary files of this process, and of those that it starts, are deleted with the folder.
  process.env.TMPDIR = folder;
  // Wrangler logs below the first, and would read the login of the person who runs the tests. Buf needs the second.
  process.env.XDG_CONFIG_HOME = join(folder, "config");
  process.env.BUF_CACHE_DIR = join(folder, "buf");
  const bundle = join(folder, "platform.js");
  const logs = join(folder, "logs");
  await mkdir(logs);
  project.provide("logs", logs);
  await buildSite();
  let built = await bundlePlatform();
  const sql = await bundleSql();
  // A call to the local D1 takes a third of the quick tier's time. `npm run test:all` has it (CONTRIBUTING.md).
  const object = process.env.TEST_TIER === "quick" ? await bundleObject() : undefined;
  project.provide("sqlModule", sql);
  let database: Database | undefined;
  const start = async () => {
    const own = await mkdtemp(join(folder, "workers-"));
    if (database) await placeDatabase(database, own);
    const text = chooseMutant() + built;
    const workers = await startWorkers(own, { text, sql, object }, variables, takeLogs(logs));
    if (!database) {
      await applyMigrations(databaseAt(workers.sqlUrl));
      database = await copyDatabase(own);
      project.provide("database", { ...database, place });
    }
    await writeFile(bundle, text);
    project.provide("baseUrl", workers.platformUrl);
    project.provide("sqlUrl", workers.sqlUrl);
    return workers;
  };
  let workers: Awaited<ReturnType<typeof start>> | undefined = await start();
  project.provide("bundle", bundle);
  project.provide("signingKeys", signingKeys);
  project.provide("pageTokenKeys", pageTokenKeys);
  project.provide("encryptionKeys", encryptionKeys);
  project.provide("clouds", clouds);
  const issuerPorts = join(folder, "ports");
  await mkdir(issuerPorts);
  project.provide("issuerPorts", issuerPorts);
  project.provide("registrar", registrar);
  const browsers = await startBrowsers();
  project.provide("browsers", browsers.url);
  restartOnChange(project, async (isStale) => {
    await workers?.stop();
    // If the new Workers cannot be built, tests find no platform, and not the old one.
    workers = undefined;
    if (isStale) {
      built = await bundlePlatform();
      database = undefined;
    }
    workers = await start();
  });
  return async () => {
    names.close();
    await browsers.close();
    await workers?.stop();
    try {
      requireExpectedLogs(logs);
    } finally {
      await rm(folder, { recursive: true });
    }
  };
}

/** The line before the platform's module that chooses its mutant (test/mutants). */
const chooseMutant = () =>
  process.env.MUTANT ? `globalThis.MUTANT = ${JSON.stringify(process.env.MUTANT)};\n` : "";

/** Calls `restart` before tests run again if a source file of the Workers, or the mutant, has changed. */
function restartOnChange(project: TestProject, restart: (isStale: boolean) => Promise<void>): void {
  let isStale = false;
  project.vite.watcher.on("all", (_, path) => {
    isStale ||= workerFiles.some((glob) => matchesGlob(relative(project.config.root, path), glob));
  });
  project.onTestsRerun(async () => {
    if (!isStale && !process.env.MUTANT) return;
    try {
      await restart(isStale);
      isStale = false;
    } catch (error) {
      console.error(`The Workers cannot be bundled, so tests that call them fail.\n${error}`);
    }
  });
}

async function placeDatabase({ file, place }: Database, workers: string): Promise<void> {
  await mkdir(dirname(join(workers, place)), { recursive: true });
  await copyFile(file, join(workers, place));
}

/** Copies the database in a Worker's folder to a file next to its own. */
async function copyDatabase(workers: string): Promise<Database> {
  const paths = await readdir(workers, { recursive: true });
  const place = paths.find((path) => /[0-9a-f]{64}\.sqlite$/.test(path));
  if (!place) throw new Error(`no database in ${workers}: ${paths}`);
  const file = join(workers, "migrated.sqlite");
  const database = new DatabaseSync(join(workers, place));
  database.prepare("vacuum into ?").run(file);
  database.close();
  return { file, place };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
