/**
 * Native gRPC for a Worker. A Worker cannot send HTTP trailers, so it speaks gRPC-Web; this turns
 * application/grpc (HTTP/2 cleartext) into application/grpc-web and the answers back. The two
 * frame messages alike; gRPC-Web puts the trailers into a last frame of the body.
 * https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md and PROTOCOL-WEB.md
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
import { internalHeaders, internalPaths } from "../local/http_relay.ts";
import { reflectionHandler } from "./reflection.ts";

type Request = http2.Http2ServerRequest;
type Response = http2.Http2ServerResponse;
type Fields = http.OutgoingHttpHeaders;
type Send = ReturnType<typeof sender>;

/** The largest message on its way up, packed and unpacked, in bytes: what gRPC servers take by default. */
const maxMessageBytes = 4 * 1024 * 1024;
/** The largest number of bytes that a frame can announce. */
const maxFrameBytes = 0xffffffff;
/** The longest time a Node timer can hold, in milliseconds (24.8 days). */
const maxTimerMs = 2 ** 31 - 1;

/** Pseudo headers, fields that belong to one connection (RFC 9110, 7.6.1), and those that the bridge sets itself. */
const notPassed =
  /^(:.*|connection|expect|host|http2-settings|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/;

/**
 * An HTTP/2 server for one upstream origin (http or https; its path is put before every call's).
 * It serves gRPC and gRPC server reflection, and passes every other request on unchanged. It does
 * not listen yet; sockets may also be given to it with `emit("connection", socket)`. `vendor` says the
 * upstream's VENDOR, as soon as it is known: reflection answers for names that begin with it, too.
 */
export function grpcBridge(
  upstream: URL,
  vendor: () => string | undefined = () => undefined,
): http2.Http2Server {
  const send = sender(upstream);
  const reflect = reflectionHandler((req, res) => {
    const isGrpc = /^application\/grpc($|[+;])/i.test(req.headers["content-type"] ?? "");
    void (isGrpc ? call(send, req, res) : forward(send, req, res));
  }, vendor);
  return http2.createServer((req, res) => {
    // A client that goes away is seen as "close" of the response. Unheard errors would end us.
    req.on("error", () => {});
    res.on("error", () => {});
    if (internalPaths.test(req.url)) res.writeHead(404).end();
    else reflect(req, res);
  });
}

/** Serves a bridge until SIGINT or SIGTERM. `listen` is `[HOST:]PORT`, HOST being 127.0.0.1 if not given. */
export async function runGrpcBridge(options: {
  listen: string;
  upstream: string;
  vendor?: string;
}): Promise<void> {
  const at = /^(?:(.+):)?(\d{1,5})$/.exec(options.listen);
  if (!at) throw new Error(`Not [HOST:]PORT: ${options.listen}`);
  const upstream = URL.parse(options.upstream);
  if (!upstream || !/^https?:$/.test(upstream.protocol)) {
    throw new Error(`Not an http or https URL: ${options.upstream}`);
  }
  const server = grpcBridge(upstream, () => options.vendor);
  const host = at[1]?.replace(/^\[(.*)\]$/, "$1") ?? "127.0.0.1";
  server.listen(Number(at[2]), host);
  await once(server, "listening");
  // Heard before the line is printed: who reads it may signal at once.
  const stopped = new Promise((stop) => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stop);
  });
  const { port } = server.address() as AddressInfo;
  console.log(`gRPC on ${at[1] ?? host}:${port}, upstream ${upstream.origin}`);
  await stopped;
  // Calls that are under way may finish, within reason.
  setTimeout(() => process.exit(), 5_000).unref();
  await new Promise((done) => server.close(done));
}

