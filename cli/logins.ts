/** Access tokens of past logins: $XDG_CONFIG_HOME/platform/credentials.json, for its owner only. */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Addresses } from "./exchange.ts";
import { usage } from "./failure.ts";

/** A login to one platform. `expiry` is RFC 3339, UTC. */
export type Login = Addresses & { token: string; expiry: string };

/** Path of the file. Without XDG_CONFIG_HOME, that is below ~/.config. */
export function loginsFile(env: NodeJS.ProcessEnv = process.env): string {
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
  throw usage(`Cannot read ${file}. Delete it and log in again.`);
}

/** Adds or replaces the login for a PLATFORM_URL, and drops those that have expired. */
export async function saveLogin(env: NodeJS.ProcessEnv, url: string, login: Login): Promise<void> {
  const file = loginsFile(env);
  const kept = Object.entries(await readLogins(env)).filter(
    ([, { expiry }]) => Date.parse(expiry) > Date.now(),
  );
  const logins = { ...Object.fromEntries(kept), [url]: login };
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const next = `${file}.${process.pid}.new`;
  await writeFile(next, `${JSON.stringify({ logins }, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(next, file);
}

const members = ["url", "issuer", "audience", "registryUrl", "registryAudience", "token", "expiry"];

function isLogins(value: unknown): value is Record<string, Login> {
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).every(
    (login) =>
      typeof login === "object" &&
      login !== null &&
      members.every((name) => typeof login[name] === "string"),
  );
}
