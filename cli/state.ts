/**
 * The data folder of `npm start`: who owns it now, its secrets, and what the first run created.
 *
 * - `keys.env`: the secrets (keys.ts), with mode 0600. `wrangler dev --env-file` reads it.
 * - `platform.json`: the addresses, the two root groups and their owner.
 * - `lock.db`: locked by the running `npm start` (file_lock.ts). It is always empty.
 * - `lock`: the process id of that `npm start`, for messages.
 * - `wrangler.db`: locked by the running wrangler (wrangler_guard.ts). It is always empty.
 * - `d1/`: the local database.
 * - `demo_issuer.json`: the private key of `npm run demo-issuer`, with mode 0600.
 *
 * Only the user who owns the folder can read it (private_files.ts).
 */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { writePrivate } from "./account/private_files.ts";
import type { NamedUid } from "./bootstrap.ts";
import { hasCode, StateError } from "./failure.ts";
import { completeKeys, type Keys, newKeys, readSecrets, secretsOf, secretsText } from "./keys.ts";
import { takeLock } from "./local/file_lock.ts";
import { projectRoot } from "./project.ts";
import { here } from "./surroundings.ts";

/** The content of platform.json. URLs have no trailing slash. The audiences are the values of `aud` in tokens. */
export type PlatformRecord = {
  url: string;
  registryUrl: string;
  audience: string;
  registryAudience: string;
  issuer: string;
  /** The operator's name in the path of the Tag History API. Missing if the platform has never reported it. */
  vendor?: string;
  organization: NamedUid;
  public: NamedUid;
  owner: NamedUid;
  /** False until the first run has added all of its sample data. */
  seeded: boolean;
  /** The file names of the migrations that the local database has. */
  migrations: string[];
};

/** Returns the addresses of a platform on a port of this machine. */
export function addresses(port: number) {
  const url = `http://localhost:${port}`;
  const registryAudience = `localhost:${port}`;
  return { url, registryUrl: url, issuer: url, audience: url, registryAudience };
}

/** The content of the folder of a platform that has started at least once. */
export type State = Keys & { dir: string; platform: PlatformRecord };

/** The folder while `npm start` owns it. `platform` grows during the first run. */
export type OpenState = Keys & {
  dir: string;
  /** The path of keys.env. */
  keysFile: string;
  platform: Partial<PlatformRecord>;
  save(change: Partial<PlatformRecord>): Promise<void>;
  /** Releases the folder. You can call it twice. */
  release(): Promise<void>;
};

/** The folder that `wrangler dev` uses too (start.ts). */
export const defaultStateDir = join(projectRoot, ".platform");

/** Returns the absolute path of the folder: PLATFORM_STATE, otherwise `.platform` in the project root. */
export function stateDir(env: NodeJS.ProcessEnv = here().env): string {
  return resolve(env.PLATFORM_STATE || defaultStateDir);
}

/**
 * Locks the folder for this process, and creates the folder and missing keys. Throws StateError if another process
 * still holds it after `timeoutMs` milliseconds, if it cannot be locked, or if a file cannot be read.
 */
