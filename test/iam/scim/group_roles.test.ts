/** The members of a SCIM group have the roles of its role mappings, from the next call on. */
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { exchangeForToken } from "../../issuer/exchange_call.ts";
import { type ForeignIssuer, startIssuer } from "../../issuer/foreign_issuer.ts";
import { logInWithIdToken, mapGroup, serveTokens, tokensOf } from "../../issuer/login/logins.ts";
import { createResource, randomName, roleUid } from "../../world/personas.ts";
import { callRest, costOf, sql } from "../../world/platform.ts";
import { decisionIdOf, decisionPath, explain, listAccess } from "../access/calls.ts";
import { type Client, newClient } from "./client.ts";

let issuer: ForeignIssuer;
let answers: ReturnType<typeof serveTokens>;
beforeAll(async () => {
  issuer = await startIssuer();
  answers = serveTokens(issuer);
});

/** Lets people log in through the provider of a client. */
async function openFor(client: Client): Promise<void> {
  const { uid, owner } = client.organization;
  const idle = await createResource(`/iam/v2/roles/${uid}`, owner.token, {
    ...{ name: randomName("idle"), capabilities: ["CAP_IAM_IDENTITY_LIST"] },
  });
  await sql(
    `update identity_providers set issuer = ?, client_id = 'public', pkce_enabled = 1, default_role = ?,
      groups_claim = 'groups' where uid = ?`,
    ...[issuer.url, idle.uid, client.idp],
  );
}

/** A user of a client, and the tokens of a login as that user. */
async function newMember(client: Client, externalId = randomName("ada"), groups: string[] = []) {
  const user = await client.create({ userName: externalId, externalId });
  const claims = { sub: externalId, groups };
  const done = await logInWithIdToken(issuer, answers, client.idp, claims, {
    create_refresh_token: "true",
  });
  const login = tokensOf(done);
  return { id: user.id, externalId, person: login.claims.sub ?? "", login };
}

type Member = Awaited<ReturnType<typeof newMember>>;

let client: Client;
let ada: Member;
let role: string;
let team: string;
let name: string;
let group: string;
beforeAll(async () => {
  client = await newClient();
  await openFor(client);
  const { uid, owner } = client.organization;
  const capabilities = ["CAP_IAM_GROUPS_LIST"];
  role = (
    await createResource(`/iam/v2/roles/${uid}`, owner.token, {
      name: randomName("reader"),
      capabilities,
    })
  ).uid;
  team = (await createResource(`/iam/v2/groups/${uid}`, owner.token, { name: randomName("team") }))
    .uid;
  ada = await newMember(client);
});
beforeEach(async () => {
  name = randomName("Readers");
  await mapGroup(client.idp, name, role, client.organization.uid);
  group = (await client.createGroup({ displayName: name, members: [{ value: ada.id }] })).id;
  return async () => {
    await client.ask("DELETE", `/Groups/${group}`);
    await client.patch(ada.id, { op: "replace", path: "active", value: true });
  };
});

const reads = async (token: string) => (await callRest(`/iam/v2/groups/${team}`, { token })).status;
const readsAbove = async (token: string) =>
  (await callRest(`/iam/v2/groups/${client.organization.uid}`, { token })).status;
const remove = { op: "remove", path: "members" };

