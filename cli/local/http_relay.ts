/**
 * HTTP/1.1 for the Worker of `npm start`. It forwards every request without the fields that only the network around a Worker may
 * set.
 */
import * as http from "node:http";
import { pipeline } from "node:stream/promises";
import { setTimeout as pause } from "node:timers/promises";
import { blobRelay, isBlobPull } from "./blob_relay.ts";
import { isLocalOwnerPath, type ReadSigner, serveLocalOwner } from "./local_owner.ts";

/**
 * Fields that development servers trust. They come from miniflare, which takes the address, the route and the cause of
 * a request from `MF-…`, from Cloudflare's network, and from proxies. A client could forge each of them.
 */
export const internalHeaders = /^(?:mf|cf|x-forwarded)-/i;

/** The field in which Cloudflare's network says the address of a client. */
export const addressHeader = "cf-connecting-ip";

/** Fields of a single connection (RFC 9110, 7.6.1), and one field that is handled here. */
const connectionHeaders = /^(?:connection|expect|keep-alive|proxy-connection|te|trailer|upgrade)$/i;

/** Paths that development servers handle themselves. Cloudflare's network reserves the first one, too. */
const internalPaths = /^\/(?:cdn-cgi|__cf_local|__scheduled)(?:\/|$)/i;

/**
 * Whether development servers handle a request target themselves. It can be a path or a whole URL. They resolve dot
 * segments first, as in `/x/../cdn-cgi/`.
 */
export function isInternalPath(target = ""): boolean {
  const url = URL.parse(target.startsWith("/") ? `http://x${target}` : target);
  return url !== null && internalPaths.test(url.pathname);
}

/** In milliseconds: how long a client that expects `100 Continue` waits for it. An answer may come first. */
const expectMs = 1_000;

/**
 * Limits for the rest of a body, after the answer: bytes, and milliseconds. A client that pauses for `idleMs` has stopped.
 */
const restLimits = { bytes: 1024 ** 3, ms: 10_000, idleMs: 1_000 };

/** This is larger than workerd's default, so that workerd rejects larger headers itself. */
const maxHeaderSize = 128 * 1024;

/**
 * Returns an HTTP/1.1 server in front of the one on that port of 127.0.0.1. It does not listen: give it connections.
 * With `signer`, it signs in the owner itself (local_owner.ts).
 */
export function httpRelay(port: number, signer?: ReadSigner): http.Server {
  // workerd closes idle connections after 5 s. Closing them earlier avoids writing to a closing connection.
  const agent = new http.Agent({ keepAlive: true, timeout: 3_000 });
  const blobs = blobRelay(port, dropInternalHeaders);
  const handle: http.RequestListener = (request, response) => {
    if (isInternalPath(request.url))
      response.writeHead(404, { "x-content-type-options": "nosniff" }).end();
    else if (signer && isLocalOwnerPath(request.url))
      void serveLocalOwner(request, response, signer);
    else if (isBlobPull(request)) blobs.pass(request.url ?? "", onwardFields(request), response);
    else void forward(request, response, { agent, port, host: "127.0.0.1" });
  };
  const server = http.createServer({ maxHeaderSize, noDelay: true }, handle);
  server.on("checkContinue", handle);
  // A client may close its side after the request and still wait for the response. The types lack this member.
  Object.assign(server, { httpAllowHalfOpen: true });
  return server.on("close", () => {
    agent.destroy();
    blobs.close();
  });
}

async function forward(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  to: http.RequestOptions,
): Promise<void> {
  const { method, url: path } = request;
  const headers = onwardFields(request);
  const onward = http.request({
    ...to,
    method,
    path,
    headers,
    setHost: false,
  } as http.RequestOptions);
  const answered = new Promise<http.IncomingMessage>((done, fail) => {
    onward.on("response", done).on("error", fail);
  });
  // A client that leaves ends the request.
  response.on("close", () => onward.destroy());
  try {
    if (request.headers.expect) await awaitAnswer(onward, answered, response);
    // Node sends them with the first byte of the body, for which a slow client may take a minute.
    onward.flushHeaders();
    request.pipe(onward);
    const answer = await answered;
    if (!request.complete) response.shouldKeepAlive = false;
    response.sendDate = false;
    response.writeHead(
      answer.statusCode ?? 502,
      answer.statusMessage,
      dropInternalHeaders(answer.rawHeaders),
    );
    await pipeline(answer, response, { end: false });
    request.unpipe(onward);
    await dropRest(request);
    response.end();
  } catch {
    response.destroy();
  }
}

/** Lets a client send its body (RFC 9110, 10.1.1), unless an answer comes within a short time. */
async function awaitAnswer(
  onward: http.ClientRequest,
  answered: Promise<unknown>,
  response: http.ServerResponse,
): Promise<void> {
  onward.flushHeaders();
  const isEarly = await Promise.race([answered.then(() => true), pause(expectMs, false)]);
  if (!isEarly) response.writeContinue();
}

/**
 * Reads the rest of a body and drops it, within limits. If a server closes a connection with unread bytes, it is reset,
 * and the client may not get the response (RFC 9112, 9.6).
 */
export function dropRest(request: http.IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return Promise.resolve();
  return new Promise((done) => {
    const timers = [setTimeout(end, restLimits.ms), setTimeout(end, restLimits.idleMs)];
    let dropped = 0;
    function end() {
      timers.forEach(clearTimeout);
      done();
    }
    request.on("data", ({ length }: Buffer) => {
      dropped += length;
      timers[1]?.refresh();
      if (dropped > restLimits.bytes) end();
    });
    request.on("end", end).on("close", end).resume();
  });
}

/** The fields of a request for the Worker, which also learns the address of the client, as from Cloudflare. */
const onwardFields = ({ rawHeaders, socket }: http.IncomingMessage) => [
  ...dropInternalHeaders(rawHeaders),
  ...(socket.remoteAddress ? [addressHeader, socket.remoteAddress] : []),
];

/** Takes names and values in turn, and drops the fields that are not passed on. */
function dropInternalHeaders(raw: string[]): string[] {
  return raw.filter((_, index) => {
    const name = raw[index - (index % 2)] ?? "";
    return !internalHeaders.test(name) && !connectionHeaders.test(name);
  });
}
