/** Discovery and keys of an issuer that misbehaves or changes, with the time as an input. */

import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { verifyForeign } from "../../src/auth/token.ts";
import { long } from "../world/tiers.ts";
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
  verifyForeign(
    { config: development, issuer: issuer.url },
    token ?? (await issuer.sign("subject")),
    Date.now(),
  );
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

describe("a signature that matches no cached key", () => {
  const round = [discoveryPath, keysPath];

  test("causes a fetch of the keys, and is valid if it matches one of them", async () => {
    await verify();
    await issuer.rotate();
    await verify();
    expect(issuer.log).toEqual([...round, ...round]);
  });

  test("causes a fetch even if the new key has the id of the old one", async () => {
    await issuer.rotate("same");
    await verify();
    await issuer.rotate("same");
    await verify();
    expect(issuer.log).toEqual([...round, ...round]);
  });

  test("causes a fetch even if no key has an id", async () => {
    await issuer.rotate("");
    await verify();
    await issuer.rotate("");
    await verify();
    expect(issuer.log).toEqual([...round, ...round]);
  });

  test("finds keys at a new address of the issuer", async () => {
    await verify();
    await issuer.rotate();
    const moved = { issuer: issuer.url, jwks_uri: `${issuer.url}/moved` };
    issuer.answer(discoveryPath, (response) => response.end(JSON.stringify(moved)));
    issuer.answer("/moved", (response) => issuer.publish(response));
    await verify();
    expect(issuer.log).toEqual([...round, discoveryPath, "/moved"]);
  });

  test("causes one fetch in thirty seconds, for any number of forged tokens", async () => {
    await verify();
    const forged = await startIssuer();
    const kids = [undefined, "forged-1", "forged-2", issuer.kid()];
    for (let renewal = 1; renewal <= 3; renewal += 1) {
      const tokens = await Promise.all(
        kids.flatMap((kid) => [1, 2, 3].map(() => forged.sign("s", { iss: issuer.url }, kid))),
      );
      const answers = await Promise.all(tokens.map((token) => refusal(verify(token))));
      for (const { code } of answers) expect(Code[code]).toBe("Unauthenticated");
      expect(issuer.log).toHaveLength(2 + 2 * renewal);
      later(29_000);
      await refusal(verify(tokens[0]));
      expect(issuer.log).toHaveLength(2 + 2 * renewal);
      later(1_000);
    }
    await forged.close();
  });

  test("causes one fetch for several tokens that arrive together, and all of them are valid", async () => {
    await verify();
    await issuer.rotate();
    const claims = await Promise.all(Array.from({ length: 10 }, () => verify()));
    expect(claims.map(({ sub }) => sub)).toEqual(Array(10).fill("subject"));
    expect(issuer.log).toEqual([...round, ...round]);
  });

  test("causes no fetch if no identity names the issuer and subject", async () => {
    await verify();
    await issuer.rotate();
    const unnamed = verifyForeign(
      { config: development, issuer: issuer.url, isNamed: async () => false },
      await issuer.sign("stranger"),
      Date.now(),
    );
    expect((await refusal(unnamed)).rawMessage).toContain("unknown key");
    expect(issuer.log).toEqual(round);
    await verify();
    expect(issuer.log).toEqual([...round, ...round]);
  });

  test("does not delay a call whose signature matches a cached key", async () => {
    await verify();
    const forged = await startIssuer();
    let late: (() => void) | undefined;
    issuer.answer(keysPath, (response) => {
      late = () => issuer.publish(response);
    });
    const waiting = refusal(verify(await forged.sign("s", { iss: issuer.url })));
    await vi.waitUntil(() => late);
    await verify();
    late?.();
    expect(Code[(await waiting).code]).toBe("Unauthenticated");
    await forged.close();
  });

  test("leaves the cached keys valid if no new keys are available", async () => {
    await verify();
    const good = await issuer.sign("subject");
    await issuer.rotate();
    issuer.answer(keysPath, (response) => response.writeHead(500).end());
    expect(Code[(await refusal(verify())).code]).toBe("Unavailable");
    expect(Code[(await refusal(verify())).code]).toBe("Unauthenticated");
    await verify(good);
    expect(issuer.log).toEqual([...round, ...round]);
  });

  test("causes no fetch if the claims are wrong", async () => {
    await verify();
    await refusal(verify(await issuer.sign("subject", { exp: 1 })));
    expect(issuer.log).toEqual(round);
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
    ["whose discovery document is larger than 64 KiB", discoveryPath, large, 200],
    ["whose discovery document is not JSON", discoveryPath, "<html>", 200],
    ["whose discovery document is missing", discoveryPath, "", 404],
    ["whose discovery redirects", discoveryPath, "", 302],
    ["whose keys are larger than 64 KiB", keysPath, `{"keys":[],"x":"${large}"}`, 200],
    ["whose keys are missing", keysPath, "", 500],
  ])("%s", async (_, path, body, status) => {
    issuer.answer(path, (response) => {
      response.writeHead(status, { location: "http://127.0.0.1:1/" }).end(body);
    });
    const { code, rawMessage } = await refusal(verify());
    expect(Code[code]).toBe("Unavailable");
    expect(rawMessage).toMatch(/must return a JSON object of at most 64 KiB with status 200/);
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

  test("that does not respond for five seconds", { ...long, timeout: 15_000 }, async () => {
    issuer.answer(discoveryPath, () => {});
    expect(Code[(await refusal(verify())).code]).toBe("Unavailable");
  });

  test("only as long as it fails", async () => {
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

describe("a token is UNAUTHENTICATED if its issuer", () => {
  test.each([
    ["calls itself another", { issuer: "https://other.example" }, /names another issuer/],
    ["names no keys", { jwks_uri: undefined }, /has no jwks_uri/],
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
