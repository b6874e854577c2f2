import { spawn } from "node:child_process";
import { once } from "node:events";
import * as http from "node:http";
import { createInterface } from "node:readline";
import { buffer, text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { create, toBinary } from "@bufbuild/protobuf";
import { StringValueSchema } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { compressionGzip } from "@connectrpc/connect-node";
import * as grpc from "@grpc/grpc-js";
import { describe, expect, test } from "vitest";
import { grpcBridge } from "../../../cli/grpc/bridge.ts";

import {
  bridgeBefore,
  bridgeTo,
  bytesMessage,
  callSay,
  cleanUp,
  connectClient,
  grpcFrame,
  portOf,
  rawCall,
} from "./calls.ts";

describe("a call that is abandoned", () => {
  test("by its deadline ends with DEADLINE_EXCEEDED, even if the upstream does not respond", async () => {
    const isLeft = Promise.withResolvers<void>();
    const url = await bridgeBefore((_, res) => res.on("close", isLeft.resolve));
    const { stream, trailers } = rawCall(url, { "grpc-timeout": "2S" });
    stream.resume().end(grpcFrame(0, ""));
    expect((await trailers)["grpc-status"]).toBe(`${grpc.status.DEADLINE_EXCEEDED}`);
    await isLeft.promise;
  });

  test("by its deadline in the middle of a response ends with DEADLINE_EXCEEDED", async () => {
    const url = await bridgeBefore((_, res) => {
      res.writeHead(200, { "content-type": "application/grpc-web+proto" }).write(grpcFrame(0, ""));
    });
    const { stream, trailers } = rawCall(url, { "grpc-timeout": "200000u" });
    stream.resume().end(grpcFrame(0, ""));
    expect((await trailers)["grpc-status"]).toBe(`${grpc.status.DEADLINE_EXCEEDED}`);
  });

  test("by its deadline is canceled in the handler too, which has the same deadline", async () => {
    let left: number | undefined;
    const url = await bridgeTo({
      say: (_, context) => {
        left = context.timeoutMs();
        return bytesMessage("");
      },
    });
    await callSay(url, "", new grpc.Metadata(), { deadline: Date.now() + 60_000 });
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(60_000);
  });

  test("by the client is canceled in the handler", async () => {
    const announced = Promise.withResolvers<void>();
    const abort = new AbortController();
    const url = await bridgeTo({
      count: async function* (_, context) {
        context.signal.addEventListener("abort", () => announced.resolve());
        yield bytesMessage("first");
        await announced.promise;
      },
    });
    const reading = async () => {
      for await (const _ of connectClient(url).count({}, { signal: abort.signal })) abort.abort();
    };
    await expect(reading()).rejects.toMatchObject({ code: Code.Canceled });
    await announced.promise;
  });

  test("with an unreadable deadline is INVALID_ARGUMENT", async () => {
    const url = await bridgeTo({ say: ({ value }) => bytesMessage(value) });
    const { stream, trailers } = rawCall(url, { "grpc-timeout": "soon" });
    stream.resume().end(grpcFrame(0, ""));
    expect((await trailers)["grpc-status"]).toBe(`${grpc.status.INVALID_ARGUMENT}`);
  });

  test("with a deadline in 11,000 years counts as a call without one", async () => {
    let seen: string | null = "";
    const url = await bridgeTo({
      say: (_, context) => {
        seen = context.requestHeader.get("grpc-timeout");
        return bytesMessage("");
      },
    });
    const { stream, trailers } = rawCall(url, { "grpc-timeout": "99999999H" });
    stream.resume().end(grpcFrame(0, ""));
    expect((await trailers)["grpc-status"]).toBe("0");
    expect(seen).toBeNull();
  });
});

describe("compression with gzip", () => {
  test("in a request is undone for an upstream that does not support it", async () => {
    const url = await bridgeTo({ say: ({ value }) => bytesMessage(value) });
    const client = connectClient(url, { sendCompression: compressionGzip, compressMinBytes: 0 });
    const value = "again and ".repeat(1000);
    expect(Buffer.from((await client.say({ value })).value).toString()).toBe(value);
  });

  test("works with grpc-js in both directions", async () => {
    const url = await bridgeTo({ say: ({ value }) => bytesMessage(value) }, [compressionGzip]);
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

  test("in a response is passed on unchanged", async () => {
    const url = await bridgeTo({ say: ({ value }) => bytesMessage(value) }, [compressionGzip]);
    const { stream, trailers } = rawCall(url, { "grpc-accept-encoding": "gzip" });
    stream.end(grpcFrame(0, ""));
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
    const url = await bridgeTo({ say: ({ value }) => bytesMessage(value) });
    const { stream, trailers } = rawCall(url, { "grpc-encoding": encoding });
    stream.resume().end(grpcFrame(1, data));
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
  ])("%s %s is passed on with its body", async (verb, path, body, status) => {
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

  test("gets HTTP 502 if the upstream is down", async () => {
    const url = `http://127.0.0.1:${await portOf(grpcBridge(new URL("http://127.0.0.1:1")))}`;
    const { stream } = rawCall(url, { "content-type": "application/json" });
    stream.resume().end();
    const [headers] = await once(stream, "response");
    expect(headers[":status"]).toBe(502);
  });

  test("is reset if the upstream breaks off in the middle of a response", async () => {
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

test("runGrpcBridge prints its address, serves, and exits cleanly on SIGTERM with a client connected", async () => {
  const port = await portOf(http.createServer((_, res) => res.end("upstream")));
  const module = new URL("../../../cli/grpc/bridge.ts", import.meta.url);
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
