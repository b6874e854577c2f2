/**
 * Native gRPC for a Worker. A Worker cannot send HTTP trailers, so it uses gRPC-Web. This module turns application/grpc
 * (HTTP/2 cleartext) into application/grpc-web, and the responses back. Both use the same frames for messages. gRPC-Web
 * puts the trailers into a last frame of the body. https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md and
 * PROTOCOL-WEB.md
 */
import { once } from "node:events";
import * as http from "node:http";
import * as http2 from "node:http2";
import * as https from "node:https";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  compressionNegotiate,
  encodeEnvelope,
  envelopeDecompress,
  pipe,
  transformDecompressEnvelope,
  transformJoinEnvelopes,
  transformSplitEnvelope,
} from "@connectrpc/connect/protocol";
import { codeFromHttpStatus, parseTimeout } from "@connectrpc/connect/protocol-grpc";
import { trailerFlag, trailerParse } from "@connectrpc/connect/protocol-grpc-web";
import { compressionGzip } from "@connectrpc/connect-node";
import { addressHeader, internalHeaders, isInternalPath } from "../local/http_relay.ts";
import { here } from "../surroundings.ts";
import { reflectionHandler } from "./reflection.ts";

type Request = http2.Http2ServerRequest;
type Response = http2.Http2ServerResponse;
type Fields = http.OutgoingHttpHeaders;
type Send = ReturnType<typeof sender>;

/** In bytes: the largest message of a request, compressed and decompressed. gRPC servers use the same default. */
const maxMessageBytes = 4 * 1024 * 1024;
/** The largest number of bytes that a frame can announce. */
const maxFrameBytes = 0xffffffff;
/** The longest time of a Node timer, in milliseconds (24.8 days). */
const maxTimerMs = 2 ** 31 - 1;

