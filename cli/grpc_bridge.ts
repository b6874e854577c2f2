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
import { reflectionHandler } from "./reflection.ts";

type Request = http2.Http2ServerRequest;
type Response = http2.Http2ServerResponse;
/** An HTTP/1.1 request to the upstream, without its body. */
type Ask = { method: string; path: string; headers: http.OutgoingHttpHeaders };
type Send = (ask: Ask, body: Readable, signal: AbortSignal) => Promise<http.IncomingMessage>;

/** The largest message that is unpacked on its way up, in bytes. gRPC servers take 4 MiB by default. */
const maxUnpackedBytes = 16 * 1024 * 1024;
/** The largest number of bytes that a frame can announce. */
const maxFrameBytes = 0xffffffff;
/** The longest time a Node timer can hold, in milliseconds (24.8 days). */
const maxTimerMs = 2 ** 31 - 1;

/** Belong to one connection, not to the message (RFC 9110, 7.6.1). */
const perConnection = new Set(
  "connection expect host http2-settings keep-alive proxy-connection te trailer transfer-encoding upgrade".split(
    " ",
  ),
);

/**
 * An HTTP/2 server for one upstream origin (http or https; its path is put before every call's).
 * It serves gRPC and gRPC server reflection, and passes every other request on unchanged. It does
 * not listen yet; sockets may also be given to it with `emit("connection", socket)`.
 */
export function grpcBridge(upstream: URL): http2.Http2Server {
  const send = sender(upstream);
  const reflect = reflectionHandler((req, res) => {
    const isGrpc = /^application\/grpc($|[+;])/i.test(req.headers["content-type"] ?? "");
    void (isGrpc ? call(send, req, res) : forward(send, req, res));
  });
  return http2.createServer((req, res) => {
    // A client that goes away is seen as "close" of the response. Unheard errors would end us.
    req.on("error", () => {});
    res.on("error", () => {});
    reflect(req, res);
  });
}

/** Serves a bridge until SIGINT or SIGTERM. `listen` is `[HOST:]PORT`, HOST being 127.0.0.1 if not given. */
export async function runGrpcBridge(options: { listen: string; upstream: string }): Promise<void> {
  const at = /^(?:(.+):)?(\d{1,5})$/.exec(options.listen);
  if (!at) throw new Error(`Not [HOST:]PORT: ${options.listen}`);
  const upstream = URL.parse(options.upstream);
  if (!upstream || !/^https?:$/.test(upstream.protocol)) {
    throw new Error(`Not an http or https URL: ${options.upstream}`);
  }
  const server = grpcBridge(upstream);
  const sessions = new Set<http2.ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
  });
  const host = at[1]?.replace(/^\[(.*)\]$/, "$1") ?? "127.0.0.1";
  server.listen(Number(at[2]), host);
  await once(server, "listening");
  console.log(`gRPC on ${at[1] ?? host}:${at[2]}, upstream ${upstream.origin}`);

  await new Promise((stop) => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stop);
  });
  const closed = new Promise((done) => server.close(done));
  // Calls that are under way may finish, within reason.
  for (const session of sessions) session.close();
  const patience = setTimeout(() => {
    for (const session of sessions) session.destroy();
  }, 5_000);
  await closed;
  clearTimeout(patience);
}

function sender(upstream: URL): Send {
  const { request, Agent } = upstream.protocol === "https:" ? https : http;
  // workerd closes idle connections after 5 s; letting go first avoids writing into a closing one.
  const agent = new Agent({ keepAlive: true, timeout: 3_000 });
  const prefix = upstream.pathname.replace(/\/$/, "");
  return async ({ method, path, headers }, body, signal) => {
    const ask = request(upstream, { agent, method, path: prefix + path, headers, signal });
    ask.on("error", () => {});
    const answered = once(ask, "response");
    // A failure of either side destroys `ask`, and so rejects `answered`.
    pipeline(body, ask).catch(() => {});
    const [answer] = await answered;
    return answer;
  };
}

