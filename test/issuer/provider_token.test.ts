/** ID tokens of an organization's identity provider, exchanged without a browser. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { personUid } from "../../src/auth/person.ts";
import { newOrganization, type Organization, randomName } from "../world/personas.ts";
import { sql } from "../world/platform.ts";
import { exchange, exchangeForToken } from "./exchange_call.ts";
import { type ForeignIssuer, startIssuer } from "./foreign_issuer.ts";
import {
  logInWithIdToken,
  newProvider,
  newScimUser,
  type ProviderColumns,
  serveTokens,
  tokensOf,
} from "./login/logins.ts";

let issuer: ForeignIssuer;
let organization: Organization;
let subject = "";

beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.close());
beforeEach(async () => {
  organization = await newOrganization();
  subject = randomName("ada");
});

const provider = (columns: Partial<ProviderColumns> = {}) =>
  newProvider(organization.uid, { issuer: issuer.url, ...columns });

describe("identity_provider accepts an ID token without a browser", () => {
  test("as a login of that person, for as long as the ID token is valid", async () => {
    const idp = await provider();
    const token = await issuer.sign({ aud: "public", sub: subject, email: "ada@people.example" });
    const { claims } = await exchangeForToken(token, { identity_provider: idp });
    expect(claims).toMatchObject({
      sub: await personUid(issuer.url, subject),
      act: { iss: issuer.url, sub: subject, aud: "public" },
      email_verified: false,
      idp,
      scopes: [organization.uid],
    });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBeLessThanOrEqual(600);
    expect(await sql("select * from sign_ins where identity_provider_uid = ?", idp)).toHaveLength(
      1,
    );
  });

  test("and only if this provider issued it to our client", async () => {
    const idp = await provider();
    const good = { aud: "public", sub: subject };
    const other = await startIssuer();
    const bad: [string, Promise<string>][] = [
      ["another client's", issuer.sign({ ...good, aud: "other" })],
      ["several clients'", issuer.sign({ ...good, aud: ["public", "other"] })],
      ["handed to another client", issuer.sign({ ...good, azp: "other" })],
      ["an access token", issuer.sign(good, undefined, { typ: "at+jwt" })],
      ["a logout token", issuer.sign({ ...good, events: {} })],
      ["an expired one", issuer.sign({ ...good, exp: 1_000_000_000 })],
      ["another issuer's", other.sign(good)],
      ["another issuer's in its name", other.sign({ ...good, iss: issuer.url })],
      ["one of our issuer", Promise.resolve(organization.owner.token)],
    ];
    for (const [what, token] of bad) {
      const { status } = await exchange(await token, { identity_provider: idp });
      expect([what, status]).toEqual([what, 403]);
    }
    const named = { identity_provider: idp, identity: organization.owner.uid };
    expect((await exchange(await issuer.sign(good), named)).status).toBe(400);
    const unknown = `${organization.uid}/${"0".repeat(16)}`;
    const nowhere = await exchange(await issuer.sign(good), { identity_provider: unknown });
    expect(nowhere.status).toBe(403);
    expect(await sql("select * from sign_ins where identity_provider_uid = ?", idp)).toEqual([]);
    other.close();
  });

  test("and not from a deactivated user", async () => {
    const idp = await provider({ scim_enabled: 1 });
    await newScimUser(idp, subject, false);
    const token = await issuer.sign({ aud: "public", sub: subject });
    expect((await exchange(token, { identity_provider: idp })).status).toBe(403);
  });
});

test("a person who logged in through a provider cannot be reached by a token without identity_provider", async () => {
  const idp = await provider();
  const answers = serveTokens(issuer);
  const { claims } = tokensOf(await logInWithIdToken(issuer, answers, idp, { sub: subject }));
  const bare = await issuer.sign({ sub: subject });
  expect((await exchange(bare)).status).toBe(403);
  const named = await exchange(bare, { identity: claims.sub ?? "" });
  expect([named.status, named.body.message]).toEqual([
    403,
    expect.stringContaining("identity_provider"),
  ]);
});
