/** The parts of the client that need Node: sources of tokens, and a server of webhooks. */
import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { Readable } from "node:stream";
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

/**
 * Returns a listener for `createServer` of `node:http`, from a function such as `webhookHandler` returns. If the function
 * rejects, the response is 500.
 */
export function nodeListener(
  handle: (request: Request) => Promise<Response>,
): RequestListener<typeof IncomingMessage, typeof ServerResponse> {
  return (message, answer) => {
    respond(handle, message, answer).catch(() => {
      if (!answer.headersSent) answer.writeHead(500);
      answer.end();
    });
  };
}

async function respond(
  handle: (request: Request) => Promise<Response>,
  message: IncomingMessage,
  answer: ServerResponse,
): Promise<void> {
  const response = await handle(toRequest(message));
  const body = Buffer.from(await response.arrayBuffer());
  answer.writeHead(response.status, Object.fromEntries(response.headers)).end(body);
}

function toRequest(message: IncomingMessage): Request {
  const { method = "GET", url = "/", headersDistinct } = message;
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const hasBody = !["GET", "HEAD"].includes(method);
  // Types of browsers do not have `duplex`, which Node needs for a body that is a stream.
  const body = { body: Readable.toWeb(message) as ReadableStream<Uint8Array>, duplex: "half" };
  return new Request(new URL(url, "http://localhost"), {
    method,
    headers,
    ...(hasBody ? body : {}),
  });
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
