import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { gunzipWithin } from "../../src/aip/bounded_body.ts";
import { rest } from "../world/platform.ts";

const tooLarge = () => new Error("too large");
const damaged = () => new Error("damaged");
const unpack = (bytes: Uint8Array, limit: number) =>
  gunzipWithin(new Uint8Array(bytes), limit, tooLarge, damaged);

/** Around the sizes in which slices are written and read. */
const sizes = [0, 1, 4095, 4096, 4097, 8191, 8192, 8193, 16_384, 40_000, 300_000];

test.each(sizes)(
  "%i bytes come out as they went in, whether they pack well or not",
  async (size) => {
    for (const bytes of [randomBytes(size), Buffer.alloc(size, "a")]) {
      expect(Buffer.from(await unpack(gzipSync(bytes), size)).equals(bytes)).toBe(true);
      if (size > 0) await expect(unpack(gzipSync(bytes), size - 1)).rejects.toThrow("too large");
    }
  },
);

test.each(sizes.slice(1))("a Worker reads JSON of %i bytes more alike", async (size) => {
  const headers = { "content-type": "application/json", "content-encoding": "gzip" };
  for (const padding of [randomBytes(size).toString("base64").slice(0, size), "a".repeat(size)]) {
    const body = new Uint8Array(gzipSync(JSON.stringify({ padding })));
    const answer = await rest("/platform.ping.v2.PingService/Ping", { body, headers });
    expect(answer.body).toEqual({ response: "pong" });
  }
});

test("what is cut off anywhere is damaged", async () => {
  const packed = gzipSync(randomBytes(10_000));
  for (const end of [1, 5, 10, 11, 4096, 8192, packed.length - 8, packed.length - 1]) {
    await expect(unpack(packed.subarray(0, end), 20_000), `${end}`).rejects.toThrow("damaged");
  }
});