describe("a member of a SCIM group has the roles of its role mappings", () => {
  test("with a login from before, and one that the user got later", async () => {
    expect([await reads(ada.login.token), await readsAbove(ada.login.token)]).toEqual([200, 200]);
    const narrowed = await exchangeForToken(ada.login.token, { scopes: team, cap: "groups.list" });
    expect(await reads(narrowed.token)).toBe(200);
    const other = await exchangeForToken(ada.login.token, { scopes: team, cap: "repo.list" });
    expect(await reads(other.token)).toBe(403);
    expect(ada.login.claims).not.toHaveProperty("groups");
    expect(ada.login.refreshToken).toBeDefined();
  });

  test("by the externalId of the group", async () => {
    const externalId = randomName("id");
    const displayName = randomName("other");
    const renamed = await client.patchGroup(group, {
      op: "replace",
      value: { displayName, externalId },
    });
    expect([renamed.status, await reads(ada.login.token)]).toEqual([204, 403]);
    await mapGroup(client.idp, externalId, role, client.organization.uid);
    expect(await reads(ada.login.token)).toBe(200);
  });

  test("in addition to the groups in the claims", async () => {
    const claimed = randomName("claimed");
    const writer = await createResource(
      `/iam/v2/roles/${client.organization.uid}`,
      client.organization.owner.token,
      {
        ...{ name: randomName("writer"), capabilities: ["CAP_REPO_CREATE"] },
      },
    );
    await mapGroup(client.idp, claimed, writer.uid, team);
    const bob = await newMember(client, randomName("bob"), [claimed]);
    await client.patchGroup(group, { op: "add", path: "members", value: [{ value: bob.id }] });
    const { token } = bob.login;
    const create = { token, body: { name: randomName("repo") } };
    expect((await callRest(`/registry/v2/repos/${team}`, create)).status).toBe(200);
    expect(await reads(token)).toBe(200);
    await client.patchGroup(group, remove);
    create.body.name = randomName("repo");
    expect((await callRest(`/registry/v2/repos/${team}`, create)).status).toBe(200);
    expect(await reads(token)).toBe(403);
  });

  test("only where the role mapping applies, and not above", async () => {
    await sql(
      "update external_group_role_mappings set scope = ? where external_group_id = ?",
      team,
      name,
    );
    expect([await reads(ada.login.token), await readsAbove(ada.login.token)]).toEqual([200, 403]);
  });
});

describe("the roles of a group end at the next call when", () => {
  test.each<[string, () => Promise<unknown>]>([
    [
      "the member is removed",
      () => client.patchGroup(group, { op: "remove", path: `members[value eq "${ada.id}"]` }),
    ],
    ["all members are removed", () => client.patchGroup(group, remove)],
    [
      "the members are replaced",
      () => client.patchGroup(group, { op: "replace", path: "members", value: [] }),
    ],
    ["the group is deleted", () => client.ask("DELETE", `/Groups/${group}`)],
    [
      "the group gets another name",
      () => client.patchGroup(group, { op: "replace", path: "displayName", value: `${name}2` }),
    ],
    [
      "the role mapping is deleted",
      () => sql("delete from external_group_role_mappings where external_group_id = ?", name),
    ],
  ])("%s", async (_, change) => {
    expect(await reads(ada.login.token)).toBe(200);
    await change();
    expect(await reads(ada.login.token)).toBe(403);
  });

  test("the user is deactivated, and the login ends too", async () => {
    await client.patch(ada.id, { op: "replace", path: "active", value: "False" });
    expect(await reads(ada.login.token)).toBe(401);
  });

  test("SCIM is switched off", async () => {
    await sql("update identity_providers set scim_enabled = 0 where uid = ?", client.idp);
    expect(await reads(ada.login.token)).toBe(403);
    await sql("update identity_providers set scim_enabled = 1 where uid = ?", client.idp);
    expect(await reads(ada.login.token)).toBe(200);
  });

  test("a group is created again, only its new members have them", async () => {
    await client.ask("DELETE", `/Groups/${group}`);
    ({ id: group } = await client.createGroup({ displayName: name }));
    expect(await reads(ada.login.token)).toBe(403);
    await client.patchGroup(group, { op: "add", path: "members", value: [{ value: ada.id }] });
    expect(await reads(ada.login.token)).toBe(200);
  });

  test("the user is deleted, and another user comes in their place", async () => {
    const cy = await newMember(client, randomName("cy"));
    await client.patchGroup(group, { op: "add", path: "members", value: [{ value: cy.id }] });
    expect(await reads(cy.login.token)).toBe(200);
    await client.ask("DELETE", `/Users/${cy.id}`);
    await client.create({ userName: cy.externalId, externalId: cy.externalId });
    expect(await reads(cy.login.token)).toBe(401);
    const claims = { sub: cy.externalId };
    const again = tokensOf(await logInWithIdToken(issuer, answers, client.idp, claims));
    expect(await reads(again.token)).toBe(403);
    expect(await client.members(group)).toEqual([ada.id]);
  });

  test("the user gets another externalId, because it may be another person", async () => {
    const dan = await newMember(client, randomName("dan"));
    await client.patchGroup(group, { op: "add", path: "members", value: [{ value: dan.id }] });
    expect(await reads(dan.login.token)).toBe(200);
    await client.patch(dan.id, { op: "replace", path: "externalId", value: randomName("new") });
    expect(await reads(dan.login.token)).toBe(401);
  });
});

