/**
 * docker-credential-platform: gives Docker a fresh registry token whenever it asks for a password.
 * The protocol: the action is the argument, its input stands on standard input, and messages to
 * the user go to standard output with exit code 1.
 * https://github.com/docker/docker-credential-helpers#development
 */

import { refusedFailure } from "../failure.ts";
import type { Account } from "./credentials.ts";

/** The user name that the registry expects beside a token. */
const userName = "_token";
/** Docker knows by these very words that it should go on without a password. */
const notFound = "credentials not found in native keychain";

/** What goes to standard output and standard error, and the exit code. */
export type HelperResult = { out?: string; err?: string; exitCode: 0 | 1 };

/** Carries out one action. Throws a Failure when a token cannot be had. */
export async function runAction(
  action: string,
  input: string,
  accounts: Account[],
): Promise<HelperResult> {
  if (action === "get") return get(input.trim(), accounts);
  if (action === "list") return list(accounts);
  if (action === "store") return store(input, accounts);
  if (action === "erase") {
    return { err: "Nothing to erase: tokens come from `platformctl auth login`.", exitCode: 0 };
  }
  const usage = "usage: docker-credential-platform get|list|store|erase";
  return { out: usage, exitCode: 1 };
}

async function get(serverUrl: string, accounts: Account[]): Promise<HelperResult> {
  const account = accountFor(serverUrl, accounts);
  if (!account) return { out: notFound, exitCode: 1 };
  const { token } = await account.token({ audience: account.registryAudience });
  const credential = { ServerURL: serverUrl, Username: userName, Secret: token };
  return { out: JSON.stringify(credential), exitCode: 0 };
}

function list(accounts: Account[]): HelperResult {
  const hosts = accounts.map((account) => [new URL(account.registryUrl).host, userName]);
  return { out: JSON.stringify(Object.fromEntries(hosts)), exitCode: 0 };
}

/** `docker login` ends here. A token of ours need not be kept, and a password would be lost. */
function store(input: string, accounts: Account[]): HelperResult {
  const { ServerURL: serverUrl = "", Username: user = "" } = readCredential(input);
  if (user === userName && accountFor(serverUrl, accounts)) {
    return {
      err: "Nothing is stored: docker gets a fresh token whenever it needs one, by your login with `platformctl auth login`.",
      exitCode: 0,
    };
  }
  const out =
    `docker-credential-platform keeps no passwords, and has no login for ${serverUrl}. ` +
    "Log in with `platformctl auth login`, or use another credential helper for that registry.";
  return { out, exitCode: 1 };
}

function readCredential(input: string): { ServerURL?: string; Username?: string } {
  try {
    const value: unknown = JSON.parse(input);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Falls through to the failure.
  }
  throw refusedFailure("USAGE", "store expects a JSON object with ServerURL and Username.");
}

/** Docker names a registry as `host`, `host:port` or a URL. Subdomains are served too. */
function accountFor(serverUrl: string, accounts: Account[]): Account | undefined {
  const host = hostOf(serverUrl);
  if (!host) return undefined;
  const isAt = (registry: string) => host === registry || host.endsWith(`.${registry}`);
  return accounts.find((account) => isAt(hostOf(account.registryUrl) ?? ""));
}

/** Host and port, in lower case; the ports that go without saying are left out. */
function hostOf(server: string): string | undefined {
  const url = URL.parse(server.includes("://") ? server : `https://${server}`);
  if (!url?.host) return undefined;
  return url.port === "80" ? url.hostname : url.host;
}
