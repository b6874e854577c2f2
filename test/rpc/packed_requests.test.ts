/** Requests in gzip, over Connect, gRPC-Web and REST. */
import { Buffer } from "node:buffer";
import { gzipSync } from "node:zlib";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, test } from "vitest";
import { BadRequestSchema } from "../../schema/gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "../../schema/gen/google/rpc/status_pb.js";
import { GetRepoRequestSchema } from "../../schema/gen/platform/registry/v2/repos_pb.js";
import { maxBodyBytes } from "../../src/rpc/request.ts";
import { type Fixtures, newFixtures } from "../contract/fixtures.ts";
import { randomName } from "../world/personas.ts";
import { baseUrl } from "../world/platform.ts";

let fixtures: Fixtures;
beforeAll(async () => {
  fixtures = await newFixtures();
});

const limit = maxBodyBytes;
const gzip = (bytes: string | Uint8Array) => new Uint8Array(gzipSync(bytes));
/** Like {@link gzip}, for that many zeros. */
const zeros = (count: number) => gzip(new Uint8Array(count));
const binary = (uid: string) =>
  toBinary(GetRepoRequestSchema, create(GetRepoRequestSchema, { uid }));

function frame(bytes: Uint8Array, flags = 1): Uint8Array<ArrayBuffer> {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags);
  head.writeUInt32BE(bytes.length, 1);
  return new Uint8Array(Buffer.concat([head, bytes]));
}

const post = (path: string, body: Uint8Array, headers: Record<string, string>) =>
  fetch(`${baseUrl()}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${fixtures.token}`, ...headers },
    body: body as Uint8Array<ArrayBuffer>,
  });

/** The outcome of a call: the number of its code, and the field in its error. */
interface Outcome {
  code: number;
  field?: string | undefined;
  message?: string;
  text: string;
}

const codes: Record<string, number> = { invalid_argument: 3, unimplemented: 12, internal: 13 };

async function overConnect(message: Uint8Array, type: string, encoding = "gzip"): Promise<Outcome> {
  const answer = await post("/platform.registry.v2.ReposService/GetRepo", message, {
    "content-type": type,
    "content-encoding": encoding,
  });
  const text = Buffer.from(await answer.arrayBuffer()).toString("latin1");
  if (answer.status === 200) return { code: 0, text };
  const { code, message: reason, details = [] } = JSON.parse(text);
  const bad = details.find(({ type }: { type: string }) => type === "google.rpc.BadRequest");
  const field = bad?.debug.fieldViolations[0].field;
  return { code: codes[code] ?? -1, field, message: reason, text };
}

async function overGrpcWeb(body: Uint8Array, encoding = "gzip"): Promise<Outcome> {
  const answer = await post("/platform.registry.v2.ReposService/GetRepo", body, {
    "content-type": "application/grpc-web+proto",
    "grpc-encoding": encoding,
  });
  const text = Buffer.from(await answer.arrayBuffer()).toString("latin1");
  const read = (name: string) =>
    answer.headers.get(name) ?? new RegExp(`${name}: (.*)\\r\\n`, "i").exec(text)?.[1] ?? "";
  const bytes = Buffer.from(read("grpc-status-details-bin"), "base64");
  const { details } = fromBinary(StatusSchema, new Uint8Array(bytes));
  const bad = details.find(({ typeUrl }) => typeUrl.endsWith("google.rpc.BadRequest"));
  const field = bad && fromBinary(BadRequestSchema, bad.value).fieldViolations[0]?.field;
  const message = decodeURIComponent(read("grpc-message"));
  return { code: Number(read("grpc-status")), field, message, text };
}

async function overRest(body: Uint8Array, encoding = "gzip"): Promise<Outcome> {
  const answer = await post(`/registry/v2/repos/${fixtures.organization.uid}`, body, {
    "content-encoding": encoding,
  });
  const text = await answer.text();
  if (answer.status === 200) return { code: 0, text };
  const { code, message, details } = JSON.parse(text);
  return { code, field: details[1]?.fieldViolations?.[0].field, message, text };
}

const json = "application/json";
const proto = "application/proto";

