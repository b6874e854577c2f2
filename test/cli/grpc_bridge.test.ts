import { spawn } from "node:child_process";
import { once } from "node:events";
import * as http from "node:http";
import * as http2 from "node:http2";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { buffer, text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { create, createFileRegistry, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { GenService } from "@bufbuild/protobuf/codegenv2";
import {
  BytesValueSchema,
  FileDescriptorProtoSchema,
  file_google_protobuf_wrappers,
  type Int32ValueSchema,
  StringValueSchema,
} from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createClient, type ServiceImpl } from "@connectrpc/connect";
import { compressionGzip, connectNodeAdapter, createGrpcTransport } from "@connectrpc/connect-node";
import * as grpc from "@grpc/grpc-js";
import { afterEach, describe, expect, test } from "vitest";
import { grpcBridge } from "../../cli/grpc_bridge.ts";
import { ErrorInfoSchema } from "../../schema/gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "../../schema/gen/google/rpc/status_pb.js";

type Unary = {
  methodKind: "unary";
  input: typeof StringValueSchema;
  output: typeof BytesValueSchema;
};
type Echo = GenService<{
  say: Unary;
  count: {
    methodKind: "server_streaming";
    input: typeof Int32ValueSchema;
    output: typeof BytesValueSchema;
  };
}>;

const method = (name: string, input: string, serverStreaming: boolean) => ({
  name,
  inputType: `.google.protobuf.${input}`,
  outputType: ".google.protobuf.BytesValue",
  serverStreaming,
});
const Echo = createFileRegistry(
  create(FileDescriptorProtoSchema, {
    name: "echo.proto",
    package: "test",
    syntax: "proto3",
    dependency: [file_google_protobuf_wrappers.proto.name],
    service: [
      {
        name: "Echo",
        method: [method("Say", "StringValue", false), method("Count", "Int32Value", true)],
      },
    ],
  }),
  () => file_google_protobuf_wrappers,
).getService("test.Echo") as Echo;

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo();
});

async function portOf(server: http.Server | http2.Http2Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanUp.push(() => server.close());
  if (server instanceof http.Server) cleanUp.push(() => server.closeAllConnections());
  return (server.address() as AddressInfo).port;
}

/** A bridge before an HTTP/1.1 server; the answer is the bridge's address. */
async function bridgeBefore(upstream: http.RequestListener): Promise<string> {
  const port = await portOf(http.createServer(upstream));
  return `http://127.0.0.1:${await portOf(grpcBridge(new URL(`http://127.0.0.1:${port}`)))}`;
}

/** A bridge before a real gRPC-Web server that, like a Worker, knows no compression. */
function bridgeTo(
  implementation: Partial<ServiceImpl<Echo>>,
  compression = [] as (typeof compressionGzip)[],
) {
  return bridgeBefore(
    connectNodeAdapter({
      grpc: false,
      connect: false,
      acceptCompression: compression,
      compressMinBytes: 0,
      routes: (router) => router.service(Echo, implementation),
    }),
  );
}

function connectClient(baseUrl: string, options = {}) {
  return createClient(Echo, createGrpcTransport({ baseUrl, ...options }));
}

type Answer = {
  value?: string;
  error?: grpc.ServiceError;
  headers: grpc.Metadata;
  trailers: grpc.Metadata;
};

/** Calls Say as a client of the grpc-js library does. */
async function say(
  url: string,
  what: string,
  metadata = new grpc.Metadata(),
  options = {},
): Promise<Answer> {
  const client = new grpc.Client(new URL(url).host, grpc.credentials.createInsecure());
  cleanUp.push(() => client.close());
  return new Promise((resolve) => {
    const answer: Answer = { headers: new grpc.Metadata(), trailers: new grpc.Metadata() };
    const call = client.makeUnaryRequest(
      "/test.Echo/Say",
      (value: string) =>
        Buffer.from(toBinary(StringValueSchema, create(StringValueSchema, { value }))),
      (bytes) => Buffer.from(fromBinary(BytesValueSchema, bytes).value).toString(),
      what,
      metadata,
      options,
      (error, value) => {
        if (error) answer.error = error;
        if (value !== undefined) answer.value = value;
      },
    );
    call.on("metadata", (headers) => Object.assign(answer, { headers }));
    call.on("status", ({ metadata: trailers }) =>
      setImmediate(resolve, Object.assign(answer, { trailers })),
    );
  });
}

