/** The tokens of past logins, in $XDG_CONFIG_HOME/platform/credentials.json. Only the user can read the file. */
import { mkdir, readFile, rename, rmdir, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { refusedFailure, usageFailure } from "../failure.ts";
import type { PlatformAddresses } from "./exchange.ts";

/** A login to one platform. Times are RFC 3339 in UTC. */
export type Login = PlatformAddresses & {
  token: string;
  expiry: string;
  /** The refresh token and its expiry. Both are missing if the login has no refresh token. */
  refreshToken?: string;
  refreshExpiry?: string;
};

/** Returns when a login ends: with its refresh token, otherwise with its access token. */
export const loginEnd = ({ expiry, refreshExpiry }: Login) => refreshExpiry ?? expiry;

/**
 * In milliseconds. An older lock was left behind, because no program holds one longer than an issuer may take to
 * respond.
 */
const staleLock = 90_000;
const lockPause = 50;

/** Returns the path of the file. Without XDG_CONFIG_HOME, the folder is ~/.config. */
function loginsFile(env: NodeJS.ProcessEnv = process.env): string {
  const config = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), ".config");
  return join(config, "platform", "credentials.json");
}

/**
 * Returns the logins by PLATFORM_URL, or none if there is no file. Throws a USAGE Failure if the file cannot be read.
 */
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

/** Adds or replaces the login for a PLATFORM_URL, and removes logins that have ended. */
export const saveLogin = (env: NodeJS.ProcessEnv, url: string, login: Login): Promise<void> =>
  withLogins(env, (logins) => write(env, { ...logins, [url]: login }));

/** Deletes the login for a PLATFORM_URL and returns it, if there was one. */
export const deleteLogin = (env: NodeJS.ProcessEnv, url: string): Promise<Login | undefined> =>
  withLogins(env, async ({ [url]: dropped, ...others }) => {
    if (dropped) await write(env, others);
    return dropped;
  });

/**
 * Replaces the login for a PLATFORM_URL with the result of `renew`, and returns the login. If `renew` returns
 * undefined, the login does not change. The lock keeps other commands out, because a refresh token that is used twice
 * ends the login.
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

/**
 * Calls `work` while no other program changes the logins. The lock is a folder, because creating a folder is atomic.
 */
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
      throw refusedFailure(
        "LOCKED",
        `Another program holds the lock ${lock}. If no other program is running, delete it.`,
      );
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
