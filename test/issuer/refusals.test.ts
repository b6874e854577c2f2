import { afterAll, beforeAll, expect, test } from "vitest";
import { newOrganization, type Organization, randomUid } from "../world/personas.ts";
import { audience, callRest, issuer as platform } from "../world/platform.ts";
import { exchange, exchangeForToken, newIdentityWithMatchers } from "./exchange_call.ts";
import { type ForeignIssuer, startIssuer } from "./foreign_issuer.ts";

let organization: Organization;
let issuer: ForeignIssuer;
let identity: string;
beforeAll(async () => {
  organization = await newOrganization();
  issuer = await startIssuer();
  identity = await newIdentityWithMatchers(organization, {
    claimMatch: { issuer: issuer.url, subject: "robot" },
  });
});
afterAll(() => issuer.close());

const seconds = () => Math.floor(Date.now() / 1000);

/** Expects PERMISSION_DENIED with that text. */
async function expectDenied(token: string, text: string | RegExp, as = identity) {
  const { status, body } = await exchange(token, as === "" ? {} : { identity: as });
  expect(body.message).toMatch(text);
  expect([status, body.code]).toEqual([403, 7]);
  expect(body.details[0]).toMatchObject({
    reason: "PERMISSION_DENIED",
    domain: "oidc.platform.example",
  });
}

test("an expired token is rejected in the words that clients search for", async () => {
  await expectDenied(
    await issuer.sign({ exp: seconds() - 100 }),
    /^verifying token: oidc: token is expired \(Token Expiry: \d{4}-/,
  );
});

test.for([audience.replace("localhost", "elsewhere"), "", ["https://a", "b"]])(
  "a token for the audience %j is rejected",
  async (aud) => {
    await expectDenied(await issuer.sign({ aud }), "not for the audience http://localhost:8787");
  },
);

test.for([platform, new URL(platform).host, ["x", platform]])(
  "a token for the audience %j is accepted",
  async (aud) => {
    expect((await exchangeForToken(await issuer.sign({ aud }), { identity })).claims.sub).toBe(
      identity,
    );
  },
);

test("a token of an issuer that the identity does not name is rejected, and nothing is fetched", async () => {
  const stranger = await startIssuer();
  await expectDenied(await stranger.sign(), "does not match an identity");
  expect(stranger.requests).toEqual([]);
  stranger.close();
});

test("an unknown identity and one that the token does not match are rejected with the same bytes", async () => {
  const token = await issuer.sign({ sub: "somebody else" });
  const unknown = randomUid();
  const [one, other] = await Promise.all([
    exchange(token, { identity }),
    exchange(token, { identity: unknown }),
  ]);
  const text = (uid: string, body: unknown) => JSON.stringify(body).replaceAll(uid, "");
  expect(text(unknown, other.body)).toBe(text(identity, one.body));
  expect([one.status, other.status]).toEqual([403, 403]);
});

test("a call without a token, or with another kind of credential, is unauthenticated", async () => {
  const none = await exchange(undefined);
  expect([none.status, none.body.code]).toEqual([401, 16]);
  const basic = await callRest(`/sts/exchange?aud=${audience}`, {
    headers: { authorization: "Basic abc" },
  });
  expect([basic.status, basic.body.code]).toEqual([401, 16]);
  expect(basic.headers.get("www-authenticate")).toContain("Bearer");
});

test("a service of the operator cannot be assumed, and the error has the reason", async () => {
  const service = await newIdentityWithMatchers(organization, {
    servicePrincipal: "SERVICE_PRINCIPAL_COSIGNED",
  });
  const { status, body } = await exchange(await issuer.sign(), { identity: service });
  expect([status, body.code]).toEqual([501, 12]);
  expect(body.message).toContain("belongs to the operator");
});

test("an identity without matchers cannot be assumed by anyone else", async () => {
  await expectDenied(
    await issuer.sign(),
    "does not match",
    await newIdentityWithMatchers(organization, {}),
  );
});

test.for([
  [[], "Audience must be specified"],
  [[""], "aud"],
  [Array.from({ length: 11 }, (_, n) => `https://${n}.example.com`), "at most 10"],
  [["not a host"], "a URL or a host"],
  [[`https://example.com/${"x".repeat(300)}`], "at most 255"],
  [["https://"], "a URL or a host"],
] as const)("the audience %j is rejected by name", async ([aud, text]) => {
  const { status, body } = await exchange(await issuer.sign(), { identity, aud: [...aud] });
  expect([status, body.code]).toEqual([400, 3]);
  expect(body.message).toContain(text);
  expect(JSON.stringify(body.details)).toContain('"field":"aud');
});

test.for([
  ["cap", "repo.lists"],
  ["cap", ""],
  ["scopes", "no such organization"],
  ["scope", "no-such.example"],
  ["identity", "ABC"],
])("%s=%j is rejected by name", async ([name = "", value = ""]) => {
  const { status, body } = await exchange(await issuer.sign(), { identity, [name]: value });
  expect([status, body.code]).toEqual([400, 3]);
  expect(JSON.stringify(body.details)).toContain(`"field":"${name.slice(0, 3)}`);
});