/** A call with the bytes of the protocol in hand. */
function rawCall(url: string, headers: http2.OutgoingHttpHeaders = {}) {
  const session = http2.connect(url);
  session.on("error", () => {});
  cleanUp.push(() => session.destroy());
  const stream = session.request(
    {
      ":method": "POST",
      ":path": "/test.Echo/Say",
      "content-type": "application/grpc",
      te: "trailers",
      ...headers,
    },
    { endStream: false },
  );
  stream.on("error", () => {});
  const trailers = new Promise<http2.IncomingHttpHeaders>((resolve) => {
    stream.on(
      "response",
      (answer, flags) => flags & http2.constants.NGHTTP2_FLAG_END_STREAM && resolve(answer),
    );
    stream.on("trailers", resolve);
  });
  return { stream, trailers };
}

const bytes = (value: string) => ({ value: new Uint8Array(Buffer.from(value)) });
const frame = (flags: number, data: string | Uint8Array) => {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags);
  head.writeUInt32BE(Buffer.byteLength(data), 1);
  return Buffer.concat([head, Buffer.from(data)]);
};

describe("a unary call", () => {
  test("carries request, answer and metadata, binary too, in both directions", async () => {
    let seen = new Headers();
    const url = await bridgeTo({
      say: ({ value }, context) => {
        seen = context.requestHeader;
        context.responseHeader.set("x-ours", "head");
        context.responseTrailer.set("x-end", "tail");
        context.responseTrailer.set("x-raw-bin", Buffer.from([0, 255]).toString("base64"));
        return bytes(`${value}, ${value}`);
      },
    });
    const metadata = new grpc.Metadata();
    metadata.set("authorization", "Bearer token");
    metadata.set("x-key-bin", Buffer.from([1, 2, 254]));
    const answer = await say(url, "echo", metadata);
    expect(answer.error).toBeUndefined();
    expect(answer.value).toBe("echo, echo");
    expect(seen.get("authorization")).toBe("Bearer token");
    expect(Buffer.from(seen.get("x-key-bin") ?? "", "base64")).toEqual(Buffer.from([1, 2, 254]));
    expect(answer.headers.get("x-ours")).toEqual(["head"]);
    expect(answer.trailers.get("x-end")).toEqual(["tail"]);
    expect(answer.trailers.get("x-raw-bin")).toEqual([Buffer.from([0, 255])]);
  });

  test("reaches the upstream as gRPC-Web, without what belongs to the client's connection", async () => {
    let seen: http.IncomingHttpHeaders = {};
    const url = await bridgeBefore((req, res) => {
      seen = req.headers;
      res.writeHead(404).end();
    });
    const { stream, trailers } = rawCall(url, { host: "example.com" });
    stream.resume().end(frame(0, ""));
    await trailers;
    expect(seen["content-type"]).toBe("application/grpc-web+proto");
    expect(seen.te).toBeUndefined();
    expect(seen.host).toMatch(/^127\.0\.0\.1:/);
  });

  test("carries 3 MB each way", async () => {
    const value = "0123456789".repeat(300_000);
    const url = await bridgeTo({ say: (request) => bytes(request.value) });
    expect((await say(url, value)).value === value).toBe(true);
    const answer = await connectClient(url).say({ value });
    expect(Buffer.from(answer.value).toString() === value).toBe(true);
  });

  test("is answered in the content type it was sent in", async () => {
    const url = await bridgeTo({ say: ({ value }) => bytes(value) });
    const { stream, trailers } = rawCall(url, { "content-type": "application/grpc+json" });
    stream.end(frame(0, '"abc"'));
    const [headers] = await once(stream, "response");
    expect(headers["content-type"]).toBe("application/grpc+json");
    expect((await buffer(stream)).subarray(5).toString()).toBe('"YWJj"');
    expect((await trailers)["grpc-status"]).toBe("0");
  });
});