/** Sends requests on to the upstream over HTTP/1.1, with other header fields and body. */
function sender(upstream: URL) {
  const { request, Agent } = upstream.protocol === "https:" ? https : http;
  // workerd closes idle connections after 5 s; letting go first avoids writing into a closing one.
  const agent = new Agent({ keepAlive: true, timeout: 3_000 });
  const prefix = upstream.pathname.replace(/\/$/, "");
  return async ({ method, url }: Request, headers: Fields, body: Readable, signal: AbortSignal) => {
    const ask = request(upstream, { agent, method, path: prefix + url, headers, signal });
    ask.on("error", () => {});
    // The first message may be long in coming, and the answer may not wait for it.
    ask.flushHeaders();
    const answered = once(ask, "response") as Promise<[http.IncomingMessage]>;
    // A failure of either side destroys `ask`, and so rejects `answered`.
    pipeline(body, ask).catch(() => {});
    return (await answered)[0];
  };
}

/** One gRPC call. Its answer always carries a gRPC status, unless the client has left. */
async function call(send: Send, req: Request, res: Response): Promise<void> {
  const abort = new AbortController();
  res.on("close", () => abort.abort(new ConnectError("the client left", Code.Canceled)));
  const timeout = req.headers["grpc-timeout"]?.toString() ?? null;
  const { timeoutMs = maxTimerMs, error: unreadable } = parseTimeout(timeout, Number.MAX_VALUE);
  const isEndless = timeoutMs >= maxTimerMs;
  const expire = () =>
    abort.abort(new ConnectError("the deadline has passed", Code.DeadlineExceeded));
  const timer = isEndless ? undefined : setTimeout(expire, timeoutMs);
  try {
    if (unreadable) throw unreadable;
    const headers = grpcWebHeaders(req);
    // An upstream's timer may overflow as ours would, and fire at once.
    if (isEndless) delete headers["grpc-timeout"];
    const body = unpacked(req);
    body.on("error", (error) => abort.abort(error));
    await relay(await send(req, headers, body, abort.signal), res, abort.signal);
  } catch (error) {
    fail(res, statusOf(abort.signal.aborted ? abort.signal.reason : error));
  } finally {
    clearTimeout(timer);
    // The answer came before the request was complete: nobody reads the rest. A reset overtakes what is
    // not yet sent, so the answer goes first.
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
 * The request's messages; one that is too large is RESOURCE_EXHAUSTED as soon as its size is known.
 * Compressed ones are unpacked here: the upstream may not know how.
 */
function unpacked(req: Request): Readable {
  const name = req.headers["grpc-encoding"]?.toString() ?? null;
  const encoding = compressionNegotiate([compressionGzip], name, null, "grpc-accept-encoding");
  if (encoding.error) throw encoding.error;
  const messages = pipe(
    // A request that is given up stays open for its answer.
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
    const what = `the upstream answered HTTP ${statusCode} with ${type || "no content type"}`;
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
    throw new ConnectError("the upstream's answer ends without a status", Code.Internal);
  }
  end(res, passed(Object.fromEntries(trailers)));
}

/** Ends an answer with its status: as trailers, or as headers when nothing was sent before. */
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

/** What we threw says its code; everything else is the way to the upstream failing. */
function statusOf(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error;
  return new ConnectError(`the upstream cannot be reached: ${error}`, Code.Unavailable);
}

/** Percent-encoding as gRPC has it: only `%` and what is not printable ASCII. Connect encodes more. */
function grpcMessage(encoded: string): string {
  let text = encoded;
  try {
    text = decodeURIComponent(encoded);
  } catch {
    // Not percent-encoded at all: then it is the text itself.
  }
  return text.toWellFormed().replace(/[^ -$&-~]+/g, encodeURIComponent);
}

/** Everything else: REST, Connect, gRPC-Web, over HTTP/2. */
async function forward(send: Send, req: Request, res: Response): Promise<void> {
  const abort = new AbortController();
  res.on("close", () => abort.abort());
  const headers = passed(req.headers);
  // HTTP/2 needs neither to mark the end of a body, HTTP/1.1 does.
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
