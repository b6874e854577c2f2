/** CBOR, as a signer writes it and as an attacker changes it. */
import { expect, test } from "vitest";
import { readCbor, signStructure, Tagged } from "../../src/signatures/cbor.ts";
import { type Bytes, SignatureError } from "../../src/signatures/signature.ts";
import { newNotationAuthority, notationCose, notationPayload, toCbor } from "./signed_forms.ts";

const bytes = (...numbers: number[]) => new Uint8Array(numbers) as Bytes;

test("numbers, texts, bytes, lists, maps and tags are read as they were written", () => {
  for (const value of [0, 23, 24, 255, 256, 65535, 65536, -1, -39, "", "text", bytes(1, 2)])
    expect(readCbor(toCbor(value))).toEqual(value);
  expect(readCbor(toCbor([1, ["a"]]))).toEqual([1, ["a"]]);
  const map = readCbor(
    toCbor({
      map: [
        [1, "a"],
        ["1", "b"],
      ],
    }),
  );
  expect(map).toEqual(
    new Map<number | string, string>([
      [1, "a"],
      ["1", "b"],
    ]),
  );
  expect(readCbor(toCbor({ tag: 18, of: "x" }))).toEqual(new Tagged(18, "x"));
  expect([readCbor(bytes(0xf4)), readCbor(bytes(0xf5)), readCbor(bytes(0xf6))]).toEqual([
    false,
    true,
    null,
  ]);
});

test("the signed structure has the length of each part", () => {
  for (const length of [0, 23, 24, 255, 256, 70_000]) {
    const part = new Uint8Array(length) as Bytes;
    const expected = toCbor(["Signature1", part, new Uint8Array(), part]);
    expect(Buffer.from(signStructure(part, part))).toEqual(Buffer.from(expected));
  }
});

test.for([
  ["bytes after the value", bytes(0, 0)],
  ["nothing", bytes()],
  ["a length that is cut off", bytes(0x59, 1)],
  ["fewer bytes than the length", bytes(0x42, 1)],
  ["a number that could be shorter", bytes(0x18, 23)],
  ["a length that could be shorter", bytes(0x58, 1, 0)],
  ["an indefinite length", bytes(0x5f, 0xff)],
  ["a key twice", bytes(0xa2, 1, 1, 1, 2)],
  ["a key that is a list", bytes(0xa1, 0x80, 1)],
  ["a text that is not UTF-8", bytes(0x61, 0xff)],
  ["a number with a fraction", bytes(0xf9, 0, 0)],
  ["a number that is too large", bytes(0x1b, 255, 255, 255, 255, 255, 255, 255, 255)],
  ["a list of a million values", bytes(0x9a, 0, 15, 66, 64)],
  ["a map of a million pairs", bytes(0xba, 0, 15, 66, 64)],
  ["twenty lists in each other", new Uint8Array([...Array<number>(20).fill(0x81), 0]) as Bytes],
] as [string, Bytes][])("CBOR is refused with %s", ([, input]) => {
  expect(() => readCbor(input)).toThrow(SignatureError);
});

test("an envelope is refused or read wherever it is cut off or changed, and never fails in another way", async () => {
  const signer = await (await newNotationAuthority()).newSigner();
  const whole = await notationCose(signer, notationPayload(`sha256:${"a".repeat(64)}`));
  const read = (input: Bytes) => {
    try {
      readCbor(input);
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(SignatureError);
    }
  };
  for (let length = 0; length < whole.length; length += 1)
    expect(() => readCbor(whole.slice(0, length))).toThrow(SignatureError);
  for (const at of whole.keys()) {
    const changed = whole.slice();
    changed[at] = (changed[at] ?? 0) ^ 0xff;
    read(changed);
  }
});