export async function openState(dir: string, timeoutMs = 0): Promise<OpenState> {
  const release = await lockFolder(dir, { patience: timeoutMs });
  try {
    const platform = (await readPlatform(dir)) ?? {};
    const keys = await ensureKeys(dir);
    const save = async (change: Partial<PlatformRecord>) => {
      Object.assign(platform, change);
      await writePrivate(platformFile(dir), `${JSON.stringify(platform, null, 2)}\n`);
    };
    return { dir, keysFile: keysFile(dir), platform, ...keys, save, release };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Reads the folder without locking it. Throws StateError if `npm start` has never finished starting. */
export async function readState(dir: string): Promise<State> {
  const platform = await readPlatform(dir);
  const keys = await readKeys(dir);
  if (!platform || !keys || !isComplete(platform)) {
    throw new StateError(
      `There is no platform in ${dir} yet. Run \`npm start\` first, or set PLATFORM_STATE to the folder of a platform.`,
    );
  }
  return { dir, platform, ...keys };
}

const keysFile = (dir: string) => join(dir, "keys.env");
const platformFile = (dir: string) => join(dir, "platform.json");

/**
 * Returns the folder's keys. It never drops an existing key, because nothing else can check or decrypt what that key
 * signed or encrypted.
 */
async function ensureKeys(dir: string): Promise<Keys> {
  const stored = await readKeys(dir);
  const keys = stored ? completeKeys(stored) : await newKeys();
  if (keys !== stored) await writePrivate(keysFile(dir), `${secretsText(secretsOf(keys))}\n`);
  return keys;
}

async function readKeys(dir: string): Promise<Keys | undefined> {
  const text = await tryReadFile(keysFile(dir));
  return text === undefined ? undefined : readSecrets(text, keysFile(dir));
}

async function readPlatform(dir: string): Promise<Partial<PlatformRecord> | undefined> {
  const file = platformFile(dir);
  const text = await tryReadFile(file);
  if (text === undefined) return undefined;
  const platform = parseJson(text, file, "it");
  if (!isRecord(platform)) throw corruptFile(file, "it is not a JSON object");
  for (const [name, isRight] of Object.entries({ ...shape, ...optional })) {
    if (name in platform && !isRight(platform[name]))
      throw corruptFile(file, `"${name}" has the wrong type`);
  }
  return platform as Partial<PlatformRecord>;
}

function isComplete(platform: Partial<PlatformRecord>): platform is PlatformRecord {
  return Object.keys(shape).every((name) => name in platform);
}

const isText = (value: unknown): value is string => typeof value === "string";
const isTextList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every(isText);
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isNamedUid = (value: unknown) => isRecord(value) && isText(value.uid) && isText(value.name);

const optional: Record<"vendor", (value: unknown) => boolean> = { vendor: isText };

const shape: Record<Exclude<keyof PlatformRecord, "vendor">, (value: unknown) => boolean> = {
  url: isText,
  registryUrl: isText,
  audience: isText,
  registryAudience: isText,
  issuer: isText,
  organization: isNamedUid,
  public: isNamedUid,
  owner: isNamedUid,
  seeded: (value) => typeof value === "boolean",
  migrations: isTextList,
};

/**
 * Locks the folder and returns a function that unlocks it. Throws StateError if another process still holds the lock
 * after `timeoutMs` milliseconds. `advice` is the end of that message.
 */
export async function lockFolder(
  dir: string,
  { patience: timeoutMs = 0, advice = "Stop it, or choose another folder with --state." } = {},
): Promise<() => Promise<void>> {
  const pidFile = join(dir, "lock");
  const release = await tryLock(dir, pidFile, timeoutMs).catch((error) => {
    throw new StateError(
      `Cannot lock the data folder ${dir}: ${error.message}. Make sure that the folder ` +
        "can be written to and that the disk has space, or choose another folder with --state.",
    );
  });
  if (release) return release;
  const pid = Number(await tryReadFile(pidFile));
  const holder = pid > 0 ? `Process ${pid}` : "A process";
  throw new StateError(`${holder} is already using the data folder ${dir}. ${advice}`);
}

/** Returns undefined if another process has the lock. */
async function tryLock(
  dir: string,
  pidFile: string,
  timeoutMs: number,
): Promise<(() => Promise<void>) | undefined> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const unlock = await takeLock(join(dir, "lock.db"), timeoutMs);
  if (!unlock) return undefined;
  // This order matters, because the next process writes its own process id once it has the lock.
  const giveBack = () => rm(pidFile, { force: true }).finally(unlock);
  try {
    await writeFile(pidFile, `${process.pid}\n`);
  } catch (error) {
    unlock();
    throw error;
  }
  let released: Promise<void> | undefined;
  return () => {
    released ??= giveBack();
    return released;
  };
}

async function tryReadFile(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

function parseJson(text: string | undefined, file: string, what: string): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    throw corruptFile(file, `${what} is not JSON`);
  }
}

const corruptFile = (file: string, why: string) =>
  new StateError(
    `Cannot read ${file}: ${why}. Restore the file, or delete its folder to start again.`,
  );
