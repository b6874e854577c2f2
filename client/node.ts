/** Sources of tokens that need Node. */
import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { cachedToken, type TokenSource, type TokenWithExpiry } from "./tokens.ts";

/** How long a command may take, in milliseconds. */
const timeoutMs = 60_000;

/**
 * Returns a source of the token that a command prints, such as `["platformctl", "auth", "token"]`. The command runs
 * without a shell. A JWT is kept until shortly before its `exp`. If the token is not a JWT, the command runs before
 * every call. Rejects with the command's message on standard error.
 */
export function commandToken(command: readonly [string, ...string[]]): TokenSource {
  const [program, ...parameters] = command;
  return cachedToken(async () => {
    const token = (await runCommand(program, parameters)).trim();
    if (token === "") throw new Error(`${program} printed no token`);
    return toTokenWithExpiry(token);
  });
}

function runCommand(program: string, parameters: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, parameters, { timeout: timeoutMs }, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      const said = stderr.trim();
      const what = error.killed ? `${program} took longer than ${timeoutMs} ms` : error.message;
      reject(new Error(said === "" ? what : `${program}: ${said}`, { cause: error }));
    });
  });
}

/**
 * Returns a source of the token in a file. The file is read again if it has changed, or if the token is rejected. This
 * works for tokens that are renewed in place, such as projected service account tokens of Kubernetes and job tokens of
 * CI.
 */
export function fileToken(path: string): TokenSource {
  let known: { version: string; token: string } | undefined;
  return async ({ signal, refused }) => {
    signal?.throwIfAborted();
    const { mtimeMs, size, ino } = await stat(path);
    const version = `${mtimeMs} ${size} ${ino}`;
    if (known?.version !== version || known.token === refused) {
      const token = (await readFile(path, { encoding: "utf8", signal })).trim();
      if (token === "") throw new Error(`${path} is empty and contains no token`);
      known = { version, token };
    }
    return known.token;
  };
}

/** Returns when a JWT expires (RFC 7519). Any other token is used only once. */
function toTokenWithExpiry(token: string): TokenWithExpiry {
  const [, claims = ""] = token.split(".");
  try {
    const { exp } = JSON.parse(Buffer.from(claims, "base64url").toString()) as { exp?: unknown };
    if (typeof exp === "number") return { token, expires: exp * 1000 };
  } catch {
    // The token is not a JWT.
  }
  return { token, expires: Date.now() };
}
