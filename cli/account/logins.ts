/** The tokens of past logins, in $XDG_CONFIG_HOME/platform/credentials.json. Only the user can read the file. */
import { readFile } from "node:fs/promises";
import { hasCode, usageFailure } from "../failure.ts";
import type { PlatformAddresses } from "./exchange.ts";
import { configFile, withLockOf, writePrivate } from "./private_files.ts";

/** A login to one platform. Times are RFC 3339 in UTC. */
export type Login = PlatformAddresses & {
  token: string;
  expiry: string;
  /** The refresh token and its expiry. Both are missing if the login has no refresh token. */
  refreshToken?: string;
  refreshExpiry?: string;
  /** The uid of the session of a login in a browser without a refresh token. */
  session?: string;
};

/** Returns when a login ends: with its refresh token, otherwise with its access token. */
export const loginEnd = ({ expiry, refreshExpiry }: Login) => refreshExpiry ?? expiry;

/** Returns the path of the file. */
const loginsFile = (env: NodeJS.ProcessEnv) => configFile(env, "credentials.json");

/**
 * Returns the logins by PLATFORM_URL, or none if there is no file. Throws a USAGE Failure if the file cannot be read.
 */
export async function readLogins(env: NodeJS.ProcessEnv): Promise<Record<string, Login>> {
  const file = loginsFile(env);
  try {
    const { logins } = JSON.parse(await readFile(file, "utf8")) as { logins: unknown };
    if (isLogins(logins)) return logins;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return {};
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
  await writePrivate(file, text);
}

/** Calls `work` while no other program changes the logins. */
const withLogins = <T>(
  env: NodeJS.ProcessEnv,
  work: (logins: Record<string, Login>) => Promise<T>,
): Promise<T> => withLockOf(loginsFile(env), async () => work(await readLogins(env)));

const members = ["url", "issuer", "audience", "registryUrl", "registryAudience", "token", "expiry"];
const optional = ["refreshToken", "refreshExpiry", "session", "vendor"];

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
