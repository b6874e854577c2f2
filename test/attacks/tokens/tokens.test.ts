/**
 * Forged tokens at every call that reads one (RFC 8725). Each differs in one thing from a token that works
 * everywhere, so that this thing is the reason for the refusal.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { newImage, newVerified } from "../../distribution/stored_images.ts";
import { newClient } from "../../iam/scim/client.ts";
import { newIdentityWithMatchers } from "../../issuer/exchange_call.ts";
import { newOrganization, randomUid } from "../../world/personas.ts";
import {
  accessTokenEntryPoints,
  otherTokenEntryPoints,
  type TokenEntryPoint,
} from "./entry_points.ts";
import {
  ecdsa,
  type Forgery,
  forgerOf,
  now,
  own,
  type TokenForger,
  type TokenSigner,
} from "./forge.ts";
import { claims } from "./forged_claims.ts";
import { algorithms, headers, shapes, signatures } from "./forged_signatures.ts";

let by: TokenForger;
let open: Record<string, TokenEntryPoint>;
let closedEntryPoints: Record<string, TokenEntryPoint>;
beforeAll(async () => {
  const organization = await newVerified();
  await newImage(organization);
  by = forgerOf(organization.owner.uid);
  open = accessTokenEntryPoints(organization.uid);
  const { idp } = await newClient();
  const claimMatch = { issuer: "https://token.actions.githubusercontent.com", subject: "robot" };
  const robot = await newIdentityWithMatchers(organization, { claimMatch });
  closedEntryPoints = otherTokenEntryPoints(idp, robot);
});

async function expectOpen(token: string) {
  for (const [name, { ask }] of Object.entries(open)) {
    const { status, text } = await ask(token);
    expect(status, `${name}: ${text}`).toBe(200);
  }
}

test("the token without a forgery works at every entry point for access tokens", () =>
  expectOpen(by.signed(by.claims)));

const tables: Record<string, Forgery[]> = { algorithms, signatures, headers, shapes, claims };

describe.each(Object.entries(tables))(
  "a token with wrong %s is rejected at every entry point",
  (_, forgeries) => {
    test.each(forgeries)("%s", async (_, make, says) => {
      const token = await make(by);
      const all = Object.entries({ ...open, ...closedEntryPoints });
      const answers = await Promise.all(all.map(([, { ask }]) => ask(token)));
      for (const [at, [name, { refuses }]] of all.entries()) {
        const { status, text } = answers[at] ?? { status: 0, text: "" };
        expect(refuses, `${name}: ${status} ${text}`).toContain(status);
        if (name in open) expect(text, name).toMatch(says);
      }
    });
  },
);

const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const turned: TokenSigner = (input) => {
  const signature = ecdsa(own.key)(input);
  const s = order - BigInt(`0x${signature.subarray(32).toString("hex")}`);
  const end = Buffer.from(s.toString(16).padStart(64, "0"), "hex");
  return Buffer.concat([signature.subarray(0, 32), end]);
};

describe("is not a forgery, and works at every entry point for access tokens:", () => {
  test.each<[string, () => string]>([
    // In RFC 7519 section 4.1.6 it only gives the age. nbf and exp decide.
    ["a time of issue in the future", () => by.saying({ iat: now + 86_400 })],
    // ECDSA is malleable, and nothing here takes a token's text for its name.
    ["a signature with its second number turned around", () => by.under({}, turned)],
    [
      "two subjects, the last the owner's",
      () => by.signed(by.twice("sub", randomUid(), by.identity)),
    ],
    [
      "a claim named by an escape",
      () => by.signed(JSON.stringify(by.claims).replace('"sub"', '"\\u0073ub"')),
    ],
    ["a payload behind a byte order mark", () => by.signed(`\ufeff${JSON.stringify(by.claims)}`)],
  ])("%s", (_, make) => expectOpen(make()));
});

/**
 * The status at an entry point. It is 431 if the server closes the connection because of too many header
 * bytes.
 */
const statusOf = ({ ask }: TokenEntryPoint, token: string) =>
  ask(token).then(
    ({ status }) => status,
    () => 431,
  );

test("a forged token of 100 KB is rejected, and nothing fails", async () => {
  const token = by.saying({ sub: randomUid(), filler: "x".repeat(100_000) });
  for (const entryPoint of [...Object.values(open), ...Object.values(closedEntryPoints)]) {
    expect([400, 401, 403, 413, 431]).toContain(await statusOf(entryPoint, token));
  }
});

test("the valid token gives no access to another organization", async () => {
  const other = await newOrganization();
  const token = by.signed(by.claims);
  const { REST, Connect, ...registry } = accessTokenEntryPoints(other.uid);
  for (const entryPoint of [REST, Connect, registry["registry token"], registry["tag history"]]) {
    expect((await entryPoint?.ask(token))?.status).toBe(403);
  }
});
