import { base64url, decodeJwt, type JWTPayload, SignJWT } from "jose";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { openPageToken, signPageToken } from "../../src/paging/page_token.ts";
import { createResource, newOrganization, type Organization } from "../world/personas.ts";
import { callRest } from "../world/platform.ts";

const path = "/registry/v2/repos";
let organization: Organization;
let genuine: string;

const [key = ""] = JSON.parse(inject("pageTokenKeys")) as string[];

const list = (query: Record<string, string>, at = path) =>
  callRest(`${at}?${new URLSearchParams({ page_size: "2", order_by: "name", ...query })}`, {
    token: organization.owner.token,
  });

const names = (answer: { body: { repos: { name: string }[] } }) =>
  answer.body.repos.map((repo) => repo.name);

const sign = (payload: JWTPayload, secret: string, alg = "HS256") =>
  new SignJWT(payload).setProtectedHeader({ alg }).sign(base64url.decode(secret));

beforeAll(async () => {
  organization = await newOrganization();
  for (const name of ["a", "b", "c", "d", "e"]) {
    await createResource(`${path}/${organization.uid}`, organization.owner.token, { name });
  }
  genuine = (await list({})).body.nextPageToken;
});

const expectRefused = (answer: Awaited<ReturnType<typeof list>>) => {
  expect([answer.status, answer.body.code]).toEqual([400, 3]);
  expect(answer.body.details[0].reason).toBe("INVALID_ARGUMENT");
  expect(answer.body.details[1].fieldViolations[0].field).toBe("page_token");
  expect(answer.headers.get("page-token-expired")).toBeNull();
};

describe("a genuine token", () => {
  test("continues where the page ended, whatever the size of the next page", async () => {
    expect(names(await list({ page_token: genuine }))).toEqual(["c", "d"]);
    const rest = await list({ pageToken: genuine, page_size: "200" });
    expect(names(rest)).toEqual(["c", "d", "e"]);
    expect(rest.body.nextPageToken).toBeUndefined();
    expect(rest.headers.get("page-token-expired")).toBeNull();
  });

  test("works for other spellings of the same query", async () => {
    for (const order_by of ["name asc", " name  ASC "]) {
      expect(names(await list({ page_token: genuine, order_by }))).toEqual(["c", "d"]);
    }
  });

  test("a page token is accepted for three days", () => {
    const { iat = 0, exp = 0 } = decodeJwt(genuine);
    expect(exp - iat).toBe(3 * 24 * 3600);
  });
});

describe("a token is rejected", () => {
  test.each([
    ["another order", { order_by: "name desc" }],
    ["another order field", { order_by: "uid" }],
    ["a name filter", { name: "a" }],
    ["a scope", { "uidp.descendants_of": "@" }],
    ["another scope", { "uidp.children_of": "@" }],
  ] as [string, Record<string, string>][])(
    "a page token is rejected with %s",
    async (_, change) => {
      const query = Object.fromEntries(
        Object.entries(change).map(([name, value]) => [
          name,
          value === "@" ? organization.uid : value,
        ]),
      );
      expectRefused(await list({ page_token: genuine, ...query }));
    },
  );

  test("a page token is rejected by another RPC", async () => {
    expectRefused(await list({ page_token: genuine }, "/iam/v2/groups"));
    expectRefused(await list({ page_token: genuine }, "/iam/v2/identities"));
  });

  test.each(["x", "a.b.c", "e30.e30.", "null", "é", "\u0000", "x".repeat(4096)])(
    "if it is not a token: %j",
    async (page_token) => {
      expectRefused(await list({ page_token }));
    },
  );

  test("if it is longer than any token", async () => {
    expectRefused(await list({ page_token: "x".repeat(4097) }));
  });

  test("if it is signed with another key, another algorithm or none", async () => {
    const payload = decodeJwt(genuine);
    const [, body, signature] = genuine.split(".");
    const none = `${base64url.encode('{"alg":"none"}')}.${body}.`;
    const longer = base64url.encode(new Uint8Array(64).fill(7));
    for (const page_token of [
      await sign(payload, base64url.encode(new Uint8Array(32))),
      await sign(payload, longer, "HS512"),
      none,
      `${base64url.encode('{"alg":"HS384"}')}.${body}.${signature}`,
      `${genuine.slice(0, -4)}AAAA`,
    ]) {
      expectRefused(await list({ page_token }));
    }
  });

  test("if it is expired and from another query", async () => {
    const past = Math.floor(Date.now() / 1000) - 4 * 24 * 3600;
    const payload = { ...decodeJwt(genuine), iat: past, exp: past + 3 * 24 * 3600 };
    const page_token = await sign(payload, key);
    expectRefused(await list({ page_token, order_by: "name desc" }));
  });
});

describe("an expired token", () => {
  const expired = async (age: number) => {
    const iat = Math.floor(Date.now() / 1000) - age;
    return sign({ ...decodeJwt(genuine), iat, exp: iat + 3 * 24 * 3600 }, key);
  };

  test("restarts the query without an error and reports it in a header", async () => {
    const answer = await list({ page_token: await expired(3 * 24 * 3600 + 1), skip: "1" });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("page-token-expired")).toBe("true");
    expect(names(answer)).toEqual(["b", "c"]);
    expect([answer.body.skipped, answer.body.totalCount]).toEqual([1, "5"]);
    const next = await list({ page_token: answer.body.nextPageToken });
    expect(names(next)).toEqual(["d", "e"]);
    expect(next.headers.get("page-token-expired")).toBeNull();
  });

  test("is not expired one minute before its three days are over", async () => {
    const answer = await list({ page_token: await expired(3 * 24 * 3600 - 60) });
    expect(answer.headers.get("page-token-expired")).toBeNull();
    expect(names(answer)).toEqual(["c", "d"]);
  });

  test("is expired after three days, whatever expiry it contains", async () => {
    const iat = Math.floor(Date.now() / 1000) - 4 * 24 * 3600;
    const page_token = await sign({ ...decodeJwt(genuine), iat, exp: iat + 1e7 }, key);
    expect((await list({ page_token })).headers.get("page-token-expired")).toBe("true");
  });
});

describe("rotation", () => {
  const keys = [1, 2, 3].map((byte) => base64url.encode(new Uint8Array(32).fill(byte)));
  const [one = "", two = "", three = ""] = keys;
  const cursor = { after: ["n", "u"] as [string, string], skipped: 1, total: 2 };
  const now = Date.UTC(2026, 0, 1);

  test("the first key signs, and every key verifies", async () => {
    const token = await signPageToken(cursor, "query", [one, two], now);
    expect(await openPageToken(token, "query", [one], now)).toEqual(cursor);
    expect(await openPageToken(token, "query", [two, one], now)).toEqual(cursor);
    await expect(openPageToken(token, "query", [two, three], now)).rejects.toThrow(/page_token/);
  });

  test("a token of the older key expires and is bound to its query like any other", async () => {
    const token = await signPageToken(cursor, "query", [two], now);
    const late = now + 3 * 24 * 3600 * 1000 + 1000;
    expect(await openPageToken(token, "query", [one, two], late)).toBe("expired");
    await expect(openPageToken(token, "other", [one, two], now)).rejects.toThrow(
      /a response to you/,
    );
    await expect(openPageToken(token, "other", [one, two], late)).rejects.toThrow(
      /a response to you/,
    );
  });
});
