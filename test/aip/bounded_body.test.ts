/** Bodies in gzip, read by a real Worker: other runtimes feed and end their streams in other ways. */
import { randomBytes } from "node:crypto";
import { constants, gunzipSync, gzipSync } from "node:zlib";
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { gunzipLimited } from "../../src/aip/bounded_body.ts";
import { callRest } from "../world/platform.ts";
import { long } from "../world/tiers.ts";

/** A message with one unknown field. With a byte more or less it is not a message. */
const messageOf = (bytes: Uint8Array) => new BinaryWriter().tag(15, 2).bytes(bytes).finish();

async function ping(body: Uint8Array) {
  const headers = { "content-type": "application/proto", "content-encoding": "gzip" };
  const answer = await callRest("/platform.ping.v2.PingService/Ping", {
    body: new Uint8Array(body),
    headers,
  });
  return answer.body?.message ?? answer.status;
}

/** Sizes around those of the slices that are written and read. */
const sizes = [0, 1, 4093, 4094, 4095, 4096, 8188, 8189, 8190, 8192, 16_380, 40_000];

for (const [some, tier] of [
  [sizes, {}],
  [[1_500_000], long],
] as const)
  test.for(some)(
    "a message of %i bytes is decompressed completely, however well it was compressed",
    tier,
    async (size) => {
      for (const bytes of [randomBytes(size), new Uint8Array(size)]) {
        const message = messageOf(bytes);
        expect(await ping(gzipSync(message))).toBe(200);
        // The test of the test: without its last byte it is refused for what it is.
        const cut = size === 0 ? [] : [await ping(gzipSync(message.subarray(0, -1)))];
        for (const refusal of cut) expect(refusal).toContain("body must be a binary message");
      }
    },
  );

test("a message that is cut off anywhere is damaged", async () => {
  const packed = gzipSync(messageOf(randomBytes(10_000)));
  for (const end of [1, 5, 10, 11, 4096, 8192, packed.length - 8, packed.length - 1]) {
    expect(await ping(packed.subarray(0, end)), `${end}`).toContain("body is not valid gzip");
  }
});

test("valid gzip is never damaged in Node either, which ends a stream before it is closed", async () => {
  const refusal = (text: string) => () => new Error(text);
  for (let n = 0; n < 100; n += 1) {
    const bytes = new Uint8Array(20_000).fill(n);
    const packed = new Uint8Array(gzipSync(bytes));
    const read = await gunzipLimited(packed, 20_000, refusal("large"), refusal("damaged"));
    expect(read).toEqual(bytes);
    const cut = gunzipLimited(packed.slice(0, -1), 20_000, refusal("large"), refusal("damaged"));
    await expect(cut).rejects.toThrow("damaged");
  }
});

/**
 * Decompresses everything that is written at once, even without a reader, as workerd does. Counts the bytes.
 */
class Greedy {
  static unpacked = 0;
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;

  constructor() {
    let [packed, known] = [Buffer.alloc(0), 0];
    let out: ReadableStreamDefaultController<Uint8Array>;
    this.readable = new ReadableStream({
      start: (controller) => {
        out = controller;
      },
    });
    this.writable = new WritableStream({
      write: (chunk) => {
        packed = Buffer.concat([packed, chunk]);
        const all = gunzipSync(packed, { finishFlush: constants.Z_SYNC_FLUSH });
        for (; known < all.length; known += 4096) out.enqueue(all.subarray(known, known + 4096));
        known = all.length;
        Greedy.unpacked = known;
      },
      close: () => out.close(),
    });
  }
}

describe("in a runtime that decompresses everything it receives", () => {
  beforeEach(() => {
    Greedy.unpacked = 0;
    vi.stubGlobal("DecompressionStream", Greedy);
  });
  afterEach(() => vi.unstubAllGlobals());

  const limit = 1024 * 1024;
  const unpack = (bytes: Uint8Array) =>
    gunzipLimited(
      new Uint8Array(bytes),
      limit,
      () => new Error("too large"),
      () => new Error("damaged"),
    );

  test("at most one slice of 8 KiB of a decompression bomb is decompressed", async () => {
    const bomb = gzipSync(new Uint8Array(64 * limit));
    await expect(unpack(bomb)).rejects.toThrow("too large");
    expect(Greedy.unpacked).toBeGreaterThan(limit);
    expect(Greedy.unpacked).toBeLessThan(8.1 * limit);
  });

  test("a message within the limit is decompressed completely", async () => {
    for (const size of [0, 5000, limit]) {
      expect((await unpack(gzipSync(randomBytes(size)))).length).toBe(size);
    }
  });
});