/** Pseudo headers, fields of a single connection (RFC 9110, 7.6.1), and fields that the bridge sets itself. */
const notPassed =
  /^(:.*|connection|expect|host|http2-settings|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/;

/**
 * Returns an HTTP/2 server for one upstream origin. The origin uses http or https, and its path is prepended to that of
 * every call. The server handles gRPC and gRPC server reflection, and forwards every other request unchanged. It does
 * not listen yet. You can also give it sockets with `emit("connection", socket)`. `vendor` returns the upstream's
 * VENDOR once it is known. Reflection then also serves names that begin with it. With `saysAddress`, the upstream learns
 * the address of the client as from Cloudflare, which itself refuses requests that say it.
 */
export function grpcBridge(
  upstream: URL,
  vendor: () => string | undefined = () => undefined,
  saysAddress = false,
): http2.Http2Server {
  const send = sender(upstream, saysAddress);
  const reflect = reflectionHandler((req, res) => {
    const isGrpc = /^application\/grpc($|[+;])/i.test(req.headers["content-type"] ?? "");
    void (isGrpc ? call(send, req, res) : forward(send, req, res));
  }, vendor);
  return http2.createServer((req, res) => {
    // When a client leaves, the response emits "close". Unhandled errors would end this process.
    req.on("error", () => {});
    res.on("error", () => {});
    if (isInternalPath(req.url)) res.writeHead(404, { "x-content-type-options": "nosniff" }).end();
    else reflect(req, res);
  });
}

/** Runs a bridge until SIGINT or SIGTERM. `listen` is `[HOST:]PORT`. The default host is 127.0.0.1. */
export async function runGrpcBridge(options: {
  listen: string;
  upstream: string;
  vendor?: string;
}): Promise<void> {
  const address = /^(?:(.+):)?(\d{1,5})$/.exec(options.listen);
  if (!address)
    throw new Error(`The address to listen on must be [HOST:]PORT; you gave ${options.listen}`);
  const upstream = URL.parse(options.upstream);
  if (!upstream || !/^https?:$/.test(upstream.protocol)) {
    throw new Error(`The upstream must be an http or https URL; you gave ${options.upstream}`);
  }
  const server = grpcBridge(upstream, () => options.vendor);
  const host = address[1]?.replace(/^\[(.*)\]$/, "$1") ?? "127.0.0.1";
  server.listen(Number(address[2]), host);
  await once(server, "listening");
  // The listeners come before the line is printed, because a program that reads the line may send a signal at once.
  const stopped = new Promise((stop) => {
    for (const signal of ["SIGINT", "SIGTERM"]) here().once(signal, stop);
  });
  const { port } = server.address() as AddressInfo;
  here().stdout.write(`gRPC on ${address[1] ?? host}:${port}, upstream ${upstream.origin}\n`);
  await stopped;
  // Calls in progress may finish, within a time limit.
  setTimeout(() => process.exit(), 5_000).unref();
  await new Promise((done) => server.close(done));
}

/** Returns a function that sends requests to the upstream over HTTP/1.1, with other header fields and another body. */
function sender(upstream: URL, saysAddress: boolean) {
  const { request, Agent } = upstream.protocol === "https:" ? https : http;
  // workerd closes idle connections after 5 s. Closing them earlier avoids writing to a closing connection.
  const agent = new Agent({ keepAlive: true, timeout: 3_000 });
  const prefix = upstream.pathname.replace(/\/$/, "");
  return async (from: Request, fields: Fields, body: Readable, signal: AbortSignal) => {
    const { method, url, socket } = from;
    const own = saysAddress ? { [addressHeader]: socket.remoteAddress } : {};
    const headers = { ...fields, ...own };
    const ask = request(upstream, { agent, method, path: prefix + url, headers, signal });
    ask.on("error", () => {});
    // The first message may take long to arrive, and the response may not wait for it.
    ask.flushHeaders();
    const answered = once(ask, "response") as Promise<[http.IncomingMessage]>;
    // A failure on either side destroys `ask`, which rejects `answered`.
    pipeline(body, ask).catch(() => {});
    return (await answered)[0];
  };
}

/** Handles one gRPC call. Its response always has a gRPC status, unless the client has left. */
async function call(send: Send, req: Request, res: Response): Promise<void> {
  const abort = new AbortController();
  res.on("close", () =>
    abort.abort(new ConnectError("the client closed the connection", Code.Canceled)),
  );
  const timeout = req.headers["grpc-timeout"]?.toString() ?? null;
  const { timeoutMs = maxTimerMs, error: unreadable } = parseTimeout(timeout, Number.MAX_VALUE);
  const isEndless = timeoutMs >= maxTimerMs;
  const expire = () =>
    abort.abort(new ConnectError("the deadline has passed", Code.DeadlineExceeded));
  const timer = isEndless ? undefined : setTimeout(expire, timeoutMs);
  try {
    if (unreadable) throw unreadable;
    const headers = grpcWebHeaders(req);
    // A timer of the upstream may overflow, as ours would, and fire at once.
    if (isEndless) delete headers["grpc-timeout"];
    const body = unpacked(req);
    body.on("error", (error) => abort.abort(error));
    await relay(await send(req, headers, body, abort.signal), res, abort.signal);
  } catch (error) {
    fail(res, statusOf(abort.signal.aborted ? abort.signal.reason : error));
  } finally {
    clearTimeout(timer);
    // The response came before the request was complete, so no one reads the rest. A reset would overtake data that is
    // not yet sent, so the response goes first.
    if (!req.complete) {
      const { stream } = res;
      const leave = () => setImmediate(() => stream.close(http2.constants.NGHTTP2_NO_ERROR));
      if (stream.writableFinished) leave();
      else stream.once("finish", leave);
    }
  }
}

function grpcWebHeaders(req: Request): Fields {
  const subtype = /\+\w+/.exec(req.headers["content-type"] ?? "") ?? "+proto";
  return {
    ...passed(req.headers, "grpc-encoding", "content-length"),
    "content-type": `application/grpc-web${subtype}`,
    "accept-encoding": "identity",
    "transfer-encoding": "chunked",
    "x-grpc-web": "1",
  };
}

/**
 * Returns the request's messages. A message that is too large fails with RESOURCE_EXHAUSTED as soon as its size is
 * known. Compressed messages are decompressed here, because the upstream may not support compression.
 */
function unpacked(req: Request): Readable {
  const name = req.headers["grpc-encoding"]?.toString() ?? null;
  const encoding = compressionNegotiate([compressionGzip], name, null, "grpc-accept-encoding");
  if (encoding.error) throw encoding.error;
  const messages = pipe(
    // A request that is no longer read stays open for its response.
    req.iterator({ destroyOnReturn: false }),
    transformSplitEnvelope(maxMessageBytes),
    transformDecompressEnvelope(encoding.request ?? null, maxMessageBytes),
    transformJoinEnvelopes(),
  );
  return Readable.from(messages);
}

async function relay(answer: http.IncomingMessage, res: Response, signal: AbortSignal) {
  const { statusCode = 0, headers } = answer;
  const type = headers["content-type"] ?? "";
  if (headers["grpc-status"] !== undefined) {
    answer.resume();
    return end(res, passed(headers, "content-length", "content-type"));
  }
  if (statusCode !== 200 || !/^application\/grpc-web($|[+;])/i.test(type)) {
    answer.resume();
    const what = `the upstream returned HTTP ${statusCode} with ${type || "no content type"}`;
    throw new ConnectError(what, codeFromHttpStatus(statusCode));
  }
  res.writeHead(200, {
    ...passed(headers, "content-length"),
    "content-type": type.replace(/-web/i, ""),
  });
  let trailers: Headers | undefined;
  for await (const frame of transformSplitEnvelope(maxFrameBytes)(answer)) {
    if (frame.flags & trailerFlag) {
      const { data } = await envelopeDecompress(frame, compressionGzip, maxMessageBytes);
      trailers = trailerParse(data);
    } else if (!res.write(encodeEnvelope(frame.flags, frame.data))) {
      await once(res, "drain", { signal });
    }
  }
  if (!trailers?.has("grpc-status")) {
    throw new ConnectError("the upstream's response ends without a status", Code.Internal);
  }
  end(res, passed(Object.fromEntries(trailers)));
}

/** Ends a response with its status: in trailers, or in headers if nothing was sent before. */
function end(res: Response, status: Fields): void {
  const message = status["grpc-message"];
  if (message !== undefined) status["grpc-message"] = grpcMessage(`${message}`);
  if (res.headersSent) {
    res.addTrailers(status);
  } else {
    res.setHeader("content-type", "application/grpc+proto");
    for (const [name, value] of Object.entries(status)) res.setHeader(name, value ?? "");
  }
  res.end();
}

function fail(res: Response, error: ConnectError): void {
  end(res, {
    ...Object.fromEntries(error.metadata),
    "grpc-status": `${error.code}`,
    "grpc-message": encodeURIComponent(error.rawMessage),
  });
}

/** Our own errors have a code. Every other error means that the upstream could not be reached. */
function statusOf(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error;
  return new ConnectError(`the upstream cannot be reached: ${error}`, Code.Unavailable);
}

/**
 * Percent-encodes a message as gRPC requires: only `%` and characters that are not printable ASCII. Connect encodes
 * more.
 */
function grpcMessage(encoded: string): string {
  let text = encoded;
  try {
    text = decodeURIComponent(encoded);
  } catch {
    // The text is not percent-encoded.
  }
  return text.toWellFormed().replace(/[^ -$&-~]+/g, encodeURIComponent);
}

/** Forwards everything else over HTTP/2: REST, Connect and gRPC-Web. */
async function forward(send: Send, req: Request, res: Response): Promise<void> {
  const abort = new AbortController();
  res.on("close", () => abort.abort());
  const headers = passed(req.headers);
  // HTTP/1.1 needs one of the two to mark the end of a body. HTTP/2 needs neither.
  const isFramed = headers["content-length"] !== undefined || req.stream.endAfterHeaders;
  if (!isFramed) headers["transfer-encoding"] = "chunked";
  try {
    const answer = await send(req, headers, req, abort.signal);
    res.writeHead(answer.statusCode ?? 502, passed(answer.headers));
    await pipeline(answer, res);
  } catch (error) {
    const isLate = res.headersSent || res.stream.destroyed;
    if (isLate) return res.stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
    res.writeHead(502, { "content-type": "text/plain; charset=utf-8" });
    res.end(`${statusOf(error).rawMessage}\n`);
  }
}

function passed(headers: Fields, ...except: string[]): Fields {
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !notPassed.test(name) && !internalHeaders.test(name) && !except.includes(name),
    ),
  );
}
