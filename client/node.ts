/** Sources of tokens that need Node. */
import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { cachedToken, type TokenSource, type TokenWithExpiry } from "./tokens.ts";

/** Milliseconds that a command may take. */
const timeoutMs = 60_000;

/**
 * The token that a command prints, such as `["platformctl", "auth", "token"]`; it runs without a
 * shell. A JWT is kept until shortly before its `exp`; for what is no JWT the command runs before
 * every call. Rejects with what the command says on standard error.
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
      const what = error.killed ? `${program} took more than ${timeoutMs} ms` : error.message;
      reject(new Error(said === "" ? what : `${program}: ${said}`, { cause: error }));
    });
  });
}

/**
 * The token that a file holds. The file is read again when it has changed or its token is refused:
 * projected service account tokens of Kubernetes and job tokens of CI are renewed in place.
 */
export function fileToken(path: string): TokenSource {
  let known: { version: string; token: string } | undefined;
  return async ({ signal, refused }) => {
    signal?.throwIfAborted();
    const { mtimeMs, size, ino } = await stat(path);
    const version = `${mtimeMs} ${size} ${ino}`;
    if (known?.version !== version || known.token === refused) {
      const token = (await readFile(path, { encoding: "utf8", signal })).trim();
      if (token === "") throw new Error(`${path} is empty: there is no token in it`);
      known = { version, token };
    }
    return known.token;
  };
}

/** Until its `exp`, if it is a JWT (RFC 7519); else not at all. */
function toTokenWithExpiry(token: string): TokenWithExpiry {
  const [, claims = ""] = token.split(".");
  try {
    const { exp } = JSON.parse(Buffer.from(claims, "base64url").toString()) as { exp?: unknown };
    if (typeof exp === "number") return { token, expires: exp * 1000 };
  } catch {
    // No JWT.
  }
  return { token, expires: Date.now() };
}
