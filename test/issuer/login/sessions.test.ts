/**
 * Access to a login, and its end: provisioned users, mapped groups, ID tokens without a browser.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { personUid } from "../../../src/auth/person.ts";
import {
  createResource,
  newOrganization,
  type Organization,
  randomName,
  roleUid,
} from "../../world/personas.ts";
import { callRest, issuer as platform, sql } from "../../world/platform.ts";
import { exchange, exchangeForToken } from "../exchange_call.ts";
import { type ForeignIssuer, startIssuer } from "../foreign_issuer.ts";
import {
  errorOf,
  logInWithIdToken,
  mapGroup,
  newProvider,
  newScimUser,
  type ProviderColumns,
  serveTokens,
  tokensOf,
} from "./logins.ts";

let issuer: ForeignIssuer;
let answers: ReturnType<typeof serveTokens>;
let organization: Organization;
let subject = "";

beforeAll(async () => {
  issuer = await startIssuer();
  answers = serveTokens(issuer);
});
afterAll(() => issuer.close());
beforeEach(async () => {
  organization = await newOrganization();
  subject = randomName("ada");
});

const provider = (columns: Partial<ProviderColumns> = {}) =>
  newProvider(organization.uid, { issuer: issuer.url, ...columns });

/** Completes a login of the subject. The ID token has these claims too. */
const logIn = (idp: string, claims: Record<string, unknown> = {}, query = {}) =>
  logInWithIdToken(issuer, answers, idp, { sub: subject, ...claims }, query);

const eventsOf = async (actor: string) => {
  const rows = await sql<{ type: string; data: string; extensions: string; group_uid: string }>(
    "select * from events where json_extract(data, '$.actor.subject') = ? order by rowid",
    actor,
  );
  return rows.map((one) => ({ ...one, data: JSON.parse(one.data) }));
};

describe("at a provider that provisions its users", () => {
  test("no person can log in who was not provisioned, or is not active", async () => {
    const idp = await provider({ scim_enabled: 1 });
    expect(errorOf(await logIn(idp))).toEqual(["403", expect.stringContaining("deactivated")]);
    await newScimUser(idp, subject, false);
    expect(errorOf(await logIn(idp))).toEqual(["403", expect.stringContaining("deactivated")]);
    const uid = await personUid(issuer.url, subject);
    expect(await sql("select * from identities where uid = ?", uid)).toEqual([]);
  });

  test("a provisioned user of another provider does not count", async () => {
    const [idp, other] = [await provider({ scim_enabled: 1 }), await provider()];
    await newScimUser(other, subject);
    expect(errorOf(await logIn(idp))[0]).toBe("403");
  });

  test("an active user can log in, and is rejected at the next exchange once deactivated", async () => {
    const idp = await provider({ scim_enabled: 1 });
    const user = await newScimUser(idp, subject);
    const { token, claims } = tokensOf(await logIn(idp));
    const [row] = await sql("select identity_uid from scim_users where uid = ?", user);
    expect(row).toEqual({ identity_uid: claims.sub });
    expect((await exchangeForToken(token)).claims).toMatchObject({
      idp,
      scopes: [organization.uid],
    });
    await sql("update scim_users set active = 0 where uid = ?", user);
    const refused = await exchange(token);
    expect([refused.status, refused.body.message]).toEqual([
      403,
      expect.stringContaining("deactivated"),
    ]);
    expect(errorOf(await logIn(idp))[0]).toBe("403");
    await sql("delete from scim_users where uid = ?", user);
    expect((await exchange(token)).status).toBe(403);
  });

  test("users can be matched by oid instead of sub", async () => {
    const idp = await provider({ scim_enabled: 1, correlation_rule: 2 });
    await newScimUser(idp, "the-oid");
    expect(errorOf(await logIn(idp, { sub: "the-oid" }))[0]).toBe("403");
    expect(errorOf(await logIn(idp, { oid: "another" }))[0]).toBe("403");
    tokensOf(await logIn(idp, { oid: "the-oid" }));
  });
});

