/** Tokens of other issuers that are forged or meant for someone else (RFC 8725). */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exchange, newIdentityWithMatchers } from "../../issuer/exchange_call.ts";
import { audience, callRest, issuer as platform } from "../../world/platform.ts";
import { type ForeignWorld, newForeignWorld, unreachableIssuer } from "./foreign_world.ts";
import { ecdsa, foreignKeys, forged, hmac, own } from "./forge.ts";

let w: ForeignWorld;
beforeAll(async () => {
  w = await newForeignWorld();
});
afterAll(() => w.close());

const read = (token: string) => callRest(`/iam/v2/groups/${w.here.uid}`, { token });

/** A token of the honest issuer, with a header and claims that override. */
const now = Math.floor(Date.now() / 1000);
const said = (more: object = {}) => ({
  ...{ iss: w.honest.url, sub: "robot", aud: audience, iat: now, exp: now + 600 },
  ...more,
});
const head = { alg: "ES256", kid: "first" };
const strange = ecdsa(foreignKeys.p256.privateKey);
const publicJwk = () => JSON.stringify(w.honest.keys[0]?.jwk);

const asRobot = () => ({ identity: w.robot });
const asDevice = () => ({ identity: w.device });

test("the tokens without these changes are accepted", async () => {
  expect((await read(await w.honest.sign())).status).toBe(200);
  expect((await exchange(await w.honest.sign(), asRobot())).status).toBe(200);
  const claims = { iss: unreachableIssuer, sub: "device" };
  expect((await exchange(await w.honest.sign(claims, w.deviceKey), asDevice())).status).toBe(200);
  const person = await w.honest.sign({ aud: "public", sub: "ada" });
  expect((await exchange(person, { identity_provider: w.provider })).status).toBe(200);
});

describe("neither the API nor an exchange accepts one", () => {
  test.each(
    Object.entries<() => string | Promise<string>>({
      "of another key under the issuer's id": () => forged(head, said(), strange),
      "of a key of its own header": () =>
        forged(
          { ...head, jwk: foreignKeys.p256.publicKey.export({ format: "jwk" }) },
          said(),
          strange,
        ),
      "with an address of keys (jku)": () =>
        forged({ ...head, kid: "k", jku: `${w.evil.url}/keys` }, said(), strange),
      "signed by another issuer in the name of this one": () =>
        w.evil.sign({ iss: w.honest.url, aud: audience }),
      "signed by the platform in its name": () =>
        forged({ ...head, kid: own.kid }, said(), ecdsa(own.key)),
      "signed in the platform's name": () =>
        w.honest.sign({ iss: platform, sub: w.here.owner.uid }),
      "HS256 with the issuer's public key": () =>
        forged({ ...head, alg: "HS256" }, said(), hmac(publicJwk())),
      unsigned: () => forged({ alg: "none" }, said(), () => Buffer.alloc(0)),
      "with a slash behind the issuer": () => w.honest.sign({ iss: `${w.honest.url}/` }),
      "with the issuer in capitals": () => w.honest.sign({ iss: w.honest.url.toUpperCase() }),
      "of the issuer by another name of its host": () =>
        w.honest.sign({ iss: w.honest.url.replace("localhost", "127.0.0.1") }),
      "of another subject": () => w.honest.sign({ sub: "robot2" }),
      "of the subject in capitals": () => w.honest.sign({ sub: "ROBOT" }),
      "of the subject with a space": () => w.honest.sign({ sub: "robot " }),
      "of the subject with a NUL": () => w.honest.sign({ sub: "robot\0" }),
      "of the subject in another normal form": () => w.honest.sign({ sub: "ro\u0301bot" }),
      "with a wildcard as subject": () => w.honest.sign({ sub: "%" }),
      "of no subject": () => w.honest.sign({ sub: undefined }),
      "for the issuer itself": () => w.honest.sign({ aud: w.honest.url }),
      "without an audience": () => w.honest.sign({ aud: undefined }),
      "that never expires": () => w.honest.sign({ exp: undefined }),
      "that is expired": () => w.honest.sign({ exp: now - 60 }),
      "that is not valid yet": () => w.honest.sign({ nbf: now + 600 }),
      "of an issuer that is an address within": () =>
        w.evil.sign({ iss: "http://169.254.169.254" }),
      "of an issuer that is a file": () => w.evil.sign({ iss: "file:///etc/passwd" }),
      "of an issuer that is a script": () => w.evil.sign({ iss: "javascript:0" }),
    }),
  )("%s", async (_, make) => {
    const token = await make();
    const { status, body } = await read(token);
    expect([status, body.details[0].reason]).toEqual([401, "UNAUTHENTICATED"]);
    expect((await exchange(token)).status).toBe(403);
    expect((await exchange(token, asRobot())).status).toBe(403);
  });
});

/**
 * Subjects that are not text (RFC 7519 section 4.1.2). D1 accepts no list as a parameter, and reads a number
 * as text.
 */
const odd: [string, unknown][] = [
  ["a list", ["robot"]],
  ["an object", { a: 1 }],
  ["a number", 1],
  ["true", true],
  ["null", null],
];

describe("a subject that is not text is rejected, and nothing fails:", () => {
  beforeAll(() =>
    newIdentityWithMatchers(
      w.here,
      { claimMatch: { issuer: w.honest.url, subject: "1.0" } },
      "viewer",
    ),
  );
  for (const [name, sub] of odd) {
    test(name, async () => {
      for (const token of [await w.honest.sign({ sub }), forged(head, said({ sub }), strange)]) {
        expect((await read(token)).status).toBe(401);
        expect((await exchange(token)).status).toBe(403);
        expect((await exchange(token, asRobot())).status).toBe(403);
        expect((await exchange(token, { identity_provider: w.provider })).status).toBe(403);
      }
    });
  }
});