describe("a compressed body is read", () => {
  test("over Connect, in JSON and binary", async () => {
    const asJson = await overConnect(gzip(JSON.stringify({ uid: fixtures.repo })), json);
    expect(JSON.parse(asJson.text).uid).toBe(fixtures.repo);
    const asBinary = await overConnect(gzip(binary(fixtures.repo)), proto);
    expect([asBinary.code, asBinary.text.includes(fixtures.repo)]).toEqual([0, true]);
  });

  test("over gRPC-Web, whether or not the frame is compressed", async () => {
    for (const body of [frame(gzip(binary(fixtures.repo))), frame(binary(fixtures.repo), 0)]) {
      const { code, text } = await overGrpcWeb(body);
      expect([code, text.includes(fixtures.repo)]).toEqual([0, true]);
    }
  });

  test("a gzip body is read over REST", async () => {
    const name = randomName("repo");
    const { code, text } = await overRest(gzip(JSON.stringify({ name })));
    expect([code, JSON.parse(text).name]).toEqual([0, name]);
  });

  test("with a coding in capitals, and with the coding identity", async () => {
    const body = JSON.stringify({ uid: fixtures.repo });
    expect((await overConnect(gzip(body), json, "GZIP")).code).toBe(0);
    expect((await overConnect(new TextEncoder().encode(body), json, "identity")).code).toBe(0);
  });

  test("with the coding x-gzip, its earlier name", async () => {
    const body = JSON.stringify({ uid: fixtures.repo });
    expect((await overConnect(gzip(body), json, "x-gzip")).code).toBe(0);
    expect((await overGrpcWeb(frame(gzip(binary(fixtures.repo))), "x-gzip")).code).toBe(0);
  });

  test("an empty body is not decompressed, as the Connect protocol says", async () => {
    const outcome = await overConnect(new Uint8Array(), proto);
    expect([outcome.code, outcome.field]).toEqual([3, "uid"]);
  });

  test("up to the limit of a body", async () => {
    const { code, field } = await overConnect(gzip("x".repeat(limit)), json);
    expect([code, field]).toEqual([3, undefined]);
    const larger = await overConnect(gzip("x".repeat(limit + 1)), json);
    expect([larger.code, larger.field]).toEqual([3, "body"]);
  });
});

const everywhere: [string, (packed: Uint8Array, encoding?: string) => Promise<Outcome>][] = [
  ["Connect in JSON", (packed, encoding) => overConnect(packed, json, encoding)],
  ["Connect in binary", (packed, encoding) => overConnect(packed, proto, encoding)],
  ["gRPC-Web", (packed, encoding) => overGrpcWeb(frame(packed), encoding)],
  ["REST", overRest],
];

describe.each(everywhere)("over %s", (name, call) => {
  test("a body that is too large after decompression is rejected like an uncompressed one", async () => {
    const { code, field, message } = await call(zeros(limit + 1));
    expect([code, field]).toEqual([3, "body"]);
    expect(message).toBe(
      `Invalid argument: body: body must have at most ${limit} bytes; send less in one call`,
    );
  });

  test("a decompression bomb is rejected as too large before its damaged part", async () => {
    const bomb = zeros(64 * 1024 * 1024);
    expect(bomb.length).toBeGreaterThan(60 * 1024);
    bomb.fill(0xff, 16 * 1024);
    const { code, field, message } = await call(bomb);
    expect([code, field]).toEqual([3, "body"]);
    expect(message).toContain("must have at most");
  });

  test("a body that is too large while compressed is not decompressed", async () => {
    const { code, field, message } = await call(new Uint8Array(limit + 1));
    expect([code, field]).toEqual([3, "body"]);
    expect(message).toContain("must have at most");
  });

  test.each([
    ["no gzip", new TextEncoder().encode("{}")],
    ["gzip that is cut off", gzip("{}").subarray(0, -4)],
    ["gzip with a wrong sum", gzip("{}").fill(7, -8, -4)],
    ["gzip with bytes behind it", new Uint8Array([...gzip("{}"), 1])],
  ])("%s is INVALID_ARGUMENT naming body", async (_, packed) => {
    const { code, field, message } = await call(packed);
    expect([code, field]).toEqual([3, "body"]);
    expect(message).toBe("Invalid argument: body: body is not valid gzip");
  });

  test.each(["br", "deflate", "zstd", "gzip, gzip", "x"])(
    "the coding %s is UNIMPLEMENTED, and the error names the supported ones",
    async (encoding) => {
      const { code, message } = await call(gzip("{}"), encoding);
      expect(code).toBe(12);
      expect(message).toContain(
        `"${encoding}" is not supported; supported encodings are gzip, identity`,
      );
    },
  );

  test("a body that is not a message after decompression is rejected like one without compression", async () => {
    const { code } = await call(gzip(new Uint8Array([255, 255, 255])));
    expect([name, code]).toEqual([name, 3]);
  });
});

test("a frame with an unnamed compression is rejected", async () => {
  const { code } = await overGrpcWeb(frame(gzip(binary(fixtures.repo))), "identity");
  // https://github.com/grpc/grpc/blob/master/doc/compression.md
  expect(code).toBe(13);
});

test("a frame that ends before its length is not a call, compressed or not", async () => {
  for (const [bytes, flags] of [
    [gzip(binary(fixtures.repo)), 1],
    [binary(fixtures.repo), 0],
  ] as const) {
    const short = frame(bytes, flags);
    new DataView(short.buffer).setUint32(1, bytes.length + 1);
    const { code, message } = await overGrpcWeb(short);
    expect([flags, code]).toEqual([flags, 3]);
    // Connect-ES has reserved the bytes before it says "protocol error: incomplete envelope".
    expect(message).toContain("body ends before a message does");
  }
});