describe("a SCIM group gives nothing", () => {
  test("by a role mapping in another case", async () => {
    await sql(
      "update external_group_role_mappings set external_group_id = ? where external_group_id = ?",
      name.toLowerCase(),
      name,
    );
    expect(await reads(ada.login.token)).toBe(403);
  });

  test.each(["of the same organization", "of another organization"])(
    "to users of another provider %s, whose group has the same name",
    async (place) => {
      const other = await newClient(place.includes("same") ? client.organization : undefined);
      await openFor(other);
      // The same person, who is a user of both providers.
      const there = await newMember(other, ada.externalId);
      expect(there.person).toBe(ada.person);
      await client.patchGroup(group, remove);
      await other.createGroup({
        displayName: name,
        externalId: name,
        members: [{ value: there.id }],
      });
      expect(await reads(there.login.token)).toBe(403);
      expect(await reads(ada.login.token)).toBe(403);
      await client.patchGroup(group, { op: "add", path: "members", value: [{ value: ada.id }] });
      // The group of the one provider is not a group of the login through the other.
      expect(await reads(there.login.token)).toBe(403);
      expect(await reads(ada.login.token)).toBe(200);
    },
  );

  test("to an identity that the member assumes", async () => {
    const { organization } = client;
    const robot = await createResource(
      `/iam/v2/identities/${organization.uid}`,
      organization.owner.token,
      {
        ...{ name: "robot", claimMatch: { issuer: "http://localhost:8787", subject: ada.person } },
      },
    );
    const assumed = await exchangeForToken(ada.login.token, { identity: robot.uid });
    expect(await reads(assumed.token)).toBe(403);
  });

  test("to a member row of a user of another provider", async () => {
    const other = await newClient(client.organization);
    await openFor(other);
    const there = await newMember(other, randomName("eve"));
    // No call writes such a row. The statement of every call does not trust it either.
    await sql(
      "insert into scim_group_members (group_uid, user_uid) values (?, ?)",
      `${client.idp}/${group}`,
      `${other.idp}/${there.id}`,
    );
    await mapGroup(other.idp, name, role, client.organization.uid);
    expect(await reads(there.login.token)).toBe(403);
  });
});

