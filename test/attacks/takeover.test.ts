/**
 * Only some callers may change the tokens that an identity accepts, if other identities accept the tokens of that identity.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Capability } from "../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { newContractCaller } from "../contract/fixtures.ts";
import { exchange, exchangeForToken, newIdentityWithMatchers } from "../issuer/exchange_call.ts";
import { type ForeignIssuer, startIssuer } from "../issuer/foreign_issuer.ts";
import {
  bindPerson,
  createResource,
  newOrganization,
  newUser,
  type Organization,
  randomName,
  randomUid,
  roleUid,
} from "../world/personas.ts";
import { callRest, costOf, issuer as ours, sql, tokenFor } from "../world/platform.ts";

let issuer: ForeignIssuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.close());

const matchOf = (subject: string) => ({ claimMatch: { issuer: issuer.url, subject } });
const trusting = (uid: string) => ({ claimMatch: { issuer: ours, subject: uid } });

/** A caller who can change identities of the organization and nothing else. */
const newAgent = ({ uid }: Organization) =>
  newContractCaller(uid, [Capability.CAP_IAM_IDENTITY_UPDATE]);

const repoint = (uid: string, token: string, to: Record<string, unknown> = matchOf("thief")) =>
  callRest(`/iam/v2/identities/${uid}`, { method: "PATCH", token, body: to });

/** Ways in which an identity with a role can be reached from one without any. */
const ways: Record<string, (organization: Organization, weak: string) => Promise<string>> = {
  "accepts its tokens": (organization, weak) =>
    newIdentityWithMatchers(organization, trusting(weak), "owner"),
  "accepts its tokens of one audience with one more claim": (organization, weak) => {
    const match = { ...trusting(weak).claimMatch, audience: ours, claims: { iss: ours } };
    return newIdentityWithMatchers(organization, { claimMatch: match }, "owner");
  },
  "accepts tokens of one that accepts its tokens": async (organization, weak) => {
    const between = await newIdentityWithMatchers(organization, trusting(weak));
    return newIdentityWithMatchers(organization, trusting(between), "owner");
  },
  "is at the end of a ring of six": async (organization, weak) => {
    let last = weak;
    for (let one = 0; one < 5; one += 1)
      last = await newIdentityWithMatchers(organization, trusting(last));
    await sql(
      "update identities set relationship_type = 1, relationship = ? where uid = ?",
      JSON.stringify({ case: "claimMatch", value: trusting(last).claimMatch }),
      weak,
    );
    return newIdentityWithMatchers(organization, trusting(last), "viewer");
  },
  "holds its role in a group below": async (organization, weak) => {
    const { uid, owner } = organization;
    const group = await createResource(`/iam/v2/groups/${uid}`, owner.token, { name: "below" });
    const strong = await newIdentityWithMatchers(organization, trusting(weak));
    const binding = { identityUid: strong, roleUid: await roleUid("editor") };
    await createResource(`/iam/v2/roleBindings/${group.uid}`, owner.token, binding);
    return strong;
  },
};

describe.each(Object.entries(ways))("an identity that %s", (_, reach) => {
  test("can be changed by an owner, and not by a caller who can only change identities", async () => {
    const organization = await newOrganization();
    const weak = await newIdentityWithMatchers(organization, matchOf("ci"));
    await reach(organization, weak);
    const agent = await newAgent(organization);
    for (const [version, call] of Object.entries(calls)) {
      const { status, body } = await call(weak, agent.token);
      expect([version, status, body.message]).toEqual([
        version,
        403,
        expect.stringMatching(
          /an identity that accepts its tokens, has capabilities that you do not have/,
        ),
      ]);
    }
    expect((await repoint(weak, organization.owner.token)).status).toBe(200);
  });
});

const calls: Record<string, typeof repoint> = {
  v2: repoint,
  v1: (id, token) =>
    callRest(`/iam/v1/identities/${id}`, {
      method: "PUT",
      token,
      body: { name: "ci", claimMatch: matchOf("thief").claimMatch },
    }),
};

test("a caller who can change identities changes one that has no access", async () => {
  const organization = await newOrganization();
  const weak = await newIdentityWithMatchers(organization, matchOf("ci"));
  await newIdentityWithMatchers(organization, trusting(weak));
  const agent = await newAgent(organization);
  expect((await repoint(weak, agent.token)).status).toBe(200);
  expect((await repoint(weak, agent.token, { description: "d" })).status).toBe(200);
});

test("a caller with all capabilities of the identity changes it", async () => {
  const organization = await newOrganization();
  const weak = await newIdentityWithMatchers(organization, matchOf("ci"));
  await newIdentityWithMatchers(organization, trusting(weak), "viewer");
  const agent = await newAgent(organization);
  const binding = { identityUid: agent.uid, roleUid: await roleUid("viewer") };
  await createResource(
    `/iam/v2/roleBindings/${organization.uid}`,
    organization.owner.token,
    binding,
  );
  expect((await repoint(weak, agent.token)).status).toBe(200);
});

test("only owners can change an identity that another organization trusts", async () => {
  const [organization, other] = [await newOrganization(), await newOrganization("other")];
  const weak = await newIdentityWithMatchers(organization, matchOf("ci"));
  await newIdentityWithMatchers(other, trusting(weak), "owner");
  const agent = await newAgent(organization);
  expect((await repoint(weak, agent.token)).status).toBe(403);
  expect((await repoint(weak, organization.owner.token)).status).toBe(200);
});

