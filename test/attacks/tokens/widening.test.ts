/** An exchange, a refresh or a login never gives more access than its source has. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Capability } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { exchange, exchangeForToken, newIdentityWithMatchers } from "../../issuer/exchange_call.ts";
import { logInWithIdToken, serveTokens, tokensOf } from "../../issuer/login/logins.ts";
import { newOrganization, type Organization, randomName } from "../../world/personas.ts";
import { audience, callRest, issuer as platform, tokenFor } from "../../world/platform.ts";
import { type EscalationWorld, newEscalationWorld } from "../escalation_world.ts";

let w: EscalationWorld;
beforeAll(async () => {
  w = await newEscalationWorld();
});
afterAll(() => w.issuer.close());

const scoped = (claims: { scopes?: string[]; capabilities?: number[] }) =>
  tokenFor(w.organization.owner.uid, claims);
const group = () => w.group;
const refused = 403;

const scopes = () => ({ scopes: [group()] });
const capabilities = () => ({ capabilities: [Capability.CAP_REPO_LIST] });

/**
 * The restriction of a token, the parameters of its exchange, and the response: an error, or the remaining
 * restriction.
 */
const exchanges: [
  string,
  () => Parameters<typeof scoped>[0],
  () => Record<string, string | string[]>,
  (() => object) | number,
][] = [
  ["no scope named", scopes, () => ({}), scopes],
  ["the scope above", scopes, () => ({ scopes: w.root }), scopes],
  ["the scope above as `scope`", scopes, () => ({ scope: w.root }), scopes],
  ["the scope and the one above", scopes, () => ({ scopes: [group(), w.root] }), scopes],
  ["another group", scopes, () => ({ scopes: w.fixtures.group }), refused],
  ["no scopes at all in the token", () => ({ scopes: [] }), () => ({ scopes: w.root }), refused],
  ["no capability named", capabilities, () => ({}), capabilities],
  ["a capability more", capabilities, () => ({ cap: ["repo.list", "repo.delete"] }), capabilities],
  ["another capability", capabilities, () => ({ cap: "repo.delete" }), refused],
  [
    "no capabilities at all in the token",
    () => ({ capabilities: [] }),
    () => ({ cap: "repo.list" }),
    refused,
  ],
  [
    "an identity that names the bearer, whose scopes stay",
    scopes,
    () => ({ identity: friend }),
    () => ({ ...scopes(), sub: friend }),
  ],
  [
    "such an identity, with more capabilities",
    capabilities,
    () => ({ identity: friend, cap: ["repo.list", "repo.delete"] }),
    capabilities,
  ],
];
let friend = "";

describe("an exchange never adds access:", () => {
  beforeAll(async () => {
    const claimMatch = { issuer: platform, subject: w.organization.owner.uid };
    friend = await newIdentityWithMatchers(w.organization, { claimMatch }, "owner");
  });
  test.each(exchanges)("%s", async (_, restriction, parameters, outcome) => {
    const token = await scoped(restriction());
    if (typeof outcome === "number") {
      expect((await exchange(token, parameters())).status).toBe(outcome);
    } else expect((await exchangeForToken(token, parameters())).claims).toMatchObject(outcome());
  });
});

describe("a login reaches the organization of its provider, however it is refreshed or exchanged:", () => {
  const widen: [string, () => Record<string, string>][] = [
    ["by another organization's uid", () => ({ scopes: elsewhere.uid })],
    ["by another organization's group", () => ({ scopes: `${elsewhere.uid}/${"0".repeat(16)}` })],
  ];
  let elsewhere: Organization;
  beforeAll(async () => {
    elsewhere = await newOrganization();
  });
  const login = async (more: object = {}, query: Record<string, string> = {}) =>
    logInWithIdToken(
      w.issuer,
      serveTokens(w.issuer),
      w.idp,
      { sub: randomName("ada"), ...more },
      query,
    );

  test.each(widen)("%s", async (_, parameters) => {
    const { token, refreshToken = "" } = tokensOf(
      await login({}, { create_refresh_token: "true" }),
    );
    expect((await exchange(token, parameters())).status).toBe(403);
    const query = new URLSearchParams({ aud: audience, ...parameters() });
    const path = `/sts/exchange_refresh_token?${query}`;
    expect((await callRest(path, { method: "POST", token: refreshToken })).status).toBe(403);
    const idToken = await w.issuer.sign({ aud: "public", sub: randomName("ada") });
    const asked = { identity_provider: w.idp, ...parameters() };
    expect((await exchange(idToken, asked)).status).toBe(403);
    const direct = await login({}, { scope: parameters().scopes ?? "" });
    expect(direct.location.searchParams.has("token")).toBe(false);
  });

  test("a login gives nothing for groups that the person claims and no mapping names", async () => {
    const { token } = tokensOf(await login({ groups: ["root", "owners", w.ownerRole] }));
    expect(
      (await callRest(`/iam/v2/identities/${w.root}`, { token, body: { name: "x" } })).status,
    ).toBe(403);
  });
});
