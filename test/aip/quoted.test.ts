/** Values from requests in errors. */
import { expect, test } from "vitest";
import { quoted } from "../../src/aip/quoted.ts";

test("a value is quoted as in JSON, and letters of all scripts stay readable", () => {
  expect(quoted('a "b"\n')).toBe('"a \\"b\\"\\n"');
  expect(quoted("عربي 👩‍👩‍👧 é")).toBe('"عربي 👩‍👩‍👧 é"');
});

test("characters that turn the text around them are escaped", () => {
  expect(quoted("\u202Egnp.exe\u202C")).toBe('"\\u202egnp.exe\\u202c"');
  expect(quoted("\u061C\u200E\u2066\u2069")).toBe('"\\u061c\\u200e\\u2066\\u2069"');
});

test("a value of more than 64 characters is cut", () => {
  expect(quoted("x".repeat(64))).toBe(`"${"x".repeat(64)}"`);
  expect(quoted("x".repeat(65))).toBe(`"${"x".repeat(64)}…"`);
});