describe("an error", () => {
  const failing = {
    say: () => {
      const info = { reason: "TOO_BIG", domain: "iam.example.com" };
      throw new ConnectError("größer als 100%, a/b?", Code.OutOfRange, { "x-why": "size" }, [
        { desc: ErrorInfoSchema, value: info },
      ]);
    },
  };

  test("keeps code, message in UTF-8, metadata and details for grpc-js", async () => {
    const { error } = await say(await bridgeTo(failing), "");
    expect(error?.code).toBe(grpc.status.OUT_OF_RANGE);
    expect(error?.details).toBe("größer als 100%, a/b?");
    expect(error?.metadata.get("x-why")).toEqual(["size"]);
    const details = error?.metadata.get("grpc-status-details-bin")[0];
    const status = fromBinary(StatusSchema, details as Buffer);
    expect(status.message).toBe("größer als 100%, a/b?");
    const info = fromBinary(ErrorInfoSchema, status.details[0]?.value ?? new Uint8Array());
    expect(info.reason).toBe("TOO_BIG");
  });

  test("keeps code, message and details for Connect, also in compressed trailers", async () => {
    for (const compression of [[], [compressionGzip]]) {
      const client = connectClient(await bridgeTo(failing, compression), {
        acceptCompression: compression,
      });
      const error = ConnectError.from(await client.say({}).catch((reason) => reason));
      expect(error.code).toBe(Code.OutOfRange);
      expect(error.rawMessage).toBe("größer als 100%, a/b?");
      expect(error.findDetails(ErrorInfoSchema)[0]?.reason).toBe("TOO_BIG");
    }
  });

  test("message is percent-encoded on the wire as gRPC says", async () => {
    const { stream, trailers } = rawCall(await bridgeTo(failing));
    stream.resume().end(frame(0, ""));
    expect((await trailers)["grpc-message"]).toBe("gr%C3%B6%C3%9Fer als 100%25, a/b?");
  });

  test("in the headers of the upstream (trailers-only) is the status of the call", async () => {
    const url = await bridgeBefore((_, res) => {
      res.writeHead(200, { "grpc-status": "7", "grpc-message": "no%20entry", "x-ours": "1" }).end();
    });
    const { error } = await say(url, "");
    expect(error).toMatchObject({ code: grpc.status.PERMISSION_DENIED, details: "no entry" });
    expect(error?.metadata.get("x-ours")).toEqual(["1"]);
  });

  test.each([
    [400, grpc.status.INTERNAL],
    [401, grpc.status.UNAUTHENTICATED],
    [403, grpc.status.PERMISSION_DENIED],
    [404, grpc.status.UNIMPLEMENTED],
    [429, grpc.status.UNAVAILABLE],
    [502, grpc.status.UNAVAILABLE],
    [200, grpc.status.UNKNOWN],
  ])("page of HTTP %i without gRPC is gRPC code %i", async (status, code) => {
    const url = await bridgeBefore((_, res) => {
      res.writeHead(status, { "content-type": "text/html" }).end("<h1>oops</h1>");
    });
    expect((await say(url, "")).error?.code).toBe(code);
  });

  test("of HTTP counts also when it is called gRPC-Web", async () => {
    const url = await bridgeBefore((_, res) => {
      res.writeHead(503, { "content-type": "application/grpc-web+proto" }).end();
    });
    expect((await say(url, "")).error?.code).toBe(grpc.status.UNAVAILABLE);
  });

  test("is INTERNAL when the answer ends without a status", async () => {
    const url = await bridgeBefore((_, res) => {
      res.writeHead(200, { "content-type": "application/grpc-web+proto" }).end(frame(0, ""));
    });
    const { stream, trailers } = rawCall(url);
    stream.resume().end(frame(0, ""));
    expect((await trailers)["grpc-status"]).toBe(`${grpc.status.INTERNAL}`);
  });

  test("is UNAVAILABLE when the upstream is down", async () => {
    const url = `http://127.0.0.1:${await portOf(grpcBridge(new URL("http://127.0.0.1:1")))}`;
    expect((await say(url, "")).error?.code).toBe(grpc.status.UNAVAILABLE);
  });

  test("is UNAVAILABLE when the upstream breaks off in the middle of an answer", async () => {
    const url = await bridgeBefore((_, res) => {
      res.writeHead(200, { "content-type": "application/grpc-web+proto" });
      res.write(frame(0, "").subarray(0, 3), () => setTimeout(() => res.destroy(), 20));
    });
    const { stream, trailers } = rawCall(url);
    stream.resume().end(frame(0, ""));
    expect((await trailers)["grpc-status"]).toBe(`${grpc.status.UNAVAILABLE}`);
  });

  test("that comes before the request is complete ends the call", async () => {
    const url = await bridgeBefore((_, res) => res.writeHead(401).end());
    const { stream, trailers } = rawCall(url);
    stream.write(frame(0, "half").subarray(0, 7));
    expect((await trailers)["grpc-status"]).toBe(`${grpc.status.UNAUTHENTICATED}`);
    if (!stream.resume().closed) await once(stream, "close");
    expect(stream.rstCode).toBe(http2.constants.NGHTTP2_NO_ERROR);
  });
});

