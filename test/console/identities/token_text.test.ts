/** The reading of a pasted text in the doctor. */
import { describe, expect, test } from "vitest";
import { readPasted, timeOf } from "../../../console/identities/token_text.ts";

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const token = [part({ alg: "ES256" }), part({ sub: "größe 🐙" }), "signature"].join(".");

describe("a pasted text", () => {
  test.each([token, ` ${token}\n`, `Bearer ${token}`, `Authorization: bearer ${token}`])(
    "is a token with its claims: %#",
    (text) => {
      const claims = { sub: "größe 🐙" };
      expect(readPasted(text)).toEqual({ kind: "token", token, header: { alg: "ES256" }, claims });
    },
  );

  test("is the claims of a token if it is a JSON object", () => {
    expect(readPasted('{"iss": "a"}')).toEqual({ kind: "claims", claims: { iss: "a" } });
  });

  test.each(["one.two.three", "opaque", `${part([1])}.${part([2])}.x`])(
    "is an unreadable token if it is a word and not a JWT: %s",
    (text) => {
      expect(readPasted(text)).toEqual({ kind: "unreadable", token: text });
    },
  );

  test.each(['{"secret-value"', "two secret-value", `secret-value${"x".repeat(65_536)}`])(
    "is refused without being quoted: %#",
    (text) => {
      const pasted = readPasted(text);
      expect(pasted.kind).toBe("wrong");
      expect(JSON.stringify(pasted)).not.toContain("secret-value");
    },
  );
});

test("only claims with a time that exists are shown as times", () => {
  expect(timeOf("exp", 1_700_000_000)).toBe(1_700_000_000_000);
  expect(timeOf("exp", 1e300)).toBeUndefined();
  expect(timeOf("exp", "1700000000")).toBeUndefined();
  expect(timeOf("sub", 1_700_000_000)).toBeUndefined();
});