describe("an explanation names the SCIM group", () => {
  const asked = () => ({
    identity_uid: ada.person,
    capability: "CAP_IAM_GROUPS_LIST",
    resource_uid: team,
  });
  const expected = () => ({
    ...{ externalGroupId: name, scimGroupName: name, scimGroupUid: `${client.idp}/${group}` },
    ...{ roleUid: role, groupUid: client.organization.uid, inherited: true },
  });

  test.each([
    ["of a login", () => ({ identity_provider_uid: client.idp })],
    ["of a person, whose login it finds", () => ({})],
  ])("%s", async (_, more) => {
    const { token } = client.organization.owner;
    const found = await explain(token, { ...asked(), ...more() });
    expect(found).toMatchObject({ allowed: true, paths: [{ entry: expected() }] });
    expect(found.summary).toContain(`SCIM group ${name} of the identity provider ${client.idp}`);
    await client.patchGroup(group, remove);
    const gone = await explain(token, { ...asked(), ...more() });
    expect(gone.allowed ?? false).toBe(false);
  });

  test("of a refused call, as soon as the person is in the group", async () => {
    await client.patchGroup(group, remove);
    const refused = await callRest(`/iam/v2/groups/${team}`, { token: ada.login.token });
    const path = decisionPath(decisionIdOf(refused.body));
    await client.patchGroup(group, { op: "add", path: "members", value: [{ value: ada.id }] });
    const { body } = await callRest(path, { token: client.organization.owner.token });
    expect(body.explanation).toMatchObject({ allowed: true, paths: [{ entry: expected() }] });
  });

  test("if only the claims have the group, it names the external group", async () => {
    await client.patchGroup(group, remove);
    const more = { identity_provider_uid: client.idp, external_group_ids: name };
    const found = await explain(client.organization.owner.token, { ...asked(), ...more });
    expect(found.paths?.[0]?.entry.externalGroupId).toBe(name);
    expect(found.paths?.[0]?.entry).not.toHaveProperty("scimGroupUid");
  });

  test("without reading all groups for each of the role mappings", async () => {
    const many = await newClient();
    await openFor(many);
    const { id, person, login } = await newMember(many);
    const count = 400;
    const series = `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count})
      select ? || '/' || printf('%016x', i)`;
    await sql(
      `insert into scim_groups (uid, display_name, display_name_key, create_time, update_time)
       ${series}, 'g' || (${count + 1} - i), 'g' || (${count + 1} - i), 1, 1 from n`,
      many.idp,
    );
    await sql(
      "insert into scim_group_members select uid, ? from scim_groups where parent = ?",
      ...[`${many.idp}/${id}`, many.idp],
    );
    await sql(
      `insert into external_group_role_mappings (uid, external_group_id, role_uid, scope, create_time, update_time)
       ${series}, 'g' || i, ?, ?, 1, 1 from n`,
      ...[many.idp, await roleUid("viewer"), many.organization.uid],
    );
    const query = { identity_uid: person, identity_provider_uid: many.idp };
    const answer = await callRest(
      `/iam/v2/access:explain?${new URLSearchParams({
        ...{ ...query, capability: "CAP_IAM_GROUPS_LIST" },
        resource_uid: many.organization.uid,
      })}`,
      { token: many.organization.owner.token },
    );
    expect(answer.body).toMatchObject({
      allowed: true,
      paths: [{ entry: { scimGroupName: "g301" } }],
    });
    expect(costOf(answer).rowsRead).toBeLessThan(50 * count);
    // The role mappings of 100 groups count.
    const own = await callRest(`/iam/v2/groups/${many.organization.uid}`, login);
    expect(own.status).toBe(200);
    expect(costOf(own).rowsRead).toBeLessThan(4 * count);
    const listed = await callRest(
      `/iam/v2/access?${new URLSearchParams({
        ...{ capability: "CAP_IAM_GROUPS_LIST", page_size: "200" },
        resource_uid: many.organization.uid,
      })}`,
      { token: many.organization.owner.token },
    );
    expect(listed.body.accessEntries.at(-1).scimGroupName).toMatch(/^g/);
    expect(costOf(listed).rowsRead).toBeLessThan(10 * count);
  });

  test("in the list of who has access", async () => {
    const { token } = client.organization.owner;
    const query = { resource_uid: team, capability: "CAP_IAM_GROUPS_LIST" };
    const { entries } = await listAccess(token, query);
    const { inherited: _, ...entry } = expected();
    expect(entries).toContainEqual(expect.objectContaining(entry));
  });
});

test("a provider is deleted with its groups, and their members have nothing", async () => {
  const gone = await newClient();
  await openFor(gone);
  const { id } = await newMember(gone);
  await gone.createGroup({ displayName: "x", members: [{ value: id }] });
  const { token } = gone.organization.owner;
  const deleted = await callRest(`/iam/v2/identityProviders/${gone.idp}`, {
    method: "DELETE",
    token,
  });
  expect(deleted.status).toBe(200);
  const left = await sql(
    `select uid from scim_groups where parent = ? union all
      select group_uid from scim_group_members where substr(group_uid, 1, 57) = ?`,
    ...[gone.idp, gone.idp],
  );
  expect(left).toEqual([]);
});
