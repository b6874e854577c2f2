/** Errors, bodies and headers that only the RPC transports have. */
import { Buffer } from "node:buffer";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, test } from "vitest";
import { ErrorInfoSchema } from "../../schema/gen/google/rpc/error_details_pb.js";
import {
  CreateRepoRequestSchema,
  GetRepoRequestSchema,
  RepoSchema,
} from "../../schema/gen/platform/registry/v2/repos_pb.js";
import { type Fixtures, newFixtures, step } from "../contract/fixtures.ts";
import { baseUrl } from "../world/platform.ts";

let fixtures: Fixtures;
beforeAll(async () => {
  fixtures = await newFixtures();
});

const service = "/platform.registry.v2.ReposService";

interface Sent {
  type?: string;
  headers?: Record<string, string>;
  method?: string;
}

/** One POST to an RPC of the repositories, as the owner. */
function call(rpc: string, body: string | Uint8Array | undefined, sent: Sent = {}) {
  return fetch(`${baseUrl()}${service}/${rpc}`, {
    method: sent.method ?? "POST",
    headers: {
      "content-type": sent.type ?? "application/json",
      authorization: `Bearer ${fixtures.token}`,
      ...sent.headers,
    },
    ...(body === undefined ? {} : { body: body as BodyInit }),
  });
}

/** A gRPC-Web frame: flags, length, message. */
function frame(bytes: Uint8Array): Uint8Array {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  return new Uint8Array(Buffer.concat([head, bytes]));
}

const binary = (uid: string) =>
  toBinary(GetRepoRequestSchema, create(GetRepoRequestSchema, { uid }));

describe("a Connect call", () => {
  test("in JSON returns proto JSON", async () => {
    const answer = await call("GetRepo", JSON.stringify({ uid: fixtures.repo }));
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(await answer.json()).toMatchObject({ uid: fixtures.repo });
  });

  test("in binary returns binary", async () => {
    const answer = await call("GetRepo", binary(fixtures.repo), { type: "application/proto" });
    expect(answer.status).toBe(200);
    const message = fromBinary(RepoSchema, new Uint8Array(await answer.arrayBuffer()));
    expect(message.uid).toBe(fixtures.repo);
  });

  test("that fails returns Connect's error: code by name, details in base64", async () => {
    const uid = `${fixtures.organization.uid}/${step()}`;
    const answer = await call("GetRepo", JSON.stringify({ uid }));
    expect(answer.status).toBe(404);
    const { code, message, details } = await answer.json();
    expect([code, message]).toEqual(["not_found", `Not found: Repo ${uid}`]);
    expect(details.map((one: { type: string }) => one.type)).toEqual([
      "google.rpc.ErrorInfo",
      "google.rpc.ResourceInfo",
      "google.rpc.RequestInfo",
    ]);
    const info = fromBinary(ErrorInfoSchema, Buffer.from(details[0].value, "base64"));
    expect(info).toMatchObject({ reason: "NOT_FOUND", domain: "registry.platform.example" });
  });

  test.each([
    ["JSON that is none", "{", "application/json"],
    ["JSON of another shape", '{"uid": 7}', "application/json"],
    ["bytes that are not a message", new Uint8Array([255, 255, 255]), "application/proto"],
  ])("with %s is INVALID_ARGUMENT", async (_, body, type) => {
    const answer = await call("GetRepo", body, { type });
    expect(answer.status).toBe(400);
    expect((await answer.json()).code).toBe("invalid_argument");
  });

  test.each([
    ["that is too large", `"${"x".repeat(1536 * 1024)}"`, "application/json"],
    ["that is not UTF-8", new Uint8Array([34, 255, 34]), "application/json"],
    ["that is not a message", new Uint8Array([255, 255, 255]), "application/proto"],
  ])("without a token is UNAUTHENTICATED as over REST, with the body %s", async (_, body, type) => {
    const answer = await call("CreateRepo", body, { type, headers: { authorization: "" } });
    expect([answer.status, (await answer.json()).code]).toEqual([401, "unauthenticated"]);
    const path = `${baseUrl()}/registry/v2/repos/${fixtures.organization.uid}`;
    const headers = { "content-type": type };
    const rest = await fetch(path, { method: "POST", headers, body: body as BodyInit });
    expect([rest.status, (await rest.json()).code]).toEqual([401, 16]);
  });

  test("of an unsupported media type is HTTP 415", async () => {
    for (const type of ["text/plain", "application/grpc", "application/xml"]) {
      expect((await call("GetRepo", "x", { type })).status, type).toBe(415);
    }
  });

  test("with another verb than POST is HTTP 405", async () => {
    for (const method of ["PUT", "DELETE"]) {
      expect((await call("GetRepo", "{}", { method })).status, method).toBe(405);
    }
  });

  test("of another version of the protocol is INVALID_ARGUMENT", async () => {
    const headers = { "connect-protocol-version": "7" };
    const answer = await call("GetRepo", "{}", { headers });
    expect(answer.status).toBe(400);
  });

  test("with an invalid deadline is INVALID_ARGUMENT", async () => {
    const headers = { "connect-timeout-ms": "soon" };
    const answer = await call("GetRepo", JSON.stringify({ uid: fixtures.repo }), { headers });
    expect(answer.status).toBe(400);
    expect((await answer.json()).code).toBe("invalid_argument");
  });
});

