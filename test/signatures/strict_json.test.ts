/** JSON that is signed, as an attacker writes it. */
import { describe, expect, test } from "vitest";
import { SignatureError } from "../../src/signatures/signature.ts";
import { membersOf, readStrictJson } from "../../src/signatures/strict_json.ts";

const read = (text: string) => readStrictJson(new TextEncoder().encode(text));

test.for([
  ["the same name in objects side by side", '[{"a":1},{"a":2}]'],
  ["the same name at two depths", '{"a":{"a":[{"a":1}]}}'],
  ["a name that is also a value", '{"a":"a","b":["a","a"]}'],
  ["quotation marks and braces in texts", '{"a\\\\":"{\\"a\\\\\\":","b":"}"}'],
])("%s do not make a member twice", ([, text = ""]) => {
  expect(read(text)).toEqual(JSON.parse(text));
});

test.for([
  ["in a list", '[[{"a":1,"a":1}]]'],
  ["with an escape", '{"digest":1,"\\u0064igest":2}'],
  ["with spaces before the colon", '{"a" \n:1,"a"\t: 2}'],
  ["after an object in between", '{"a":{"b":1},"c":[{}],"a":2}'],
  ["that is empty", '{"":1,"":2}'],
  ["that is __proto__", '{"__proto__":1,"__proto__":2}'],
])("a member twice %s is refused", ([, text = ""]) => {
  expect(() => read(text)).toThrow("twice");
});

test.for([
  ["a byte order mark", '\u{feff}{"a":1}'],
  ["nothing", ""],
  ["a comment", '{"a":1}//'],
])("%s is not JSON", ([, text = ""]) => {
  expect(() => read(text)).toThrow(SignatureError);
});

describe("a document of a megabyte is read or refused, and never fails in another way", () => {
  const many = 500_000;
  test.for([
    ["lists in each other", "[".repeat(many) + "]".repeat(many)],
    ["objects in each other", `${'{"a":'.repeat(many / 5)}1${"}".repeat(many / 5)}`],
    ["open lists", "[".repeat(2 * many)],
    ["empty texts", `[${'"",'.repeat(many / 2)}""]`],
    ["spaces after a text", `["a"${" ".repeat(2 * many)}]`],
  ])("%s", ([, text = ""]) => {
    try {
      read(text);
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(SignatureError);
    }
  });

  test("with members whose names differ only in case", () => {
    const names = Array.from({ length: 50_000 }, (_, at) => `"k${at}":0`).join(",");
    expect(() => membersOf(read(`{${names},"K7":1}`), "it")).toThrow("differ only in case");
  });
});