/** One gRPC call. Its answer always carries a gRPC status, unless the client has left. */
async function call(send: Send, req: Request, res: Response): Promise<void> {
  const abort = new AbortController();
  res.on("close", () => abort.abort(new ConnectError("the client left", Code.Canceled)));
  const timeout = parseTimeout(req.headers["grpc-timeout"]?.toString() ?? null, Infinity);
  const timer = setTimeout(
    () => abort.abort(new ConnectError("the deadline has passed", Code.DeadlineExceeded)),
    Math.min(timeout.timeoutMs ?? maxTimerMs, maxTimerMs),
  );
  try {
    if (timeout.error) throw timeout.error;
    const body = unpacked(req);
    body.on("error", (error) => abort.abort(error));
    const ask = { method: "POST", path: req.url, headers: grpcWebHeaders(req) };
    await relay(await send(ask, body, abort.signal), res, abort.signal);
  } catch (error) {
    if (!res.stream.destroyed)
      fail(res, statusOf(abort.signal.aborted ? abort.signal.reason : error));
  } finally {
    clearTimeout(timer);
    // The answer came before the request was complete: nobody reads the rest.
    if (!req.complete) res.stream.close(http2.constants.NGHTTP2_NO_ERROR);
  }
}

function grpcWebHeaders(req: Request): http.OutgoingHttpHeaders {
  const type = req.headers["content-type"] ?? "application/grpc";
  return {
    ...passed(req.headers, "grpc-encoding", "content-length"),
    "content-type": type.replace(
      /^application\/grpc(\+\w+)?/i,
      (_, kind = "+proto") => `application/grpc-web${kind}`,
    ),
    "accept-encoding": "identity",
    "transfer-encoding": "chunked",
    "x-grpc-web": "1",
  };
}

/** The request's messages. Compressed ones are unpacked here: the upstream may not know how. */
function unpacked(req: Request): Readable {
  const name = req.headers["grpc-encoding"]?.toString() ?? null;
  const encoding = compressionNegotiate([compressionGzip], name, null, "grpc-accept-encoding");
  if (encoding.error) throw encoding.error;
  if (!encoding.request) return req;
  const messages = pipe(
    req,
    transformSplitEnvelope(maxUnpackedBytes),
    transformDecompressEnvelope(encoding.request, maxUnpackedBytes),
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
    "content-type": type.replace(/grpc-web/i, "grpc"),
  });
  let trailers: Headers | undefined;
  for await (const frame of transformSplitEnvelope(maxFrameBytes)(answer)) {
    if (frame.flags & trailerFlag) {
      const { data } = await envelopeDecompress(frame, compressionGzip, maxUnpackedBytes);
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
function end(res: Response, status: http.OutgoingHttpHeaders): void {
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
  const why = error instanceof Error ? error.message : String(error);
  return new ConnectError(`the upstream cannot be reached: ${why}`, Code.Unavailable);
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
  const isUnframed = headers["content-length"] === undefined && !req.stream.endAfterHeaders;
  if (isUnframed) headers["transfer-encoding"] = "chunked";
  try {
    const answer = await send({ method: req.method, path: req.url, headers }, req, abort.signal);
    res.writeHead(answer.statusCode ?? 502, passed(answer.headers));
    await pipeline(answer, res);
  } catch (error) {
    if (res.stream.destroyed) return;
    if (res.headersSent) return res.stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
    res.writeHead(502, { "content-type": "text/plain; charset=utf-8" });
    res.end(`${statusOf(error).rawMessage}\n`);
  }
}

function passed(headers: http.OutgoingHttpHeaders, ...except: string[]): http.OutgoingHttpHeaders {
  const kept = Object.entries(headers).filter(
    ([name]) => !name.startsWith(":") && !perConnection.has(name) && !except.includes(name),
  );
  return Object.fromEntries(kept);
}
