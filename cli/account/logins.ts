/** Tokens of past logins: $XDG_CONFIG_HOME/platform/credentials.json, for its owner only. */
import { mkdir, readFile, rename, rmdir, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { refusedFailure, usageFailure } from "../failure.ts";
import type { PlatformAddresses } from "./exchange.ts";

/** A login to one platform. Times are RFC 3339, UTC. */
export type Login = PlatformAddresses & {
  token: string;
  expiry: string;
  /** What gets the next access token, and when that ends; absent where there is none. */
  refreshToken?: string;
  refreshExpiry?: string;
};

/** When a login ends: with its refresh token, or else with its access token. */
export const loginEnd = ({ expiry, refreshExpiry }: Login) => refreshExpiry ?? expiry;

/** A lock this old was left behind: nobody holds one longer than an issuer may take to answer. */
const staleLock = 90_000;
const lockPause = 50;

/** Path of the file. Without XDG_CONFIG_HOME, that is below ~/.config. */
function loginsFile(env: NodeJS.ProcessEnv = process.env): string {
  const config = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), ".config");
  return join(config, "platform", "credentials.json");
}

/** Logins by PLATFORM_URL; none if there is no file. Throws a USAGE Failure for an unreadable file. */
export async function readLogins(env: NodeJS.ProcessEnv): Promise<Record<string, Login>> {
  const file = loginsFile(env);
  try {
    const { logins } = JSON.parse(await readFile(file, "utf8")) as { logins: unknown };
    if (isLogins(logins)) return logins;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return {};
  }
  throw usageFailure(`Cannot read ${file}. Delete it and log in again.`);
}

/** Adds or replaces the login for a PLATFORM_URL, and drops those that have ended. */
export const saveLogin = (env: NodeJS.ProcessEnv, url: string, login: Login): Promise<void> =>
  withLogins(env, (logins) => write(env, { ...logins, [url]: login }));

/** Forgets the login for a PLATFORM_URL. Answers it, if there was one. */
export const deleteLogin = (env: NodeJS.ProcessEnv, url: string): Promise<Login | undefined> =>
  withLogins(env, async ({ [url]: dropped, ...others }) => {
    if (dropped) await write(env, others);
    return dropped;
  });

/**
 * Replaces the login for a PLATFORM_URL by what `renew` makes of it, as no other invocation does at
 * the same time: a refresh token used twice ends the login. `renew` answers undefined to change
 * nothing. Answers the login as it is then.
 */
export const renewLogin = (
  env: NodeJS.ProcessEnv,
  url: string,
  renew: (login: Login) => Promise<Login | undefined>,
): Promise<Login | undefined> =>
  withLogins(env, async (logins) => {
    const login = logins[url];
    const renewed = login && (await renew(login));
    if (renewed) await write(env, { ...logins, [url]: renewed });
    return renewed ?? login;
  });

async function write(env: NodeJS.ProcessEnv, logins: Record<string, Login>): Promise<void> {
  const file = loginsFile(env);
  const kept = Object.entries(logins).filter(
    ([, login]) => Date.parse(loginEnd(login)) > Date.now(),
  );
  const text = `${JSON.stringify({ logins: Object.fromEntries(kept) }, null, 2)}\n`;
  const next = `${file}.${process.pid}.new`;
  await writeFile(next, text, { mode: 0o600, flush: true });
  await rename(next, file);
}

/** Runs with the logins while nobody else changes them. A folder is the lock: making it is atomic. */
async function withLogins<T>(
  env: NodeJS.ProcessEnv,
  work: (logins: Record<string, Login>) => Promise<T>,
): Promise<T> {
  const file = loginsFile(env);
  const lock = `${file}.lock`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const end = Date.now() + 2 * staleLock;
  while (!(await isMade(lock))) {
    if (Date.now() > end)
      throw refusedFailure("LOCKED", `${lock} is held by another program. Delete it.`);
    const made = await stat(lock).catch(() => undefined);
    if (made && Date.now() - made.mtimeMs > staleLock) await rmdir(lock).catch(() => {});
    else await pause(lockPause);
  }
  try {
    return await work(await readLogins(env));
  } finally {
    await rmdir(lock).catch(() => {});
  }
}

async function isMade(lock: string): Promise<boolean> {
  try {
    await mkdir(lock);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

const members = ["url", "issuer", "audience", "registryUrl", "registryAudience", "token", "expiry"];
const optional = ["refreshToken", "refreshExpiry", "vendor"];

function isLogins(value: unknown): value is Record<string, Login> {
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).every(
    (login) =>
      typeof login === "object" &&
      login !== null &&
      members.every((name) => typeof login[name] === "string") &&
      optional.every((name) => ["string", "undefined"].includes(typeof login[name])),
  );
}
