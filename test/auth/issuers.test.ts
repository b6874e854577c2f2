/** Discovery and keys of an issuer that misbehaves or moves on, with the time as an input. */

import { Code, ConnectError } from "@connectrpc/connect";
import { generateKeyPair, SignJWT } from "jose";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { verifyForeign } from "../../src/auth/token.ts";
import { development } from "./development.ts";
import { discoveryPath, type Issuer, keysPath, startIssuer } from "./oidc_issuer.ts";

let issuer: Issuer;
const start = Date.now();
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: start });
  issuer = await startIssuer();
});
afterEach(async () => {
  vi.useRealTimers();
  await issuer.close();
});

const verify = async (token?: string) =>
  verifyForeign(development, issuer.url, token ?? (await issuer.sign("subject")), Date.now());
const later = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);

async function refusal(of: Promise<unknown>): Promise<ConnectError> {
  try {
    await of;
  } catch (error) {
    if (error instanceof ConnectError) return error;
    throw error;
  }
  throw new Error("it was accepted");
}

describe("a key we have not seen", () => {
  test("is looked for again, at most once a minute", async () => {
    await verify();
    await issuer.rotate();
    const soon = await Promise.all([refusal(verify()), refusal(verify()), refusal(verify())]);
    for (const { code, rawMessage } of soon) {
      expect(code).toBe(Code.Unauthenticated);
      expect(rawMessage).toContain("unknown key");
    }
    expect(issuer.log).toEqual([discoveryPath, keysPath]);
    later(61_000);
    await verify();
    expect(issuer.log).toEqual([discoveryPath, keysPath, keysPath]);
  });

  test("that nobody has does not make us ask more often", async () => {
    await verify();
    const { privateKey } = await generateKeyPair("ES256");
    for (let minute = 0; minute < 3; minute += 1) {
      later(61_000);
      for (let call = 0; call < 5; call += 1) {
        const forged = await new SignJWT({ iss: issuer.url, sub: "s", aud: "a" })
          .setProtectedHeader({ alg: "ES256", kid: `forged-${minute}-${call}` })
          .setExpirationTime("10m")
          .sign(privateKey);
        expect((await refusal(verify(forged))).code).toBe(Code.Unauthenticated);
      }
    }
    expect(issuer.log.filter((path) => path === keysPath)).toHaveLength(4);
  });
});

test("discovery is read again after ten minutes", async () => {
  await verify();
  later(9 * 60_000);
  await verify();
  expect(issuer.log.filter((path) => path === discoveryPath)).toHaveLength(1);
  later(2 * 60_000);
  await verify();
  expect(issuer.log.filter((path) => path === discoveryPath)).toHaveLength(2);
});

describe("an issuer is UNAVAILABLE", () => {
  const large = "x".repeat(65 * 1024);
  test.each([
    ["whose discovery is larger than 64 KiB", discoveryPath, large, 200],
    ["whose discovery is not JSON", discoveryPath, "<html>", 200],
    ["whose discovery is not there", discoveryPath, "", 404],
    ["whose discovery leads elsewhere", discoveryPath, "", 302],
    ["whose keys are larger than 64 KiB", keysPath, `{"keys":[],"x":"${large}"}`, 200],
    ["whose keys are not there", keysPath, "", 500],
  ])("%s", async (_, path, body, status) => {
    issuer.answer(path, (response) => {
      response.writeHead(status, { location: "http://127.0.0.1:1/" }).end(body);
    });
    const { code, rawMessage } = await refusal(verify());
    expect(Code[code]).toBe("Unavailable");
    expect(rawMessage).toMatch(/gives no JSON object of at most 64 KiB with status 200/);
  });

  test("that does not listen", async () => {
    const token = await issuer.sign("subject");
    await issuer.close();
    expect(Code[(await refusal(verify(token))).code]).toBe("Unavailable");
    issuer = await startIssuer();
  });

  test("that streams without an end", async () => {
    issuer.answer(discoveryPath, (response) => {
      const more = () => response.destroyed || response.write("x".repeat(10_000), () => more());
      more();
    });
    expect(Code[(await refusal(verify())).code]).toBe("Unavailable");
  });

  test("that says nothing for five seconds", { timeout: 15_000 }, async () => {
    issuer.answer(discoveryPath, () => {});
    expect(Code[(await refusal(verify())).code]).toBe("Unavailable");
  });

  test("no longer than it misbehaves", async () => {
    let isBroken = true;
    issuer.answer(discoveryPath, (response) => {
      if (isBroken) response.writeHead(503).end();
      else
        response.end(JSON.stringify({ issuer: issuer.url, jwks_uri: `${issuer.url}${keysPath}` }));
    });
    expect((await refusal(verify())).code).toBe(Code.Unavailable);
    isBroken = false;
    await verify();
  });
});

describe("a token is UNAUTHENTICATED whose issuer", () => {
  test.each([
    ["calls itself another", { issuer: "https://other.example" }, /is of another issuer/],
    ["names no keys", { jwks_uri: undefined }, /names no jwks_uri/],
    [
      "names keys over plain http elsewhere",
      { jwks_uri: "http://10.0.0.1/keys" },
      /must be an absolute https URL/,
    ],
    [
      "names keys by another scheme",
      { jwks_uri: "file:///etc/passwd" },
      /must be an absolute https/,
    ],
  ])("%s", async (_, wrong, says) => {
    issuer.answer(discoveryPath, (response) => {
      const right = { issuer: issuer.url, jwks_uri: `${issuer.url}${keysPath}` };
      response.end(JSON.stringify({ ...right, ...wrong }));
    });
    const { code, rawMessage } = await refusal(verify());
    expect(code).toBe(Code.Unauthenticated);
    expect(rawMessage).toMatch(says);
  });
});
