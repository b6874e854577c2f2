import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  CreateIdentityRequestSchema,
  Identity_ClaimMatchSchema,
} from "../../schema/gen/platform/iam/v2/identities_pb.js";
import { invalidArgument } from "../../src/aip/errors.ts";
import { findTextViolation, readJson, textViolation } from "../../src/aip/text.ts";
import { messageFromStored, toWellFormed, truncate } from "../../src/aip/well_formed.ts";

const surrogate = "contains half of a surrogate pair, which is not valid Unicode";

describe("a text violation", () => {
  test.each([
    ["a", undefined],
    ["", undefined],
    ["\ud83d\ude00", undefined],
    ["\ufeff\ufffd\u{10ffff}", undefined],
    ["a\ud83d", surrogate],
    ["\ude00\ud83d", surrogate],
    ["a\0", "contains the character NUL (U+0000)"],
  ])("the text %j is accepted, or rejected with the reason", (text, flaw) => {
    expect(textViolation(text)).toBe(flaw);
  });

  test.each([
    [{ a: [1, { b: "\ud800" }] }, { path: "a[1].b", description: surrogate }],
    [["x", ["\ud800"]], { path: "[1][0]", description: surrogate }],
    [{ "a b": { "@id": "\ud800" } }, { path: '["a b"].@id', description: surrogate }],
    [{ "\ud800": 1 }, { path: '["\\ud800"]', description: `has a name that ${surrogate}` }],
    ["\ud800", { path: "", description: surrogate }],
    [{ a: null, b: true, c: 1, d: new Uint8Array([0]) }, undefined],
  ])("in %j is reported with its position", (value, flaw) => {
    expect(findTextViolation(value)).toEqual(flaw);
  });

  test("in a message or its JSON is named as in the proto", () => {
    const claimMatch = { issuer: "https://a", subject: "\ud800" };
    const flaw = { path: "identity.claim_match.subject", description: surrogate };
    const ofJson = { parent: "", identity: { claimMatch } };
    expect(findTextViolation(ofJson, CreateIdentityRequestSchema)).toEqual(flaw);
    const message = create(CreateIdentityRequestSchema, {
      identity: {
        relationship: {
          case: "claimMatch",
          value: { sub: { case: "subject", value: "\ud800" } },
        },
      },
    });
    expect(findTextViolation(message, CreateIdentityRequestSchema)).toEqual(flaw);
    const claims = create(Identity_ClaimMatchSchema, { claims: { "a.b": "\0" } });
    expect(findTextViolation(claims, Identity_ClaimMatchSchema)?.path).toBe('claims["a.b"]');
  });

  test("is too much nesting for any reader, and its position stays short", () => {
    const deep = JSON.parse(`{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}`);
    expect(findTextViolation(deep)).toEqual({
      path: "a",
      description: "is nested more than 200 levels deep",
    });
    expect(findTextViolation(JSON.parse(`${"[".repeat(200)}${"]".repeat(200)}`))).toBeUndefined();
  });
});

test("is reported for a document with its position", () => {
  const refusal = (path: string, description: string) => new Error(`${path}|${description}`);
  const read = (bytes: Uint8Array | string) => readJson(Buffer.from(bytes), refusal);
  expect(read('\ufeff{"a":"\u00e9"}')).toEqual({ a: "\u00e9" });
  expect(() => read(new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]))).toThrow("|is not UTF-8");
  expect(() => read("{")).toThrow("|is not JSON");
  expect(() => read('{"a":["\\udfff"]}')).toThrow(`a[0]|${surrogate}`);
});

describe("the output is valid Unicode", () => {
  test("and the same value elsewhere", () => {
    const value = { a: ["\ud83d\ude00", { b: 1n }], c: new Uint8Array(2) };
    expect(toWellFormed(value)).toBe(value);
    const bad = { a: ["\ud83d"], "\ud800": { b: "x\udc00" }, c: value.c };
    expect(toWellFormed(bad)).toEqual({ a: ["\ufffd"], "\ufffd": { b: "x\ufffd" }, c: value.c });
  });

  test("for a message that was stored", () => {
    const stored = { subject: "\ud800", claims: { "\ud800": "\udc00" }, gone: 1 };
    const { sub, claims } = messageFromStored(Identity_ClaimMatchSchema, stored);
    expect([sub.value, claims]).toEqual(["\ufffd", { "\ufffd": "\ufffd" }]);
  });

  test("for an error that quotes it", () => {
    const { rawMessage, details } = invalidArgument("a\ud800", "b\udc00");
    expect(rawMessage).toBe("Invalid argument: a\ufffd: b\ufffd");
    expect(JSON.stringify(details.map((one) => "value" in one && one.value))).not.toMatch(/\\ud/);
  });

  test.each([
    ["abc", 3, "abc"],
    ["abcd", 3, "abc"],
    ["ab\ud83d\ude00", 3, "ab"],
    ["ab\ud83d\ude00c", 4, "ab\ud83d\ude00"],
  ])("%j is cut to %i", (text, length, expected) => {
    expect(truncate(text, length)).toBe(expected);
  });
});