describe("a server stream", () => {
  test("carries every message in order, then the trailers", async () => {
    const url = await bridgeTo({
      count: async function* ({ value }, context) {
        for (let i = 0; i < value; i++) yield bytes(`${i}`);
        context.responseTrailer.set("x-end", "tail");
      },
    });
    const got: string[] = [];
    let end: string | null = null;
    const onTrailer = (trailer: Headers) => {
      end = trailer.get("x-end");
    };
    for await (const { value } of connectClient(url).count({ value: 1000 }, { onTrailer })) {
      got.push(Buffer.from(value).toString());
    }
    expect(got).toEqual(Array.from({ length: 1000 }, (_, i) => `${i}`));
    expect(end).toBe("tail");
  });

  test("delivers a message before the next one exists", async () => {
    const isRead = Promise.withResolvers<void>();
    const url = await bridgeTo({
      count: async function* () {
        yield bytes("first");
        await isRead.promise;
        yield bytes("second");
      },
    });
    const got: string[] = [];
    for await (const { value } of connectClient(url).count({})) {
      got.push(Buffer.from(value).toString());
      isRead.resolve();
    }
    expect(got).toEqual(["first", "second"]);
  });

  test("that fails on the way keeps the messages before the error", async () => {
    const url = await bridgeTo({
      count: async function* () {
        yield bytes("first");
        throw new ConnectError("enough", Code.ResourceExhausted);
      },
    });
    const got: string[] = [];
    const reading = async () => {
      for await (const { value } of connectClient(url).count({})) got.push(`${value.length}`);
    };
    await expect(reading()).rejects.toMatchObject({ code: Code.ResourceExhausted });
    expect(got).toEqual(["5"]);
  });

  test("waits for a client that does not read", async () => {
    let made = 0;
    const url = await bridgeTo({
      count: async function* () {
        const value = new Uint8Array(100_000);
        for (; made < 400; made++) yield { value };
      },
    });
    const { stream, trailers } = rawCall(url, { ":path": "/test.Echo/Count" });
    stream.end(frame(0, ""));
    await once(stream, "response");
    stream.pause();
    let before = -1;
    while (made !== before) {
      before = made;
      await pause(500);
    }
    expect(made).toBeLessThan(300);
    stream.resume();
    expect((await trailers)["grpc-status"]).toBe("0");
    expect(made).toBe(400);
  });
});

