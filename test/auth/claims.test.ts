/** The claims of a token, read directly. test/attacks/tokens/claims.test.ts sends such tokens to every entry point. */
import { describe, expect, test } from "vitest";
import {
  decodeToken,
  findClaimFlaws,
  readClaims,
  readOwnClaims,
  readProfile,
} from "../../src/auth/claims.ts";

const last = 253_402_300_799;
const valid = { iss: "https://i.example", sub: "s", aud: "a", exp: 1 };
const long = "a".repeat(2048);
const names = (count: number) => Array.from({ length: count }, () => "a");

describe("claims are accepted with", () => {
  test.each<[string, object]>([
    ["the longest names", { iss: long, sub: long, aud: long }],
    ["a list of 100 audiences", { aud: names(100) }],
    ["an empty list of audiences", { aud: [] }],
    ["the first second", { exp: 0, iat: 0, nbf: 0 }],
    ["the last second", { exp: last, iat: last, nbf: last }],
    ["a client", { azp: "client" }],
  ])("%s", (_, more) => {
    expect(readClaims({ ...valid, ...more })).toEqual({ ...valid, ...more });
  });
});

const refusalOf = (payload: object) => {
  try {
    readClaims(payload);
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
};

describe("claims are refused, and the error names the claim, with", () => {
  const name = "must be a string of 1 to 2048 characters";
  const audience = "must be a string, or a list of at most 100 strings";
  const time = "must be a time in seconds between the years 1970 and 9999";
  const times = ["exp", "iat", "nbf"].flatMap((claim): [string, unknown, string][] =>
    [-1, last + 1, "1", null].map((value) => [claim, value, time]),
  );
  test.each<[string, unknown, string]>([
    ...["iss", "sub"].flatMap((claim): [string, unknown, string][] =>
      ["", `${long}a`, 1, null].map((value) => [claim, value, name]),
    ),
    ["sub", undefined, name],
    ...[undefined, 1, `${long}a`, names(101), [1], ["a", 1]].map(
      (value): [string, unknown, string] => ["aud", value, audience],
    ),
    ["exp", undefined, time],
    ...times,
    ["azp", [], "must be a string"],
    ["azp", null, "must be a string"],
    ["email", "\ud800", "contains half of a surrogate pair"],
  ])("%s %j", (claim, value, description) => {
    expect(refusalOf({ ...valid, [claim]: value })).toContain(
      `the token's claim ${claim} is not valid: it ${description}`,
    );
  });

  test("no issuer", () => {
    const { iss: _, ...others } = valid;
    expect(() => readClaims(others)).toThrow("the token has no issuer (claim iss)");
  });

  test("several flaws, of which all can be listed", () => {
    const found = [...findClaimFlaws({ aud: "a", exp: -1 })];
    expect(found.map(({ claim, description }) => `${claim} ${description}`)).toEqual([
      ...["iss is missing", `iss ${name}`, `sub ${name}`, `exp ${time}`],
    ]);
  });
});

describe("a claim about a person", () => {
  const texts = { email: "a@b.example", name: "Ada", preferred_username: "ada", oid: "1" };

  test("is kept if it is a text, and otherwise left out", () => {
    expect(readClaims({ ...valid, ...texts })).toEqual({ ...valid, ...texts });
    for (const claim of Object.keys(texts)) {
      expect(readClaims({ ...valid, [claim]: 5 })).toEqual(valid);
      expect(readProfile({ [claim]: {} })).toEqual({});
    }
  });

  test.each([
    [true, true],
    ["true", true],
    [false, false],
    ["false", false],
    [1, false],
    [["true"], false],
  ])("about a verified address: %j means %j", (value, meant) => {
    expect(readClaims({ ...valid, email_verified: value }).email_verified).toBe(meant);
  });

  test("of UserInfo is refused if it is not valid Unicode", () => {
    expect(() => readProfile({ name: "\ud800" })).toThrow("claim name is not valid");
  });
});

describe("our own token", () => {
  test("is read with everything that we issue", () => {
    const claims = {
      ...valid,
      ...{ scopes: ["a"], groups: ["g"], capabilities: [1], idp: "p" },
      ...{ act: { iss: "i", aud: ["a", "b"] }, access: [{ name: "r", actions: ["pull"] }] },
      chain: [{ sub: "s", at: 1, born: 2, idp: "p", iss: "i", aud: "a" }, { sub: "s" }],
    };
    expect(readOwnClaims(claims)).toEqual(claims);
  });

  test.each<[string, unknown]>([
    ...["scopes", "groups"].flatMap((claim): [string, unknown][] => [
      [claim, "a"],
      [claim, ["a", 1]],
    ]),
    ["capabilities", 1],
    ["capabilities", [1, 1.5]],
    ["idp", 1],
    ...["a", null, ["a"], { sub: 1 }, { sub: "s", aud: [1] }].map((value): [string, unknown] => [
      "act",
      value,
    ]),
    ["chain", {}],
    ...["at", "born"].map((name): [string, unknown] => ["chain", [{ sub: "s", [name]: "1" }]]),
    ...["sub", "idp", "iss", "aud"].map((name): [string, unknown] => [
      "chain",
      [{ sub: "s" }, { sub: "s", [name]: 1 }],
    ]),
    ["chain", [{}]],
    ["access", {}],
    ["access", [null]],
    ["access", [{ name: 1, actions: [] }]],
    ["access", [{ name: "r", actions: "pull" }]],
    ["access", [{ name: "r", actions: [] }, { name: "r" }]],
  ])("is refused with %s %j, which we never issue", (claim, value) => {
    expect(() => readOwnClaims({ ...valid, [claim]: value })).toThrow(
      `the token's claim ${claim} is not valid`,
    );
  });
});

describe("a token", () => {
  const part = (json: unknown) => Buffer.from(JSON.stringify(json)).toString("base64url");
  const token = (header: object, claims: unknown = valid) => `${part(header)}.${part(claims)}.AA`;

  test("is decoded with its algorithm, and its type in lowercase", () => {
    const read = (header: object) => decodeToken(token(header));
    expect(read({ alg: "ES256", typ: "AT+JWT" })).toEqual({
      ...{ algorithm: "ES256", type: "at+jwt", claims: valid },
    });
    expect(read({})).toEqual({ algorithm: "", type: "jwt", claims: valid });
  });

  test.each(["alg", "typ", "kid"])("is refused if %s in its header is not a text", (name) => {
    for (const value of [1, ["ES256"], null, `${long}a`]) {
      expect(() => decodeToken(token({ alg: "ES256", [name]: value }))).toThrow(
        `${name} must be a string of at most 2048 characters`,
      );
    }
    expect(decodeToken(token({ [name]: long })).claims).toEqual(valid);
  });

  test("is refused if it is longer than 65536 characters, and if it is not a JWT", () => {
    const text = token({});
    const padded = (length: number) => text + "A".repeat(length - text.length);
    expect(decodeToken(padded(65536)).claims).toEqual(valid);
    expect(() => decodeToken(padded(65537))).toThrow("the token is longer than 65536 characters");
    for (const bad of ["a.b.c", "a", token({}, null), token({}, [])]) {
      expect(() => decodeToken(bad)).toThrow("the token is not a JWT");
    }
  });

  test("is refused if its claims are not valid", () => {
    expect(() => decodeToken(token({}, { ...valid, aud: 1 }))).toThrow("claim aud is not valid");
  });
});
