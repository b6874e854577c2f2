/**
 * docker-credential-platform gives Docker a fresh registry token whenever Docker needs a password. In its protocol, the
 * action is the argument, and the input of the action comes on standard input. Messages to the user go to standard
 * output with exit code 1. https://github.com/docker/docker-credential-helpers#development
 */

import { refusedFailure, toFailure } from "../failure.ts";
import { openSource, readAllBytes } from "../import/lines.ts";
import { type Surroundings, within } from "../surroundings.ts";
import { type Account, allAccounts } from "./credentials.ts";

/** The user name that the registry expects with a token. */
const userName = "_token";
/** Docker continues without a password if it reads exactly these words. */
const notFound = "credentials not found in native keychain";

/** The texts for standard output and standard error, and the exit code. */
type HelperResult = { out?: string; err?: string; exitCode: 0 | 1 };

const maxInputBytes = 64 * 1024;

/** Runs an action to its end. Leaves the exit code in the surroundings, and never throws. */
export const runHelper = (action: string, surroundings: Surroundings): Promise<void> =>
  within(surroundings, async () => {
    const { stdout, stderr } = surroundings;
    try {
      const hasInput = ["get", "store", "erase"].includes(action);
      const input = hasInput ? await readAllBytes(await openSource("-"), maxInputBytes) : "";
      const { out, err, exitCode } = await runAction(action, input.toString(), await allAccounts());
      if (out) stdout.write(`${out}\n`);
      if (err) stderr.write(`${err}\n`);
      surroundings.exitCode = exitCode;
    } catch (thrown) {
      // Docker shows its user only the text on standard output.
      stdout.write(`${toFailure(thrown).message}\n`);
      surroundings.exitCode = 1;
    }
  });

/** Runs one action. Throws a Failure if there is no token. */
async function runAction(
  action: string,
  input: string,
  accounts: Account[],
): Promise<HelperResult> {
  if (action === "get") return get(input.trim(), accounts);
  if (action === "list") return list(accounts);
  if (action === "store") return store(input, accounts);
  if (action === "erase") {
    return {
      err: "There is nothing to erase. Tokens come from `platformctl auth login`.",
      exitCode: 0,
    };
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

/** Responds to `docker login`. It never has to store our own tokens, and it cannot store a password. */
function store(input: string, accounts: Account[]): HelperResult {
  const { ServerURL: serverUrl = "", Username: user = "" } = readCredential(input);
  if (user === userName && accountFor(serverUrl, accounts)) {
    return {
      err: "Nothing is stored. Docker gets a fresh token from your `platformctl auth login` whenever it needs one.",
      exitCode: 0,
    };
  }
  const out =
    `docker-credential-platform does not store passwords and has no login for ${serverUrl}. ` +
    "Log in with `platformctl auth login`, or use another credential helper for that registry.";
  return { out, exitCode: 1 };
}

function readCredential(input: string): { ServerURL?: string; Username?: string } {
  try {
    const value: unknown = JSON.parse(input);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // The failure below describes it.
  }
  throw refusedFailure(
    "USAGE",
    "store needs a JSON object with ServerURL and Username on standard input.",
  );
}

/** Finds the account for a registry, which Docker names as `host`, `host:port` or a URL. Subdomains match, too. */
function accountFor(serverUrl: string, accounts: Account[]): Account | undefined {
  const host = hostOf(serverUrl);
  if (!host) return undefined;
  const isAt = (registry: string) => host === registry || host.endsWith(`.${registry}`);
  return accounts.find((account) => isAt(hostOf(account.registryUrl) ?? ""));
}

/** Returns the host and the port in lowercase, without a default port. */
function hostOf(server: string): string | undefined {
  const url = URL.parse(server.includes("://") ? server : `https://${server}`);
  if (!url?.host) return undefined;
  return url.port === "80" ? url.hostname : url.host;
}
