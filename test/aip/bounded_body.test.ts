/** Bodies as gzip, read by a real Worker: other runtimes feed and end their streams in other ways. */
import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { expect, test } from "vitest";
import { rest } from "../world/platform.ts";

/** A message with one field that nobody knows; a byte more or less is no message. */
const messageOf = (bytes: Uint8Array) => new BinaryWriter().tag(15, 2).bytes(bytes).finish();

async function ping(body: Uint8Array) {
  const headers = { "content-type": "application/proto", "content-encoding": "gzip" };
  const answer = await rest("/platform.ping.v2.PingService/Ping", {
    body: new Uint8Array(body),
    headers,
  });
  return answer.body?.message ?? answer.status;
}

/** Around the sizes in which slices are written and read. */
const sizes = [0, 1, 4093, 4094, 4095, 4096, 8188, 8189, 8190, 8192, 16_380, 40_000, 1_500_000];

test.each(sizes)("a message of %i bytes comes out whole, packed well or not", async (size) => {
  for (const bytes of [randomBytes(size), new Uint8Array(size)]) {
    const message = messageOf(bytes);
    expect(await ping(gzipSync(message))).toBe(200);
    // The test of the test: without its last byte it is refused for what it is.
    const cut = size === 0 ? [] : [await ping(gzipSync(message.subarray(0, -1)))];
    for (const refusal of cut) expect(refusal).toContain("body is not a message");
  }
});

test("what is cut off anywhere is damaged", async () => {
  const packed = gzipSync(messageOf(randomBytes(10_000)));
  for (const end of [1, 5, 10, 11, 4096, 8192, packed.length - 8, packed.length - 1]) {
    expect(await ping(packed.subarray(0, end)), `${end}`).toContain("body is damaged gzip");
  }
});
