/** Requests that are too large, too deep or have too many of something, over every way into the platform. */
import { once } from "node:events";
import type * as http from "node:http";
import * as http2 from "node:http2";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { grpcBridge } from "../../cli/grpc/bridge.ts";
import { heard } from "../world/heard.ts";
import { newOrganization, type Organization } from "../world/personas.ts";
import { baseUrl, callRest, type RequestOptions } from "../world/platform.ts";

const mib = 1024 * 1024;
const rpc = "/platform.registry.v2.ReposService/ListRepos";

let organization: Organization;
let token: string;
let bridge: http2.Http2Server;
beforeAll(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
  bridge = grpcBridge(new URL(baseUrl())).listen(0, "127.0.0.1");
  await once(bridge, "listening");
});
afterAll(() => bridge.close());

const text = (size: number) => JSON.stringify({ name: "x".repeat(size) });
const nested = (open: string, levels: number, close = "") =>
  open.repeat(levels) + close.repeat(levels);
const gzip = (size: number) => new Uint8Array(gzipSync(new Uint8Array(size)));
/** A gRPC message: flags, length, bytes. */
function frame(flags: number, bytes: Uint8Array): Uint8Array {
  const head = new Uint8Array(5);
  new DataView(head.buffer).setUint32(1, bytes.length);
  head[0] = flags;
  return Buffer.concat([head, bytes]);
}
/** The bytes of a field 1 with that length. It is a text in every message that is used here. */
const message = (size: number) =>
  Buffer.concat([Buffer.from([0x0a]), varint(size), new Uint8Array(size).fill(120)]);
function varint(value: number): Uint8Array {
  const bytes = [];
  for (let left = value; ; left >>>= 7) {
    if (left < 128) return Uint8Array.from([...bytes, left]);
    bytes.push((left & 127) | 128);
  }
}

describe("over REST", () => {
  const groups = "/iam/v2/groups";
  test.each<[string, string, () => RequestOptions]>([
    ["body of 16 MiB", groups, () => ({ body: text(16 * mib) })],
    ["body a byte larger than 1.5 MiB", groups, () => ({ body: " ".repeat(1.5 * mib + 1) })],
    ["lists in lists", groups, () => ({ body: nested("[", 700_000) })],
    ["lists in lists that end", groups, () => ({ body: nested("[", 700_000, "]") })],
    ["objects in objects", groups, () => ({ body: nested('{"group":', 150_000) })],
    [
      "objects in objects that end",
      groups,
      () => ({ body: `${nested('{"a":', 200_000)}1${"}".repeat(200_000)}` }),
    ],
    [
      "100,000 keys",
      groups,
      () => ({ body: `{${Array.from({ length: 100_000 }, (_, n) => `"k${n}":1`)}}` }),
    ],
    [
      "one key 100,000 times",
      groups,
      () => ({ body: `{${'"name":"a",'.repeat(100_000)}"name":""}` }),
    ],
    ["a number of 1,000,000 digits", groups, () => ({ body: `{"name":${"9".repeat(mib)}}` })],
    [
      "100,000 capabilities",
      "/iam/v2/roles",
      () => ({ body: { name: "r", capabilities: Array(100_000).fill("x") } }),
    ],
    [
      "gzip of zeros, which is not JSON",
      groups,
      () => ({ body: gzip(mib), headers: { "content-encoding": "gzip" } }),
    ],
    ["1,500 parameters of a page", `/iam/v2/groups?${"page_size=1&".repeat(1_500)}`, () => ({})],
    ["1,500 parameters of no name", `/iam/v2/groups?${"&=".repeat(1_500)}&page_size=x`, () => ({})],
    ["page token of 16 KiB", `/iam/v2/groups?page_token=${"x".repeat(16_000)}`, () => ({})],
    ["path of 16 KiB", `/iam/v2/groups/${"0".repeat(16_000)}`, () => ({})],
    ["path of 4,000 parts", `/iam/v2/groups/${"0/".repeat(4_000)}`, () => ({})],
    ["order of 2,000 fields", `/iam/v2/groups?order_by=${"name,".repeat(2_000)}`, () => ({})],
  ])("%s is refused with its reason", async (_, path, newRequest) => {
    const asked = newRequest();
    const at = path === groups && asked.body ? `${groups}/${organization.uid}` : path;
    const parent = path === "/iam/v2/roles" ? `${path}/${organization.uid}` : at;
    const answer = await heard(() => callRest(parent, { token, ...asked }));
    expect([answer.status, answer.body.code]).toEqual([400, 3]);
  });

  test.each([
    ["800 fields", Object.fromEntries(Array.from({ length: 800 }, (_, n) => [`x-${n}`, "x"]))],
    ["a field of 15,000 bytes", { "x-long": "x".repeat(15_000) }],
    ["a token of 15,000 bytes", { authorization: `Bearer ${"x".repeat(15_000)}` }],
    ["a token of 7,000 parts", { authorization: `Bearer ${"x.".repeat(7_000)}` }],
  ])("%s in the header section cause no server error", async (_, headers) => {
    const { status } = await callRest("/iam/v2/groups", { headers });
    expect([401, 431]).toContain(status);
  });
});