describe("a call that is given up", () => {
  test("by its deadline ends with DEADLINE_EXCEEDED, though the upstream says nothing", async () => {
    const isLeft = Promise.withResolvers<void>();
    const url = await bridgeBefore((_, res) => res.on("close", isLeft.resolve));
    const { stream, trailers } = rawCall(url, { "grpc-timeout": "2S" });
    stream.resume().end(frame(0, ""));
    expect((await trailers)["grpc-status"]).toBe(`${grpc.status.DEADLINE_EXCEEDED}`);
    await isLeft.promise;
  });

  test("by its deadline in the middle of an answer ends with DEADLINE_EXCEEDED", async () => {
    const url = await bridgeBefore((_, res) => {
      res.writeHead(200, { "content-type": "application/grpc-web+proto" }).write(frame(0, ""));
    });
    const { stream, trailers } = rawCall(url, { "grpc-timeout": "200000u" });
    stream.resume().end(frame(0, ""));
    expect((await trailers)["grpc-status"]).toBe(`${grpc.status.DEADLINE_EXCEEDED}`);
  });

  test("by its deadline is given up by the handler too: it has the same deadline", async () => {
    let left: number | undefined;
    const url = await bridgeTo({
      say: (_, context) => {
        left = context.timeoutMs();
        return bytes("");
      },
    });
    await say(url, "", new grpc.Metadata(), { deadline: Date.now() + 60_000 });
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(60_000);
  });

  test("by the client tells the handler", async () => {
    const isTold = Promise.withResolvers<void>();
    const abort = new AbortController();
    const url = await bridgeTo({
      count: async function* (_, context) {
        context.signal.addEventListener("abort", () => isTold.resolve());
        yield bytes("first");
        await isTold.promise;
      },
    });
    const reading = async () => {
      for await (const _ of connectClient(url).count({}, { signal: abort.signal })) abort.abort();
    };
    await expect(reading()).rejects.toMatchObject({ code: Code.Canceled });
    await isTold.promise;
  });

  test("with a deadline nobody can read is INVALID_ARGUMENT", async () => {
    const url = await bridgeTo({ say: ({ value }) => bytes(value) });
    const { stream, trailers } = rawCall(url, { "grpc-timeout": "soon" });
    stream.resume().end(frame(0, ""));
    expect((await trailers)["grpc-status"]).toBe(`${grpc.status.INVALID_ARGUMENT}`);
  });

  test("only in 11,000 years is a call without a deadline", async () => {
    let seen: string | null = "";
    const url = await bridgeTo({
      say: (_, context) => {
        seen = context.requestHeader.get("grpc-timeout");
        return bytes("");
      },
    });
    const { stream, trailers } = rawCall(url, { "grpc-timeout": "99999999H" });
    stream.resume().end(frame(0, ""));
    expect((await trailers)["grpc-status"]).toBe("0");
    expect(seen).toBeNull();
  });
});

describe("gzip", () => {
  test("in a request is unpacked for an upstream that cannot", async () => {
    const url = await bridgeTo({ say: ({ value }) => bytes(value) });
    const client = connectClient(url, { sendCompression: compressionGzip, compressMinBytes: 0 });
    const value = "again and ".repeat(1000);
    expect(Buffer.from((await client.say({ value })).value).toString()).toBe(value);
  });

  test("works with grpc-js in both directions", async () => {
    const url = await bridgeTo({ say: ({ value }) => bytes(value) }, [compressionGzip]);
    const client = new grpc.Client(new URL(url).host, grpc.credentials.createInsecure(), {
      "grpc.default_compression_algorithm": 2,
    });
    cleanUp.push(() => client.close());
    const value = "again and ".repeat(1000);
    const request = Buffer.from(toBinary(StringValueSchema, create(StringValueSchema, { value })));
    const answer = await new Promise((resolve, reject) => {
      const pass = (it: Buffer) => it;
      client.makeUnaryRequest("/test.Echo/Say", pass, pass, request, (error, it) =>
        error ? reject(error) : resolve(it),
      );
    });
    expect(answer).toEqual(request);
  });

  test("in an answer stays as the upstream made it", async () => {
    const url = await bridgeTo({ say: ({ value }) => bytes(value) }, [compressionGzip]);
    const { stream, trailers } = rawCall(url, { "grpc-accept-encoding": "gzip" });
    stream.end(frame(0, ""));
    const [headers] = await once(stream, "response");
    expect(headers["grpc-encoding"]).toBe("gzip");
    expect((await buffer(stream)).readUInt8(0)).toBe(1);
    expect((await trailers)["grpc-status"]).toBe("0");
  });

  test.each([
    [
      "that is broken is INVALID_ARGUMENT",
      "gzip",
      Buffer.from("no gzip"),
      grpc.status.INVALID_ARGUMENT,
    ],
    [
      "that hides too much is RESOURCE_EXHAUSTED",
      "gzip",
      gzipSync(Buffer.alloc(17 * 1024 * 1024)),
      grpc.status.RESOURCE_EXHAUSTED,
    ],
    ["by another name is UNIMPLEMENTED", "snappy", Buffer.from("?"), grpc.status.UNIMPLEMENTED],
  ])("%s", async (_, encoding, data, status) => {
    const url = await bridgeTo({ say: ({ value }) => bytes(value) });
    const { stream, trailers } = rawCall(url, { "grpc-encoding": encoding });
    stream.resume().end(frame(1, data));
    expect((await trailers)["grpc-status"]).toBe(`${status}`);
  });
});

