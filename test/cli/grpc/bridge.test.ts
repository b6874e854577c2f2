import { once } from "node:events";
import type * as http from "node:http";
import * as http2 from "node:http2";
import { buffer } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { fromBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { compressionGzip } from "@connectrpc/connect-node";
import * as grpc from "@grpc/grpc-js";
import { describe, expect, test } from "vitest";
import { grpcBridge } from "../../../cli/grpc/bridge.ts";
import { ErrorInfoSchema } from "../../../schema/gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "../../../schema/gen/google/rpc/status_pb.js";

import {
  bridgeBefore,
  bridgeTo,
  bytesMessage,
  callSay,
  connectClient,
  grpcFrame,
  portOf,
  rawCall,
} from "./calls.ts";

describe("a unary call", () => {
  test("carries request, response and metadata, also binary, in both directions", async () => {
    let seen = new Headers();
    const url = await bridgeTo({
      say: ({ value }, context) => {
        seen = context.requestHeader;
        context.responseHeader.set("x-ours", "head");
        context.responseTrailer.set("x-end", "tail");
        context.responseTrailer.set("x-raw-bin", Buffer.from([0, 255]).toString("base64"));
        return bytesMessage(`${value}, ${value}`);
      },
    });
    const metadata = new grpc.Metadata();
    metadata.set("authorization", "Bearer token");
    metadata.set("x-key-bin", Buffer.from([1, 2, 254]));
    const answer = await callSay(url, "echo", metadata);
    expect(answer.error).toBeUndefined();
    expect(answer.value).toBe("echo, echo");
    expect(seen.get("authorization")).toBe("Bearer token");
    expect(Buffer.from(seen.get("x-key-bin") ?? "", "base64")).toEqual(Buffer.from([1, 2, 254]));
    expect(answer.headers.get("x-ours")).toEqual(["head"]);
    expect(answer.trailers.get("x-end")).toEqual(["tail"]);
    expect(answer.trailers.get("x-raw-bin")).toEqual([Buffer.from([0, 255])]);
  });

  test("reaches the upstream as gRPC-Web, without the headers of the client's connection", async () => {
    let seen: http.IncomingHttpHeaders = {};
    const url = await bridgeBefore((req, res) => {
      seen = req.headers;
      res.writeHead(404).end();
    });
    const { stream, trailers } = rawCall(url, { host: "example.com" });
    stream.resume().end(grpcFrame(0, ""));
    await trailers;
    expect(seen["content-type"]).toBe("application/grpc-web+proto");
    expect(seen.te).toBeUndefined();
    expect(seen.host).toMatch(/^127\.0\.0\.1:/);
  });

  test("carries 3 MB each way", async () => {
    const value = "0123456789".repeat(300_000);
    const url = await bridgeTo({ say: (request) => bytesMessage(request.value) });
    expect((await callSay(url, value)).value === value).toBe(true);
    const answer = await connectClient(url).say({ value });
    expect(Buffer.from(answer.value).toString() === value).toBe(true);
  });

  test("has a response with the content type of the request", async () => {
    const url = await bridgeTo({ say: ({ value }) => bytesMessage(value) });
    const { stream, trailers } = rawCall(url, { "content-type": "application/grpc+json" });
    stream.end(grpcFrame(0, '"abc"'));
    const [headers] = await once(stream, "response");
    expect(headers["content-type"]).toBe("application/grpc+json");
    expect((await buffer(stream)).subarray(5).toString()).toBe('"YWJj"');
    expect((await trailers)["grpc-status"]).toBe("0");
  });
});

describe("an error of a call", () => {
  const failing = {
    say: () => {
      const info = { reason: "TOO_BIG", domain: "iam.example.com" };
      throw new ConnectError("größer als 100%, a/b?", Code.OutOfRange, { "x-why": "size" }, [
        { desc: ErrorInfoSchema, value: info },
      ]);
    },
  };

  test("has code, message in UTF-8, metadata and details for grpc-js", async () => {
    const { error } = await callSay(await bridgeTo(failing), "");
    expect(error?.code).toBe(grpc.status.OUT_OF_RANGE);
    expect(error?.details).toBe("größer als 100%, a/b?");
    expect(error?.metadata.get("x-why")).toEqual(["size"]);
    const details = error?.metadata.get("grpc-status-details-bin")[0];
    const status = fromBinary(StatusSchema, details as Buffer);
    expect(status.message).toBe("größer als 100%, a/b?");
    const info = fromBinary(ErrorInfoSchema, status.details[0]?.value ?? new Uint8Array());
    expect(info.reason).toBe("TOO_BIG");
  });

  test("has code, message and details for Connect, also in compressed trailers", async () => {
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

  test("has a percent-encoded message, as gRPC specifies", async () => {
    const { stream, trailers } = rawCall(await bridgeTo(failing));
    stream.resume().end(grpcFrame(0, ""));
    expect((await trailers)["grpc-message"]).toBe("gr%C3%B6%C3%9Fer als 100%25, a/b?");
  });

  test("in the headers of the upstream (trailers-only) is the status of the call", async () => {
    const url = await bridgeBefore((_, res) => {
      res.writeHead(200, { "grpc-status": "7", "grpc-message": "no%20entry", "x-ours": "1" }).end();
    });
    const { error } = await callSay(url, "");
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
    expect((await callSay(url, "")).error?.code).toBe(code);
  });

  test("from an HTTP page also counts if the page claims to be gRPC-Web", async () => {
    const url = await bridgeBefore((_, res) => {
      res.writeHead(503, { "content-type": "application/grpc-web+proto" }).end();
    });
    expect((await callSay(url, "")).error?.code).toBe(grpc.status.UNAVAILABLE);
  });

  test("is INTERNAL if the response ends without a status", async () => {
    const url = await bridgeBefore((_, res) => {
      res.writeHead(200, { "content-type": "application/grpc-web+proto" }).end(grpcFrame(0, ""));
    });
    const { stream, trailers } = rawCall(url);
    stream.resume().end(grpcFrame(0, ""));
    expect((await trailers)["grpc-status"]).toBe(`${grpc.status.INTERNAL}`);
  });

  test("is UNAVAILABLE if the upstream is down", async () => {
    const url = `http://127.0.0.1:${await portOf(grpcBridge(new URL("http://127.0.0.1:1")))}`;
    expect((await callSay(url, "")).error?.code).toBe(grpc.status.UNAVAILABLE);
  });

  test("is UNAVAILABLE if the upstream breaks off in the middle of a response", async () => {
    const url = await bridgeBefore((_, res) => {
      res.writeHead(200, { "content-type": "application/grpc-web+proto" });
      res.write(grpcFrame(0, "").subarray(0, 3), () => setTimeout(() => res.destroy(), 20));
    });
    const { stream, trailers } = rawCall(url);
    stream.resume().end(grpcFrame(0, ""));
    expect((await trailers)["grpc-status"]).toBe(`${grpc.status.UNAVAILABLE}`);
  });

  test("that arrives before the request is complete ends the call", async () => {
    const url = await bridgeBefore((_, res) => res.writeHead(401).end());
    const { stream, trailers } = rawCall(url);
    stream.write(grpcFrame(0, "half").subarray(0, 7));
    expect((await trailers)["grpc-status"]).toBe(`${grpc.status.UNAUTHENTICATED}`);
    if (!stream.resume().closed) await once(stream, "close");
    expect(stream.rstCode).toBe(http2.constants.NGHTTP2_NO_ERROR);
  });
});

describe("a server stream", () => {
  test("carries every message in order, then the trailers", async () => {
    const url = await bridgeTo({
      count: async function* ({ value }, context) {
        for (let i = 0; i < value; i++) yield bytesMessage(`${i}`);
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
        yield bytesMessage("first");
        await isRead.promise;
        yield bytesMessage("second");
      },
    });
    const got: string[] = [];
    for await (const { value } of connectClient(url).count({})) {
      got.push(Buffer.from(value).toString());
      isRead.resolve();
    }
    expect(got).toEqual(["first", "second"]);
  });

  test("that fails midway keeps the messages before the error", async () => {
    const url = await bridgeTo({
      count: async function* () {
        yield bytesMessage("first");
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
    stream.end(grpcFrame(0, ""));
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