describe("over Connect and gRPC-Web", () => {
  const json = "application/json";
  const proto = "application/proto";
  const web = "application/grpc-web+proto";
  const gzipped = { "content-encoding": "gzip" };
  test.each<[string, string, () => string | Uint8Array, Record<string, string>, string]>([
    ["JSON of 16 MiB", json, () => text(16 * mib), {}, "invalid_argument"],
    ["JSON of lists in lists", json, () => nested("[", 700_000, "]"), {}, "invalid_argument"],
    ["JSON of objects in objects", json, () => nested('{"uidp":', 100_000), {}, "invalid_argument"],
    ["message of 16 MiB", proto, () => message(16 * mib), {}, "invalid_argument"],
    [
      "message that ends early",
      proto,
      () => message(1000).subarray(0, 500),
      {},
      "invalid_argument",
    ],
    ["message of groups in groups", proto, () => Buffer.alloc(mib, 0x0b), {}, "invalid_argument"],
    ["JSON that gzip makes 64 MiB of", json, () => gzip(64 * mib), gzipped, "invalid_argument"],
    ["message that gzip makes 64 MiB of", proto, () => gzip(64 * mib), gzipped, "invalid_argument"],
    ["frame of 16 MiB", web, () => frame(0, message(16 * mib)), {}, "3"],
    [
      "second frame with a length of 4 GiB",
      web,
      () => Buffer.from("000000000000ffffffff0a00", "hex"),
      {},
      "3",
    ],
    ["frame with a length of 4 GiB", web, () => Buffer.from("00ffffffff0a00", "hex"), {}, "3"],
    [
      "frame that gzip makes 64 MiB of",
      web,
      () => frame(1, gzip(64 * mib)),
      { "grpc-encoding": "gzip" },
      "3",
    ],
  ])("%s is refused with its reason", async (_, type, newBody, headers, code) => {
    const asked = {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": type, ...headers },
      body: newBody() as string,
    };
    const answer = await heard(() => fetch(`${baseUrl()}${rpc}`, asked));
    const said = await answer.text();
    const status = /grpc-status: ?(\d+)/.exec(said)?.[1] ?? answer.headers.get("grpc-status");
    expect(type === web ? status : JSON.parse(said).code).toBe(code);
  });
});

describe("over native gRPC", () => {
  test.each<[string, number, () => Uint8Array, Record<string, string>]>([
    ["16 MiB", 8, () => frame(0, message(16 * mib)), {}],
    ["a byte more than 4 MiB", 8, () => frame(0, new Uint8Array(4 * mib + 1)), {}],
    ["4 GiB by what it says", 8, () => Buffer.from("00ffffffff0a00", "hex"), {}],
    ["16 MiB in gzip", 8, () => frame(1, gzip(16 * mib)), { "grpc-encoding": "gzip" }],
    [
      "1 GiB by two layers of gzip",
      3,
      () => frame(1, gzipSync(gzip(256 * mib))),
      { "grpc-encoding": "gzip" },
    ],
    ["2 MiB, which the Worker refuses", 3, () => frame(0, message(2 * mib)), {}],
    ["4 MiB, which the Worker refuses", 3, () => frame(0, message(4 * mib - 16)), {}],
    ["a message that is invalid", 3, () => frame(0, Buffer.from("0b0b0b", "hex")), {}],
  ])("a message of %s has the status %i", async (_, status, newBody, headers) => {
    const body = newBody();
    for (let round = 0; round < 3; round++) {
      expect((await reached(() => called(body, headers)))["grpc-status"]).toBe(`${status}`);
    }
  });
});

/** The same for the bridge, which returns UNAVAILABLE if it has missed the response. */
async function reached(
  call: () => Promise<http.IncomingHttpHeaders>,
  tries = 5,
): Promise<http.IncomingHttpHeaders> {
  const trailers = await call();
  const missed = /EPIPE|ECONNRESET|socket%20hang%20up/.test(`${trailers["grpc-message"]}`);
  const isAgain = trailers["grpc-status"] === "14" && missed && tries > 1;
  return isAgain ? reached(call, tries - 1) : trailers;
}

/** The trailers of a call, or its headers if it has nothing else. */
async function called(body: Uint8Array, headers: Record<string, string>) {
  const { port } = bridge.address() as AddressInfo;
  // By default Node takes no answer while it holds more than 10 MB to send.
  const session = http2.connect(`http://127.0.0.1:${port}`, { maxSessionMemory: 1000 });
  const stream = session.request({
    ":method": "POST",
    ":path": rpc,
    "content-type": "application/grpc+proto",
    authorization: `Bearer ${token}`,
    te: "trailers",
    ...headers,
  });
  // The answer may come before all is said.
  stream.on("error", () => {});
  stream.end(body);
  try {
    const [first] = (await once(stream, "response")) as [http.IncomingHttpHeaders];
    if (first["grpc-status"] !== undefined) return first;
    stream.resume();
    const [trailers] = (await once(stream, "trailers")) as [http.IncomingHttpHeaders];
    return trailers;
  } finally {
    session.destroy();
  }
}