describe("a request that is not gRPC", () => {
  const mirror: http.RequestListener = (req, res) => {
    const seen = [req.method, req.url, req.headers["content-length"] ?? "-"].join(" ");
    res.writeHead(req.url === "/none" ? 204 : 201, {
      "x-seen": seen,
      "set-cookie": ["a=1", "b=2"],
    });
    req.pipe(res);
  };

  test.each([
    ["GET", "/iam/v2/roles?page_size=2", undefined, 201],
    ["HEAD", "/", undefined, 201],
    ["DELETE", "/none", undefined, 204],
    ["POST", "/big", "x".repeat(3_000_000), 201],
    ["DELETE", "/body", "why", 201],
  ])("%s %s passes with its body", async (verb, path, body, status) => {
    const { stream } = rawCall(await bridgeBefore(mirror), {
      ":method": verb,
      ":path": path,
      "content-type": "application/json",
    });
    stream.end(body);
    const [headers] = await once(stream, "response");
    expect(headers[":status"]).toBe(status);
    expect(headers["x-seen"]).toBe(`${verb} ${path} -`);
    expect(headers["set-cookie"]).toEqual(["a=1", "b=2"]);
    expect((await text(stream)) === (body ?? "")).toBe(true);
  });

  test("gets HTTP 502 when the upstream is down", async () => {
    const url = `http://127.0.0.1:${await portOf(grpcBridge(new URL("http://127.0.0.1:1")))}`;
    const { stream } = rawCall(url, { "content-type": "application/json" });
    stream.resume().end();
    const [headers] = await once(stream, "response");
    expect(headers[":status"]).toBe(502);
  });

  test("is reset when the upstream breaks off in the middle of an answer", async () => {
    const url = await bridgeBefore((_, res) => {
      res.writeHead(200).write("half", () => setTimeout(() => res.destroy(), 20));
    });
    const { stream } = rawCall(url, { ":method": "GET", "content-type": "text/plain" });
    stream.end();
    await expect(text(stream)).rejects.toThrow();
  });

  test("never leaves the upstream's host, and keeps the upstream's path before its own", async () => {
    const port = await portOf(http.createServer(mirror));
    const bridge = grpcBridge(new URL(`http://127.0.0.1:${port}/base/`));
    const { stream } = rawCall(`http://127.0.0.1:${await portOf(bridge)}`, {
      ":method": "GET",
      ":path": "//example.com/x",
      "content-type": "text/plain",
    });
    stream.end();
    const [headers] = await once(stream, "response");
    expect(headers["x-seen"]).toBe("GET /base//example.com/x -");
  });
});

test("runGrpcBridge says where it listens, serves, and ends well on SIGTERM with a client connected", async () => {
  const port = await portOf(http.createServer((_, res) => res.end("upstream")));
  const module = new URL("../../cli/grpc_bridge.ts", import.meta.url);
  const run = `import { runGrpcBridge } from ${JSON.stringify(module.href)};
    await runGrpcBridge({ listen: "0", upstream: "http://127.0.0.1:${port}" });`;
  const child = spawn("node", ["--input-type=module", "-e", run], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  cleanUp.push(() => child.kill("SIGKILL"));
  const [line] = await once(createInterface(child.stdout), "line");
  const at = /127\.0\.0\.1:\d+/.exec(line)?.[0];
  const { stream } = rawCall(`http://${at}`, { ":method": "GET", "content-type": "text/plain" });
  stream.end();
  expect(await text(stream)).toBe("upstream");
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});
