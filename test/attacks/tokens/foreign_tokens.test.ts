/** Tokens of other issuers that are forged or meant for someone else (RFC 8725). */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exchange, newIdentityWithMatchers } from "../../issuer/exchange_call.ts";
import { audience, callRest, issuer as platform, registryAudience } from "../../world/platform.ts";
import { workloadTokenEntryPoints } from "./entry_points.ts";
import { type ForeignWorld, newForeignWorld, unreachableIssuer } from "./foreign_world.ts";
import { ecdsa, foreignKeys, forged, hmac, own } from "./forge.ts";

let w: ForeignWorld;
beforeAll(async () => {
  w = await newForeignWorld();
});
afterAll(() => w.close());

const read = (token: string) => callRest(`/iam/v2/groups/${w.here.uid}`, { token });

/** The doors for the token of a workload. Each must refuse a forged one. */
const doors = () => workloadTokenEntryPoints(w.here.uid, w.robot);
const doorNames = Object.keys(workloadTokenEntryPoints("", ""));

/** The audiences of every door, so that none of them refuses a token because of its audience. */
const forAll = { aud: [audience, registryAudience] };
const honest = (claims: object = {}) => w.honest.sign({ ...forAll, ...claims });
const evil = (claims: object = {}) => w.evil.sign({ ...forAll, ...claims });

/** A token of the honest issuer, with a header and claims that override. */
const now = Math.floor(Date.now() / 1000);
const said = (more: object = {}) => ({
  ...{ iss: w.honest.url, sub: "robot", ...forAll, iat: now, exp: now + 600 },
  ...more,
});
const head = { alg: "ES256", kid: "first" };
const strange = ecdsa(foreignKeys.p256.privateKey);
const publicJwk = () => JSON.stringify(w.honest.keys[0]?.jwk);

const asRobot = () => ({ identity: w.robot });
const asDevice = () => ({ identity: w.device });

test.each(doorNames)("the tokens without these changes are accepted: %s", async (name) => {
  const { status, text } = (await doors()[name]?.ask(await honest())) ?? { status: 0, text: "" };
  expect(status, text).toBe(200);
});

test("the tokens of a device and of a person are accepted where they belong", async () => {
  const claims = { iss: unreachableIssuer, sub: "device" };
  expect((await exchange(await w.honest.sign(claims, w.deviceKey), asDevice())).status).toBe(200);
  const person = await w.honest.sign({ aud: "public", sub: "ada" });
  expect((await exchange(person, { identity_provider: w.provider })).status).toBe(200);
});

describe("no door accepts one", () => {
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
      "signed by another issuer in the name of this one": () => evil({ iss: w.honest.url }),
      "signed by the platform in its name": () =>
        forged({ ...head, kid: own.kid }, said(), ecdsa(own.key)),
      "signed in the platform's name": () => honest({ iss: platform, sub: w.here.owner.uid }),
      "HS256 with the issuer's public key": () =>
        forged({ ...head, alg: "HS256" }, said(), hmac(publicJwk())),
      unsigned: () => forged({ alg: "none" }, said(), () => Buffer.alloc(0)),
      "with a slash behind the issuer": () => honest({ iss: `${w.honest.url}/` }),
      "with the issuer in capitals": () => honest({ iss: w.honest.url.toUpperCase() }),
      "of the issuer by another name of its host": () =>
        honest({ iss: w.honest.url.replace("localhost", "127.0.0.1") }),
      "of another subject": () => honest({ sub: "robot2" }),
      "of the subject in capitals": () => honest({ sub: "ROBOT" }),
      "of the subject with a space": () => honest({ sub: "robot " }),
      "of the subject with a NUL": () => honest({ sub: "robot\0" }),
      "of the subject in another normal form": () => honest({ sub: "ro\u0301bot" }),
      "with a wildcard as subject": () => honest({ sub: "%" }),
      "of no subject": () => honest({ sub: undefined }),
      "for the issuer itself": () => honest({ aud: w.honest.url }),
      "without an audience": () => honest({ aud: undefined }),
      "that never expires": () => honest({ exp: undefined }),
      "that is expired": () => honest({ exp: now - 60 }),
      "that is not valid yet": () => honest({ nbf: now + 600 }),
      "of an issuer that is an address within": () => evil({ iss: "http://169.254.169.254" }),
      "of an issuer that is a file": () => evil({ iss: "file:///etc/passwd" }),
      "of an issuer that is a script": () => evil({ iss: "javascript:0" }),
    }),
  )("%s", async (_, make) => {
    const token = await make();
    for (const [name, { ask, refuses }] of Object.entries(doors())) {
      const { status, text } = await ask(token);
      expect(refuses, `${name}: ${status} ${text}`).toContain(status);
    }
    const { body } = await read(token);
    expect(body.details[0].reason).toBe("UNAUTHENTICATED");
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