test("a pattern matches our tokens of people, and of no identity of a group", async () => {
  const organization = await newOrganization();
  const weak = await newIdentityWithMatchers(organization, matchOf("ci"));
  const patterns = [
    { issuer: ours, subjectPattern: ".*" },
    { issuerPattern: ".*", subjectPattern: ".*" },
    { issuerPattern: ".*", subject: weak },
  ];
  const [bot, ada] = [await issuer.sign({ sub: "ci" }), await newUser()];
  const { token } = await exchangeForToken(bot, { identity: weak, aud: ours });
  for (const [at, claimMatch] of patterns.entries()) {
    const identity = await newIdentityWithMatchers(organization, { claimMatch }, "owner");
    expect((await exchange(token, { identity })).status).toBe(403);
    const isOfPeople = at < 2;
    expect((await exchange(ada.token, { identity })).status).toBe(isOfPeople ? 200 : 403);
  }
});

test("the token of another identity does not let anyone become a person", async () => {
  const organization = await newOrganization();
  const weak = await newIdentityWithMatchers(organization, matchOf("ci"));
  const { uid } = await newUser();
  await bindPerson({ uid: organization.uid, token: organization.owner.token }, uid, "owner");
  await sql(
    "update identities set relationship_type = 1, relationship = ? where uid = ?",
    JSON.stringify({ case: "claimMatch", value: trusting(weak).claimMatch }),
    uid,
  );
  expect((await exchange(await tokenFor(weak), { identity: uid })).status).toBe(403);
});

test("tokens end when an identity in their chain accepts other tokens", async () => {
  const organization = await newOrganization();
  const [first, { token: owner }] = [
    await newIdentityWithMatchers(organization, matchOf("chain"), "viewer"),
    organization.owner,
  ];
  const second = await newIdentityWithMatchers(organization, trusting(first), "viewer");
  const path = `/iam/v2/groups/${organization.uid}`;
  const bot = await issuer.sign({ sub: "chain" });
  const one = (await exchangeForToken(bot, { identity: first, aud: [ours] })).token;
  const two = (await exchangeForToken(one, { identity: second })).token;
  const again = (await exchangeForToken(two)).token;
  const tokens = [one, two, again];
  const statuses = () =>
    Promise.all(tokens.map(async (token) => (await callRest(path, { token })).status));
  expect(await statuses()).toEqual([200, 200, 200]);
  expect((await repoint(first, owner, { description: "the same matchers" })).status).toBe(200);
  expect(await statuses()).toEqual([200, 200, 200]);
  expect((await repoint(first, owner, matchOf("another"))).status).toBe(200);
  expect(await statuses()).toEqual([401, 401, 401]);
  for (const token of tokens) expect((await exchange(token)).status).toBe(403);
});

test("a chain of exchanges ends after eight identities", async () => {
  const organization = await newOrganization();
  let last = await newIdentityWithMatchers(organization, matchOf("long"), "viewer");
  let { token } = await exchangeForToken(await issuer.sign({ sub: "long" }), { identity: last });
  for (let length = 2; length <= 8; length += 1) {
    last = await newIdentityWithMatchers(organization, trusting(last), "viewer");
    ({ token } = await exchangeForToken(token, { identity: last }));
  }
  last = await newIdentityWithMatchers(organization, trusting(last), "viewer");
  const refused = await exchange(token, { identity: last });
  expect([refused.status, refused.body.details[1].violations[0].type]).toEqual([
    400,
    "CHAIN_TOO_LONG",
  ]);
});

test("the cost of a change does not grow with the strangers who trust the identity", async () => {
  const [organization, stranger] = [await newOrganization(), await newOrganization("stranger")];
  const weak = await newIdentityWithMatchers(organization, matchOf("ci"));
  const change = async () => {
    const answer = await repoint(weak, organization.owner.token, { description: randomName("d") });
    expect(answer.status).toBe(200);
    return costOf(answer).rowsRead;
  };
  const before = await change();
  const groups = Array.from({ length: 60 }, () => `${stranger.uid}/${randomUid().slice(0, 16)}`);
  await sql(
    "insert into groups (uid, name, create_time, update_time) select value, substr(value, -16), 1, 1 from json_each(?)",
    JSON.stringify(groups),
  );
  for (const value of [
    trusting(weak),
    { claimMatch: { issuer: "https://x.example", subject: weak } },
  ]) {
    const relationship = JSON.stringify({ case: "claimMatch", value: value.claimMatch });
    const uids = JSON.stringify(
      Array.from({ length: 20 }, () => `${stranger.uid}/${randomUid().slice(0, 16)}`),
    );
    await sql(
      "insert into identities (uid, name, relationship_type, relationship, last_seen_time, create_time, update_time) select value, 'i', 1, ?, 1, 1, 1 from json_each(?)",
      ...[relationship, uids],
    );
    await sql(
      "insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time) select g.value || '/' || substr(i.value, -16), i.value, ?, 1, 1 from json_each(?) i cross join json_each(?) g",
      ...[await roleUid("owner"), uids, JSON.stringify(groups)],
    );
  }
  // A few for each identity that trusts it, of which at most 200 are looked at; none for their bindings.
  expect((await change()) - before).toBeLessThan(20 * 6);
});
