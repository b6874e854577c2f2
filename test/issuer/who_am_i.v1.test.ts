/** The access of a token, as reported to its bearer. */
import { createClient } from "@connectrpc/connect";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Auth } from "../../schema/gen/platform/auth/auth_pb.js";
import { Capability } from "../../schema/gen/platform/capabilities/v1/capability_pb.js";
import {
  bindPerson,
  createResource,
  newIdentity,
  newOrganization,
  newUser,
  type Organization,
  randomName,
  randomUid,
  roleUid,
} from "../world/personas.ts";
import {
  audience,
  callRest,
  costOf,
  issuer as platform,
  sql,
  tokenFor,
  transports,
} from "../world/platform.ts";
import { newIdentityWithMatchers } from "./exchange_call.ts";
import { type ForeignIssuer, startIssuer } from "./foreign_issuer.ts";
import { logInWithIdToken, mapGroup, newProvider, serveTokens, tokensOf } from "./login/logins.ts";

let issuer: ForeignIssuer;
let organization: Organization;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.close());
beforeEach(async () => {
  organization = await newOrganization();
});

async function whoIs(token: string) {
  const { status, body } = await callRest("/auth/v1/ok", { token });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

const newRole = async (capabilities: string[]) =>
  createResource(`/iam/v2/roles/${organization.uid}`, organization.owner.token, {
    ...{ name: randomName("role"), description: "a role", capabilities },
  });

const bind = async (identityUid: string, role: string, at = organization.uid) =>
  createResource(`/iam/v2/roleBindings/${at}`, organization.owner.token, {
    identityUid,
    roleUid: role,
  });

describe("Validate returns the identity", () => {
  test("with its claims, and nothing else for an identity without access", async () => {
    const { uid } = await newUser();
    const token = await tokenFor(uid, { aud: [audience, "other"], email: "a@a.example" });
    const { iat = 0, exp = 0 } = decodeJwt(token);
    const answer = await callRest("/auth/v1/ok", { token });
    expect(costOf(answer).roundTrips).toBe(1);
    expect(answer.body).toEqual({
      issuer: platform,
      subject: uid,
      audience: [audience, "other"],
      expiry: new Date(exp * 1000).toISOString(),
      issuedAt: new Date(iat * 1000).toISOString(),
      email: "a@a.example",
    });
    const { issuedAt } = await whoIs(await tokenFor(uid, { iat: undefined as never }));
    expect(issuedAt).toBeUndefined();
  });

  test("over Connect with the same response", async () => {
    const { connect } = transports(organization.owner.token);
    const { subject, capabilities } = await createClient(Auth, connect).validate({});
    expect([subject, capabilities[0]?.role?.name]).toEqual([organization.owner.uid, "owner"]);
  });

  test("of a token of another issuer too, by the identity that it matches", async () => {
    const subject = randomName("robot");
    const claimMatch = { issuer: issuer.url, subject };
    await newIdentityWithMatchers(organization, { claimMatch }, "viewer");
    const token = await issuer.sign({ sub: subject, aud: audience, email: "r@a.example" });
    expect(await whoIs(token)).toMatchObject({
      ...{ issuer: issuer.url, subject, audience: [audience], email: "r@a.example" },
      capabilities: [{ group: { id: organization.uid }, role: { name: "viewer" } }],
    });
  });
});

describe("capabilities are listed by group", () => {
  test("with the role that allows exactly these, and the names of group and role", async () => {
    const robot = await newIdentity(organization, undefined);
    await sql(
      "update groups set verified = 1, kind = 2, resource_limits = '{\"repositories\":9}' where uid = ?",
      organization.uid,
    );
    const role = await newRole(["CAP_REPO_LIST", "CAP_TAG_LIST"]);
    const group = await createResource(
      `/iam/v2/groups/${organization.uid}`,
      organization.owner.token,
      {
        ...{ name: randomName("group"), description: "a group" },
      },
    );
    await bind(robot.uid, await roleUid("viewer"));
    await bind(robot.uid, role.uid, group.uid);
    const answer = await callRest("/auth/v1/ok", { token: robot.token });
    expect(costOf(answer).roundTrips).toBe(2);
    const [above, below, ...more] = answer.body.capabilities;
    expect(more).toEqual([]);
    expect(above).toMatchObject({
      group: {
        ...{ id: organization.uid, name: organization.name, verified: true },
        ...{ kind: "ORG_KIND_CUSTOMER", status: "ORG_STATUS_READY" },
        resourceLimits: { repositories: 9 },
      },
      role: { name: "viewer", capabilities: expect.arrayContaining(["groups.list"]) },
    });
    expect(above.capabilities).toBeUndefined();
    expect(below).toEqual({
      group: {
        ...{ id: group.uid, name: group.name, description: "a group" },
        ...{ verified: false, kind: "ORG_KIND_CUSTOMER", status: "ORG_STATUS_READY" },
      },
      role: {
        ...{ id: role.uid, name: role.name, description: "a role" },
        capabilities: expect.arrayContaining(["repo.list", "tag.list"]),
      },
    });
  });

  test("with names if several roles add up, in the order of their numbers", async () => {
    const robot = await newIdentity(organization, undefined);
    await bind(robot.uid, (await newRole(["CAP_REPO_LIST"])).uid);
    await bind(robot.uid, (await newRole(["CAP_IAM_GROUPS_LIST", "CAP_REPO_LIST"])).uid);
    await bind(robot.uid, (await newRole(["CAP_TAG_LIST"])).uid);
    const [held, ...more] = (await whoIs(robot.token)).capabilities;
    expect(more).toEqual([]);
    expect(held.role).toBeUndefined();
    expect([...held.capabilities].sort()).toEqual(["groups.list", "repo.list", "tag.list"]);
  });

  test("limited to the groups and capabilities of a narrowed token", async () => {
    const { owner, uid } = organization;
    const group = await createResource(`/iam/v2/groups/${uid}`, owner.token, {
      name: randomName("group"),
    });
    const narrowed = await whoIs(await tokenFor(owner.uid, { scopes: [group.uid] }));
    expect(narrowed.capabilities).toMatchObject([
      { group: { id: group.uid, name: group.name }, role: { name: "owner" } },
    ]);
    const few = { capabilities: [Capability.CAP_REPO_LIST, Capability.CAP_TAG_LIST] };
    const [held] = (await whoIs(await tokenFor(owner.uid, few))).capabilities;
    expect(held.role).toBeUndefined();
    expect([...held.capabilities].sort()).toEqual(["repo.list", "tag.list"]);
    const nothing = await whoIs(await tokenFor(owner.uid, { scopes: [randomUid()] }));
    expect(nothing.capabilities).toBeUndefined();
  });

  test("a removed binding is no longer listed", async () => {
    const robot = await newIdentity(organization, undefined);
    const { uid } = await bind(robot.uid, await roleUid("viewer"));
    expect((await whoIs(robot.token)).capabilities).toHaveLength(1);
    const { token } = organization.owner;
    await callRest(`/iam/v2/roleBindings/${uid}`, { method: "DELETE", token });
    expect((await whoIs(robot.token)).capabilities).toBeUndefined();
  });

  test("with the role of that organization if the person has an equal one in another", async () => {
    const ada = await newUser();
    const both = [organization, await newOrganization()];
    for (const { uid, owner } of both) {
      const body = { name: randomName("role"), capabilities: ["CAP_REPO_LIST"] };
      const role = await createResource(`/iam/v2/roles/${uid}`, owner.token, body);
      const binding = { identityUid: ada.uid, roleUid: role.uid };
      const { uid: code } = await createResource(
        `/iam/v2/roleBindings/${uid}`,
        owner.token,
        binding,
      );
      await createResource("/iam/v2/groupInvites:accept", ada.token, { code });
    }
    const rolesOf = (answer: { capabilities: { group: { id: string }; role: { id: string } }[] }) =>
      answer.capabilities.map(({ group, role }) => [group.id, role.id.slice(0, 40)]);
    for (const { uid } of both) {
      const token = await tokenFor(ada.uid, { scopes: [uid] });
      expect(rolesOf(await whoIs(token))).toEqual([[uid, uid]]);
    }
    const uids = both.map(({ uid }) => uid).sort();
    expect(rolesOf(await whoIs(ada.token))).toEqual(uids.map((uid) => [uid, uid]));
  });

  test("without another organization, even if the same person has access there", async () => {
    const sub = randomName("ada");
    const idp = await newProvider(organization.uid, { issuer: issuer.url, groups_claim: "groups" });
    const role = await newRole(["CAP_TAG_LIST"]);
    const own = await createResource(
      `/iam/v2/groups/${organization.uid}`,
      organization.owner.token,
      {
        name: randomName("group"),
      },
    );
    await mapGroup(idp, "developers", role.uid, own.uid);
    const claims = { sub, name: "Ada King", groups: ["developers"], email: "a@a.example" };
    const done = await logInWithIdToken(issuer, serveTokens(issuer), idp, claims);
    const { token, claims: login } = tokensOf(done);
    const other = await newOrganization();
    await bindPerson({ uid: other.uid, token: other.owner.token }, login.sub ?? "", "owner");
    const answer = await whoIs(token);
    expect(answer).toMatchObject({
      ...{ subject: login.sub, email: "a@a.example" },
      profile: { name: "Ada King", givenName: "Ada", familyName: "King" },
      capabilities: [
        { group: { id: organization.uid }, role: { name: "viewer" } },
        { group: { id: own.uid }, role: { id: role.uid } },
      ],
    });
    expect(answer.capabilities).toHaveLength(2);
    expect(JSON.stringify(answer)).not.toContain(other.uid);
  });
});

test("an identity of an organization has no profile", async () => {
  const robot = await newIdentity(organization, "viewer");
  await sql(
    "insert into identity_metadata (uid, metadata, update_time) values (?, ?, 1)",
    robot.uid,
    JSON.stringify({ name: "Ada" }),
  );
  expect((await whoIs(robot.token)).profile).toBeUndefined();
});
