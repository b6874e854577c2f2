import { once } from "node:events";
import * as http from "node:http";
import * as http2 from "node:http2";
import type { AddressInfo } from "node:net";
import { create, createFileRegistry, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { GenService } from "@bufbuild/protobuf/codegenv2";
import {
  BytesValueSchema,
  FileDescriptorProtoSchema,
  file_google_protobuf_wrappers,
  type Int32ValueSchema,
  StringValueSchema,
} from "@bufbuild/protobuf/wkt";
import { createClient, type ServiceImpl } from "@connectrpc/connect";
import {
  type compressionGzip,
  connectNodeAdapter,
  createGrpcTransport,
} from "@connectrpc/connect-node";
import * as grpc from "@grpc/grpc-js";
import { afterEach } from "vitest";
import { grpcBridge } from "../../../cli/grpc/bridge.ts";

export type Unary = {
  methodKind: "unary";
  input: typeof StringValueSchema;
  output: typeof BytesValueSchema;
};
export type Echo = GenService<{
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
export const Echo = createFileRegistry(
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

export const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo();
});

export async function portOf(server: http.Server | http2.Http2Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanUp.push(() => server.close());
  if (server instanceof http.Server) cleanUp.push(() => server.closeAllConnections());
  return (server.address() as AddressInfo).port;
}

/** A bridge in front of an HTTP/1.1 server. Returns the address of the bridge. */
export async function bridgeBefore(upstream: http.RequestListener): Promise<string> {
  const port = await portOf(http.createServer(upstream));
  return `http://127.0.0.1:${await portOf(grpcBridge(new URL(`http://127.0.0.1:${port}`)))}`;
}

/** A bridge in front of a real gRPC-Web server that, like a Worker, does not support compression. */
export function bridgeTo(
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

export function connectClient(baseUrl: string, options = {}) {
  return createClient(Echo, createGrpcTransport({ baseUrl, ...options }));
}

export type UnaryAnswer = {
  value?: string;
  error?: grpc.ServiceError;
  headers: grpc.Metadata;
  trailers: grpc.Metadata;
};

/** Calls Say as a client with the grpc-js library does. */
export async function callSay(
  url: string,
  what: string,
  metadata = new grpc.Metadata(),
  options = {},
): Promise<UnaryAnswer> {
  const client = new grpc.Client(new URL(url).host, grpc.credentials.createInsecure());
  cleanUp.push(() => client.close());
  return new Promise((resolve) => {
    const answer: UnaryAnswer = { headers: new grpc.Metadata(), trailers: new grpc.Metadata() };
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

/** Makes a call from raw protocol bytes. */
export function rawCall(url: string, headers: http2.OutgoingHttpHeaders = {}) {
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

export const bytesMessage = (value: string) => ({ value: new Uint8Array(Buffer.from(value)) });
export const grpcFrame = (flags: number, data: string | Uint8Array) => {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags);
  head.writeUInt32BE(Buffer.byteLength(data), 1);
  return Buffer.concat([head, Buffer.from(data)]);
};
