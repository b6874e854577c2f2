import { expect, test } from "vitest";
import { jsonBytes } from "../../../src/iam/scim/json_bytes.ts";

test.each([
  [null],
  [true],
  [12.5],
  [""],
  ['a"b\\\n\u0001'],
  ["ö€😀"],
  [[]],
  [{}],
  [[[], {}, null, "x"]],
  [{ ö: [1, 2, { "a b": "" }], b: false }],
])("%j has as many bytes as its JSON in UTF-8", (value) => {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  expect(jsonBytes(value)).toBe(bytes);
  expect(jsonBytes(value, bytes)).toBe(bytes);
});

test("a value larger than the limit is not read to its end", () => {
  let read = 0;
  const members = Array.from({ length: 1000 }, () => ({
    get value() {
      read += 1;
      return "x".repeat(90);
    },
  }));
  expect(jsonBytes(members, 1000)).toBeGreaterThan(1000);
  expect(read).toBeLessThan(15);
});
