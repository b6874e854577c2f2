/** The end of a browser login on this machine: a listener that receives the tokens (RFC 8252). */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { refusedFailure } from "../failure.ts";

/** The tokens of a login. The refresh token is empty if there is none. */
export type LoginTokens = { token: string; refreshToken: string };

/** A listener: the address that the browser is sent to, and the tokens that arrive there. */
export type Loopback = {
  redirect: string;
  tokens: Promise<LoginTokens>;
  /** Stops listening after the browser has loaded its last page, or when it takes too long. */
  close(): Promise<void>;
};

/** How long a browser may take to request its last page, in milliseconds. */
const lastPageTimeoutMs = 2_000;

/**
 * Listens on a port of 127.0.0.1 that the system chooses. It accepts only requests to an unguessable path, so that no
 * other page or program can send its own token. `tokens` rejects with the issuer's error, or with LOGIN_TIMEOUT after
 * `timeoutMs` milliseconds.
 */
export async function listenForLogin(timeoutMs: number): Promise<Loopback> {
  const path = `/${randomBytes(32).toString("base64url")}`;
  const { promise, resolve, reject } = Promise.withResolvers<LoginTokens>();
  const shown = Promise.withResolvers<void>();
  // The caller sees the rejection later, even if it is not waiting for it yet.
  promise.catch(() => {});
  const server = createServer((request, response) => {
    const outcome = readCallback(request, response, path);
    if (outcome === "done" || outcome instanceof Error) response.once("close", shown.resolve);
    if (outcome === "done") return;
    if (outcome instanceof Error) reject(outcome);
    else if (outcome) resolve(outcome);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const late = setTimeout(() => {
    reject(
      refusedFailure(
        "LOGIN_TIMEOUT",
        "No one signed in before the login timed out. Start the login again.",
      ),
    );
  }, timeoutMs);
  const close = async () => {
    clearTimeout(late);
    const isHeard = await promise.then(
      () => true,
      (error) => error.code !== "LOGIN_TIMEOUT",
    );
    const end = AbortSignal.timeout(lastPageTimeoutMs);
    if (isHeard) await Promise.race([shown.promise, once(end, "abort")]);
    server.close();
    server.closeAllConnections();
  };
  const { port } = server.address() as AddressInfo;
  return { redirect: `http://127.0.0.1:${port}${path}`, tokens: promise, close };
}

function readCallback(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): LoginTokens | Error | "done" | undefined {
  const url = new URL(request.url ?? "/", "http://127.0.0.1");
  const query = Object.fromEntries(url.searchParams);
  response.setHeader("connection", "close");
  if (request.method !== "GET" || url.pathname !== path || !(query.token || query.error)) {
    if (request.method === "GET" && url.pathname === `${path}/done`) {
      sendPage(response, "You are signed in. You can close this window.");
      return "done";
    }
    response.writeHead(404).end();
    return undefined;
  }
  if (query.error) {
    sendPage(response, "The login failed. Your terminal shows the reason.");
    return refusedFailure("LOGIN_REFUSED", query.error);
  }
  // Redirect to an address without the token, so that the token does not stay in the browser's history.
  response.writeHead(303, { location: `${path}/done`, "referrer-policy": "no-referrer" }).end();
  return { token: query.token ?? "", refreshToken: query.refresh_token ?? "" };
}

function sendPage(response: ServerResponse, text: string): void {
  response
    .writeHead(200, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
    })
    .end(`<!doctype html><title>platformctl</title><p>${text}</p>\n`);
}