describe("a body of more than 1.5 MiB is INVALID_ARGUMENT naming it", () => {
  const description = "x".repeat(1536 * 1024);
  const request = () => ({
    parent: fixtures.organization.uid,
    repo: { name: "large", description },
  });
  const bytes = () => toBinary(CreateRepoRequestSchema, create(CreateRepoRequestSchema, request()));

  test.each([
    ["Connect JSON", "application/json", () => JSON.stringify(request())],
    ["Connect", "application/proto", bytes],
  ])("a body of more than 1.5 MiB is rejected over %s", async (_, type, body) => {
    const answer = await call("CreateRepo", body(), { type });
    expect(answer.status).toBe(400);
    const { code, message } = await answer.json();
    expect(code).toBe("invalid_argument");
    expect(message).toMatch(/^Invalid argument: body: body must have at most 1572864 bytes/);
  });

  test("a body of more than 1.5 MiB is rejected over gRPC-Web", async () => {
    const answer = await call("CreateRepo", frame(bytes()), { type: "application/grpc-web+proto" });
    expect(answer.status).toBe(200);
    const text = `${await answer.text()}${answer.headers.get("grpc-message") ?? ""}`;
    const status = answer.headers.get("grpc-status") ?? /grpc-status: *(\d+)/i.exec(text)?.[1];
    expect(status).toBe("3");
    expect(decodeURIComponent(text)).toContain("at most 1572864 bytes; send less in one call");
  });

  test("a body over the limit is rejected even without content-length", async () => {
    const pieces = Array.from({ length: 40 }, () => new Uint8Array(40_000).fill(32));
    const body = new ReadableStream({
      pull(controller) {
        const piece = pieces.pop();
        if (piece) controller.enqueue(piece);
        else controller.close();
      },
    });
    const answer = await fetch(`${baseUrl()}${service}/GetRepo`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${fixtures.token}` },
      body,
      duplex: "half",
    } as RequestInit);
    expect(answer.status).toBe(400);
    expect((await answer.json()).message).toContain("at most 1572864 bytes");
  });
});

describe("a gRPC-Web call", () => {
  const type = "application/grpc-web+proto";

  test("returns the message and then its status as a frame", async () => {
    const answer = await call("GetRepo", frame(binary(fixtures.repo)), { type });
    expect(answer.status).toBe(200);
    const bytes = Buffer.from(await answer.arrayBuffer());
    const length = bytes.readUInt32BE(1);
    expect(fromBinary(RepoSchema, bytes.subarray(5, 5 + length)).uid).toBe(fixtures.repo);
    const trailers = bytes.subarray(5 + length);
    expect(trailers.readUInt8(0)).toBe(0x80);
    expect(trailers.subarray(5).toString().toLowerCase()).toContain("grpc-status: 0");
  });

  test("with bytes that are not a message is INVALID_ARGUMENT", async () => {
    const answer = await call("GetRepo", frame(new Uint8Array([255, 255, 255])), { type });
    const status = answer.headers.get("grpc-status") ?? (await answer.text());
    expect(status).toMatch(/\b3\b/);
  });

  test("with an incomplete frame is an error with a status", async () => {
    const whole = frame(binary(fixtures.repo));
    const answer = await call("GetRepo", whole.subarray(0, whole.length - 3), { type });
    expect(answer.status).toBe(200);
    const status = answer.headers.get("grpc-status") ?? (await answer.text());
    expect(status).toMatch(/\b(3|13)\b/);
  });
});
