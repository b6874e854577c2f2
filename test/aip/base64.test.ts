import { randomBytes } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { toBase64 } from "../../src/aip/base64.ts";

test.each([0, 1, 2, 3, 255, 24_575, 24_576, 24_577, 100_000])(
  "%i bytes are encoded as by Node",
  (n) => {
    const bytes = randomBytes(n);
    expect(toBase64(new Uint8Array(bytes))).toBe(bytes.toString("base64"));
  },
);

test("a part of a buffer is encoded without the rest", () => {
  expect(toBase64(new Uint8Array([1, 2, 3, 4]).subarray(1, 3))).toBe("AgM=");
});

test("the text takes the memory of its characters, not of an object for each", () => {
  const bytes = new Uint8Array(randomBytes(3_000_000));
  const before = heapAfterCollection();
  const text = toBase64(bytes);
  const room = heapAfterCollection() - before;
  expect(text).toHaveLength(4_000_000);
  expect(room).toBeLessThan(40_000_000);
});

/** Bytes of the heap that are in use, without garbage that waits for its collection. */
function heapAfterCollection(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed;
}
