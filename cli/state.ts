/**
 * The data folder of `npm start`: who owns it now, its secrets, and what the first run made.
 *
 *   keys.env       the secrets (keys.ts), mode 0600, read by `wrangler dev --env-file`
 *   platform.json  addresses, the two root groups and their owner
 *   lock.db        locked by the running `npm start` (file_lock.ts), always empty
 *   lock           its process id, for whoever is refused
 *   wrangler.db    locked by its wrangler (wrangler_guard.ts), always empty
 *   d1/            the local database
 *   demo_issuer.json  the private key of `npm run demo-issuer`, mode 0600
 *
 * All of it is for its owner only (private_files.ts).
 */
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { NamedUid } from "./bootstrap.ts";
import { StateError } from "./failure.ts";
import { completeKeys, type Keys, newKeys, readSecrets, secretsOf, secretsText } from "./keys.ts";
import { takeLock } from "./local/file_lock.ts";
import { projectRoot } from "./project.ts";

/** platform.json. URLs have no trailing slash; the audiences are what tokens carry in `aud`. */
export type PlatformRecord = {
  url: string;
  registryUrl: string;
  audience: string;
  registryAudience: string;
  issuer: string;
  /** The word in the path of the Tag History API. None in a folder of a platform that never told. */
  vendor?: string;
  organization: NamedUid;
  public: NamedUid;
  owner: NamedUid;
  /** False until the first run put its sample data in completely. */
  seeded: boolean;
  /** File names of the migrations that the local database has. */
  migrations: string[];
};

/** The addresses of a platform on a port of this machine. */
export function addresses(port: number) {
  const url = `http://localhost:${port}`;
  const registryAudience = `localhost:${port}`;
  return { url, registryUrl: url, issuer: url, audience: url, registryAudience };
}

/** What a command reads from the folder of a platform that has started at least once. */
export type State = Keys & { dir: string; platform: PlatformRecord };

/** The folder while `npm start` owns it. `platform` grows during the first run. */
export type OpenState = Keys & {
  dir: string;
  /** Path of keys.env. */
  keysFile: string;
  platform: Partial<PlatformRecord>;
  save(change: Partial<PlatformRecord>): Promise<void>;
  /** Gives the folder up. May be called twice. */
  release(): Promise<void>;
};

/** The folder named by PLATFORM_STATE, else `.platform` in the project root. Absolute. */
export function stateDir(env: NodeJS.ProcessEnv = process.env): string {
  return resolve(env.PLATFORM_STATE || join(projectRoot, ".platform"));
}

/**
 * Locks the folder for this process, making the folder and those of its keys that are missing.
 * Throws StateError when another process still holds it after `timeoutMs` milliseconds, when it cannot
 * be locked, or when a file cannot be understood.
 */
export async function openState(dir: string, timeoutMs = 0): Promise<OpenState> {
  const release = await lockFolder(dir, { patience: timeoutMs });
  try {
    const platform = (await readPlatform(dir)) ?? {};
    const keys = await ensureKeys(dir);
    const save = async (change: Partial<PlatformRecord>) => {
      Object.assign(platform, change);
      await replaceFile(platformFile(dir), `${JSON.stringify(platform, null, 2)}\n`, 0o600);
    };
    return { dir, keysFile: keysFile(dir), platform, ...keys, save, release };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Reads the folder without locking it. Throws StateError when `npm start` has not finished one start. */
export async function readState(dir: string): Promise<State> {
  const platform = await readPlatform(dir);
  const keys = await readKeys(dir);
  if (!platform || !keys || !isComplete(platform)) {
    throw new StateError(
      `No platform in ${dir} yet. Run \`npm start\` first (PLATFORM_STATE names another folder).`,
    );
  }
  return { dir, platform, ...keys };
}

const keysFile = (dir: string) => join(dir, "keys.env");
const platformFile = (dir: string) => join(dir, "platform.json");

/** The folder's keys. None that is there is lost: it is the only one for what it signed or sealed. */
async function ensureKeys(dir: string): Promise<Keys> {
  const found = await readKeys(dir);
  const keys = found ? completeKeys(found) : await newKeys();
  if (keys !== found) await replaceFile(keysFile(dir), `${secretsText(secretsOf(keys))}\n`, 0o600);
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
      throw corruptFile(file, `"${name}" is not right`);
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
 * Takes the folder's lock, and returns what gives it back. Throws StateError, which ends with `advice`
 * where another process still holds it after `timeoutMs` milliseconds.
 */
export async function lockFolder(
  dir: string,
  { patience: timeoutMs = 0, advice = "Stop it, or start with --state and another folder." } = {},
): Promise<() => Promise<void>> {
  const pidFile = join(dir, "lock");
  const release = await tryLock(dir, pidFile, timeoutMs).catch((error) => {
    throw new StateError(
      `Cannot lock the data folder ${dir}: ${error.message}. Make room for it and let it be ` +
        "written, or start with --state and another folder.",
    );
  });
  if (release) return release;
  const pid = Number(await tryReadFile(pidFile));
  const holder = pid > 0 ? `Process ${pid}` : "A process";
  throw new StateError(`${holder} is already running with the data folder ${dir}. ${advice}`);
}

/** Undefined when another has the lock. */
async function tryLock(
  dir: string,
  pidFile: string,
  timeoutMs: number,
): Promise<(() => Promise<void>) | undefined> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const unlock = await takeLock(join(dir, "lock.db"), timeoutMs);
  if (!unlock) return undefined;
  // In this order, as the next writes its own process id once it has the lock.
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

/** Puts a whole file in place: a reader, or a crash, sees the old one or the new one. */
async function replaceFile(file: string, text: string, mode: number): Promise<void> {
  const next = `${file}.${process.pid}.new`;
  await writeFile(next, text, { mode, flush: true });
  await rename(next, file);
}

async function tryReadFile(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
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
    `Cannot read ${file}: ${why}. Restore the file, or delete its folder to begin anew.`,
  );

const isCode = (error: unknown, code: string) =>
  error instanceof Error && "code" in error && error.code === code;