test("a login through the provider of a subgroup reaches that subgroup, and nothing above it", async () => {
  const { owner, uid } = organization;
  const team = await createResource(`/iam/v2/groups/${uid}`, owner.token, {
    name: randomName("team"),
  });
  const idp = await newProvider(team.uid, { issuer: issuer.url });
  const person = await personUid(issuer.url, subject);
  const identityUid = { identityUid: person, roleUid: await roleUid("owner") };
  await createResource(`/iam/v2/roleBindings/${uid}`, owner.token, identityUid);
  const { token, claims } = tokensOf(await logIn(idp));
  expect(claims.scopes).toEqual([team.uid]);
  const statusAt = async (group: string) =>
    (await callRest(`/iam/v2/groups/${group}`, { token })).status;
  expect([await statusAt(team.uid), await statusAt(uid)]).toEqual([200, 403]);
});

describe("groups that have role mappings", () => {
  test("mapped groups give the session their roles, no refresh token, and an event", async () => {
    const idp = await provider({ groups_claim: "teams" });
    const { uid: team } = await createResource(
      `/iam/v2/groups/${organization.uid}`,
      organization.owner.token,
      { name: "team" },
    );
    await mapGroup(idp, "builders", await roleUid("owner"), team);
    const teams = ["builders", "unmapped", 7, ""];
    const done = tokensOf(await logIn(idp, { teams }, { create_refresh_token: "true" }));
    expect(done.claims.groups).toEqual(["builders"]);
    expect(done.refreshToken).toBeUndefined();
    expect(
      await sql("select * from refresh_tokens where identity_uid = ?", done.claims.sub),
    ).toEqual([]);
    const create = (token: string) =>
      callRest(`/registry/v2/repos/${team}`, { token, body: { name: randomName("repo") } });
    expect((await create(done.token)).status).toBe(200);
    const again = await exchangeForToken(done.token);
    expect(again.claims.groups).toEqual(["builders"]);
    expect((await create(again.token)).status).toBe(200);
    const plain = tokensOf(await logIn(idp, { teams: ["unmapped"] }));
    expect(plain.claims).not.toHaveProperty("groups");
    expect((await create(plain.token)).status).toBe(403);
    const loginEvents = (await eventsOf(done.claims.sub ?? "")).filter(({ type }) =>
      /login/.test(type),
    );
    expect(loginEvents).toMatchObject([
      {
        type: "dev.vendor.api.iam.identity_providers.login.v1",
        group_uid: organization.uid,
        extensions: JSON.stringify({ identityprovider: idp }),
        data: {
          body: {
            identityUid: done.claims.sub,
            identityProviderUid: idp,
            externalGroupIds: ["builders"],
          },
        },
      },
      { data: { body: { identityUid: done.claims.sub, identityProviderUid: idp } } },
    ]);
    expect(loginEvents[1]?.data.body).not.toHaveProperty("externalGroupIds");
  });

  test("do not count without a configured claim, and those of another provider do not count", async () => {
    const [idp, other] = [await provider(), await provider({ groups_claim: "teams" })];
    await mapGroup(idp, "builders", await roleUid("owner"), organization.uid);
    for (const one of [idp, other]) {
      const { claims } = tokensOf(await logIn(one, { teams: ["builders"] }));
      expect(claims).not.toHaveProperty("groups");
    }
  });

  test("stay with the person: an identity that they assume has none of their roles", async () => {
    const idp = await provider({ groups_claim: "teams" });
    await mapGroup(idp, "builders", await roleUid("owner"), organization.uid);
    const { token, claims } = tokensOf(await logIn(idp, { teams: "builders" }));
    expect(claims.groups).toEqual(["builders"]);
    const claimMatch = { issuer: platform, subject: claims.sub };
    const path = `/iam/v2/identities/${organization.uid}`;
    const robot = await createResource(path, organization.owner.token, {
      name: "robot",
      claimMatch,
    });
    const assumed = await exchangeForToken(token, { identity: robot.uid });
    expect(assumed.claims).not.toHaveProperty("groups");
    expect(assumed.claims.scopes).toEqual([organization.uid]);
    const list = await callRest(`/registry/v2/repos?uidp.children_of=${organization.uid}`, {
      token: assumed.token,
    });
    expect(list.status).toBe(403);
  });
});
