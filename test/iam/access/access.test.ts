/** Answers about access: who has it, what someone may do, why, and what an error was about. */
import { beforeAll, describe, expect, test } from "vitest";
import { Capability } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { withoutDecisionId } from "../../contract/decisions.ts";
import {
  createResource,
  newIdentity,
  newOrganization,
  newUser,
  type Organization,
  type Persona,
  randomName,
  randomUid,
  roleUid,
} from "../../world/personas.ts";
import { callRest, registryAudience, sql, tokenFor } from "../../world/platform.ts";
import { decisionIdOf, decisionPath, explain, listAccess, testPermissions } from "./calls.ts";

let organization: Organization;
let owner: string;
let team: string;
let sibling: string;
let repo: string;
beforeAll(async () => {
  organization = await newOrganization("access");
  owner = organization.owner.token;
  const newGroup = async (parent: string) =>
    (await createResource(`/iam/v2/groups/${parent}`, owner, { name: randomName("group") })).uid;
  [team, sibling] = await Promise.all([newGroup(organization.uid), newGroup(organization.uid)]);
  repo = (await createResource(`/registry/v2/repos/${team}`, owner, { name: "repo" })).uid;
});

const why = (identityUid: string, capability: string, resource = repo, token = owner) =>
  explain(token, { identity_uid: identityUid, capability, resource_uid: resource });
const who = (capability: string, resource = repo, token = owner, more = {}) =>
  listAccess(token, { capability, resource_uid: resource, ...more });
const bind = async (group: string, identityUid: string, role: string) =>
  (
    await createResource(`/iam/v2/roleBindings/${group}`, owner, {
      identityUid,
      roleUid: await roleUid(role),
    })
  ).uid;

/** The refusal of a read of the repository. */
async function refused(token: string, uid = repo) {
  const answer = await callRest(`/registry/v2/repos/${uid}`, { token });
  expect(answer.status).toBe(403);
  return decisionIdOf(answer.body);
}

test("ListAccess shows the names of identities and roles whole, however long they are", async () => {
  const bot = await newIdentity(organization, "viewer", { bindAt: team });
  const name = "\u0001".repeat(255);
  await sql("update identities set name = ? where uid = ?", name, bot.uid);
  const { entries } = await who("CAP_REPO_LIST");
  const entry = entries.find(({ identityUid }) => identityUid === bot.uid);
  expect(entry).toMatchObject({ identityName: name, roleName: "viewer" });
});

describe("TestPermissions", () => {
  test("returns those of the capabilities that a call would have, whether or not the resource exists", async () => {
    const bot = await newIdentity(organization, "viewer", { bindAt: team });
    const capabilities = ["CAP_REPO_LIST", "CAP_REPO_DELETE"];
    const resources = [repo, `${team}/${"0".repeat(16)}`, sibling, organization.uid, randomUid()];
    expect(await testPermissions(bot.token, resources, capabilities)).toEqual([
      ["CAP_REPO_LIST"],
      ["CAP_REPO_LIST"],
      [],
      [],
      [],
    ]);
  });

  test("considers the limits of the token", async () => {
    const capabilities = ["CAP_REPO_LIST", "CAP_REPO_DELETE"];
    const ask = async (claims: { scopes?: string[]; capabilities?: number[] }) =>
      testPermissions(
        await tokenFor(organization.owner.uid, claims),
        [repo, sibling],
        capabilities,
      );
    expect(await ask({})).toEqual([capabilities, capabilities]);
    expect(await ask({ scopes: [team] })).toEqual([capabilities, []]);
    expect(await ask({ scopes: [] })).toEqual([[], []]);
    const limits = { capabilities: [Capability.CAP_REPO_LIST] };
    expect(await ask(limits)).toEqual([["CAP_REPO_LIST"], ["CAP_REPO_LIST"]]);
  });

  test("without capabilities tests all of them", async () => {
    const [held = []] = await testPermissions(owner, [organization.uid]);
    expect(held.length).toBeGreaterThan(40);
    expect(held).not.toContain("CAP_INTERNAL");
  });

  test("of another identity needs the capabilities of an owner on every resource", async () => {
    const bot = await newIdentity(organization, "viewer", { bindAt: team });
    const ask = (token: string, resources: string[]) =>
      testPermissions(token, resources, ["CAP_REPO_LIST"], bot.uid);
    expect(await ask(owner, [repo, sibling])).toEqual([["CAP_REPO_LIST"], []]);
    expect(await testPermissions(owner, [repo], ["CAP_REPO_LIST"], randomUid())).toEqual([[]]);
    const stranger = (await newOrganization()).owner.token;
    await expect(ask(stranger, [repo])).rejects.toThrow("role_bindings.list");
    const teamOwner = await newIdentity(organization, "owner", { bindAt: team });
    await expect(ask(teamOwner.token, [repo, sibling])).rejects.toThrow("role_bindings.list");
    expect(await ask(teamOwner.token, [repo])).toEqual([["CAP_REPO_LIST"]]);
  });
});

describe("ListAccess", () => {
  test("lists role bindings of the nearest group first, with their state", async () => {
    const capability = "CAP_REPO_DELETE";
    const [here, pending] = [await newIdentity(organization, undefined), await newUser()];
    const [bound, waiting] = [
      await bind(team, here.uid, "editor"),
      await bind(team, pending.uid, "owner"),
    ];
    await newIdentity(organization, "viewer", { bindAt: team });
    const { entries, hidden } = await who(capability);
    expect(hidden).toEqual([]);
    expect(entries.find((one) => one.roleBindingUid === bound)).toMatchObject({
      identityUid: here.uid,
      identityName: expect.stringMatching(/^bot-/),
      groupUid: team,
      roleName: "editor",
      state: "ACCESS_STATE_EFFECTIVE",
    });
    const waits = entries.find((one) => one.roleBindingUid === waiting);
    expect(waits).toMatchObject({ identityUid: pending.uid, state: "ACCESS_STATE_PENDING" });
    expect(waits?.identityName ?? "").toBe("");
    expect(entries.at(-1)).toMatchObject({
      identityUid: organization.owner.uid,
      groupUid: organization.uid,
      inherited: true,
    });
    expect(entries.every(({ roleName }) => roleName !== "viewer")).toBe(true);
    const effective = await who(capability, repo, owner, { effective_only: "true" });
    expect(effective.entries).toEqual(
      entries.filter(({ state }) => state === "ACCESS_STATE_EFFECTIVE"),
    );
  });

  test("has the same rows in pages of every size", async () => {
    const whole = await who("CAP_REPO_LIST");
    for (const page_size of ["1", "2", "3"]) {
      const paged = await who("CAP_REPO_LIST", repo, owner, { page_size });
      expect(paged.entries).toEqual(whole.entries);
      expect(paged.pages).toBeGreaterThan(1);
    }
  });

  test("leaves out groups above whose role bindings the caller cannot list", async () => {
    const teamOwner = await newIdentity(organization, "owner", { bindAt: team });
    const { entries, hidden } = await who("CAP_REPO_DELETE", repo, teamOwner.token);
    expect(hidden).toEqual([organization.uid]);
    expect(entries.length).toBeGreaterThan(0);
    expect(entries.every(({ groupUid }) => groupUid === team)).toBe(true);
  });
});

describe("ExplainAccess", () => {
  test("shows the role binding that gives access", async () => {
    const bot = await newIdentity(organization, "viewer");
    const { allowed, paths, summary, miss, fix } = await why(bot.uid, "CAP_REPO_LIST");
    expect(allowed).toBe(true);
    expect(paths).toMatchObject([
      {
        capabilities: ["CAP_REPO_LIST"],
        entry: { identityUid: bot.uid, roleName: "viewer", inherited: true },
      },
    ]);
    expect(summary).toContain("the role viewer");
    expect([miss, fix]).toEqual([undefined, undefined]);
  });

  const missOf = async (bot: Persona, capability = "CAP_REPO_DELETE", resource = repo) => {
    const { allowed, miss, fix } = await why(bot.uid, capability, resource);
    expect(allowed ?? false).toBe(false);
    return { miss, fix };
  };

  test("names the role with the fewest capabilities that would give access", async () => {
    const role = await createResource(`/iam/v2/roles/${organization.uid}`, owner, {
      name: randomName("role"),
      capabilities: ["CAP_SIGSTORE_CERTIFICATE_CREATE"],
    });
    const bot = await newIdentity(organization, undefined);
    const { miss, fix } = await missOf(bot, "CAP_SIGSTORE_CERTIFICATE_CREATE");
    expect(miss).toEqual({ kind: "KIND_NO_ROLE" });
    expect(fix).toMatchObject({
      kind: "KIND_CREATE_ROLE_BINDING",
      identityUid: bot.uid,
      groupUid: team,
      roleUid: role.uid,
      roleName: role.name,
    });
  });

  test("distinguishes a role without the capability from one on another group", async () => {
    const here = await newIdentity(organization, "viewer", { bindAt: team });
    expect((await missOf(here)).miss).toMatchObject({
      kind: "KIND_ROLE_LACKS_CAPABILITY",
      entry: { roleName: "viewer", groupUid: team },
    });
    const beside = await newIdentity(organization, "editor", { bindAt: sibling });
    expect((await missOf(beside)).miss).toMatchObject({
      kind: "KIND_ELSEWHERE",
      entry: { roleName: "editor", groupUid: sibling },
    });
  });

  test("says that an identity of another group cannot get access", async () => {
    const beside = await newIdentity(organization, undefined, { group: sibling });
    const { miss, fix } = await missOf(beside);
    expect(miss).toEqual({ kind: "KIND_OUT_OF_REACH" });
    expect(fix).toMatchObject({ kind: "KIND_CREATE_IDENTITY", groupUid: team });
    expect((await missOf({ uid: `${randomUid()}/${"0".repeat(16)}`, token: "" })).miss).toEqual({
      kind: "KIND_OUT_OF_REACH",
    });
  });

  test("names the role binding that a person has to accept, which then gives access", async () => {
    const person = await newUser();
    const binding = await bind(team, person.uid, "editor");
    const { miss, fix } = await missOf(person);
    expect(miss).toMatchObject({ kind: "KIND_PENDING", entry: { roleBindingUid: binding } });
    expect(fix).toMatchObject({ kind: "KIND_ACCEPT_ROLE_BINDING", roleBindingUid: binding });
    await createResource("/iam/v2/groupInvites:accept", person.token, {
      code: fix?.roleBindingUid,
    });
    expect((await why(person.uid, "CAP_REPO_DELETE")).allowed).toBe(true);
  });

  test("gives an unknown person and one without any role the same answer", async () => {
    const [known, unknown] = [(await newUser()).uid, randomUid()];
    const [one, other] = [await why(known, "CAP_REPO_LIST"), await why(unknown, "CAP_REPO_LIST")];
    expect(JSON.stringify(one).replaceAll(known, "")).toBe(
      JSON.stringify(other).replaceAll(unknown, ""),
    );
    expect(one.fix?.needsAcceptance).toBe(true);
  });

  test("says that an identity of a visible group does not exist", async () => {
    const { miss } = await why(`${team}/${"0".repeat(16)}`, "CAP_REPO_LIST");
    expect(miss).toEqual({ kind: "KIND_NO_IDENTITY" });
  });

  test("shows only the group of a role binding that the caller cannot list", async () => {
    const bot = await newIdentity(organization, "viewer");
    const teamOwner = await newIdentity(organization, "owner", { bindAt: team });
    const { allowed, paths, summary } = await why(bot.uid, "CAP_REPO_LIST", repo, teamOwner.token);
    expect(allowed).toBe(true);
    expect(paths?.[0]?.entry).toEqual({
      groupUid: organization.uid,
      inherited: true,
      state: "ACCESS_STATE_EFFECTIVE",
      hidden: true,
    });
    expect(summary).not.toContain("viewer");
  });

  test("of an internal capability names no role", async () => {
    const bot = await newIdentity(organization, "viewer");
    expect((await missOf(bot, "CAP_INTERNAL")).fix?.kind).toBe("KIND_NO_ROLE");
  });

  test("about a login of another organization's identity provider is INVALID_ARGUMENT", async () => {
    const ask = (more: Record<string, string>) =>
      explain(owner, {
        identity_uid: organization.owner.uid,
        capability: "CAP_REPO_LIST",
        resource_uid: repo,
        ...more,
      });
    const foreign = `${randomUid()}/${"0".repeat(16)}`;
    await expect(ask({ identity_provider_uid: foreign })).rejects.toThrow("identity_provider_uid");
    await expect(ask({ external_group_ids: "admins" })).rejects.toThrow("external_group_ids");
  });
});

describe("GetAccessDecision", () => {
  test("shows an owner the refused call, its caller and its time, and explains the access as it is now", async () => {
    const bot = await newIdentity(organization, undefined);
    const id = await refused(bot.token);
    const read = async () => (await callRest(decisionPath(id), { token: owner })).body;
    const before = await read();
    expect(before).toMatchObject({
      method: "platform.registry.v2.ReposService/GetRepo",
      resourceUid: repo,
      identityUid: bot.uid,
      capabilities: ["CAP_REPO_LIST"],
      explanation: { miss: { kind: "KIND_NO_ROLE" } },
    });
    expect(before.limits).toBeUndefined();
    expect(Math.abs(Date.parse(before.decideTime) - Date.now())).toBeLessThan(600_000);
    const { fix } = before.explanation;
    await createResource(`/iam/v2/roleBindings/${fix.groupUid}`, owner, {
      identityUid: fix.identityUid,
      roleUid: fix.roleUid,
    });
    expect((await read()).explanation.allowed).toBe(true);
    expect((await callRest(`/registry/v2/repos/${repo}`, { token: bot.token })).status).toBe(200);
  });

  test("is refused to everyone who cannot list access there, including the caller", async () => {
    const bot = await newIdentity(organization, undefined);
    const id = await refused(bot.token);
    const stranger = (await newOrganization()).owner.token;
    for (const token of [bot.token, stranger]) {
      const { status, body } = await callRest(decisionPath(id), { token });
      expect(status).toBe(403);
      expect(JSON.stringify(body)).not.toContain(bot.uid);
    }
  });

  test("is refused to a stranger before it says whether a resource belongs to the decision", async () => {
    const bot = await newIdentity(organization, undefined);
    const { body } = await callRest("/registry/v2/repos", { token: bot.token });
    const id = decisionIdOf(body);
    const stranger = (await newOrganization()).owner.token;
    const [own, unknown] = await Promise.all(
      [team, randomUid()].map((uid) => callRest(decisionPath(id, uid), { token: stranger })),
    );
    expect([own?.status, unknown?.status]).toEqual([403, 403]);
    expect(withoutDecisionId(own?.body)).toBe(withoutDecisionId(unknown?.body));
  });

  test("shows the limits of the token, and says that they are the reason", async () => {
    const token = await tokenFor(organization.owner.uid, { scopes: [sibling], capabilities: [] });
    const { body } = await callRest(decisionPath(await refused(token)), { token: owner });
    expect(body.limits).toMatchObject({ scopeUids: [sibling], scoped: true, narrowed: true });
    expect(body.explanation).toMatchObject({
      miss: { kind: "KIND_TOKEN_LIMITED" },
      fix: { kind: "KIND_USE_OTHER_TOKEN" },
    });
  });

  test("is NOT_FOUND for an id that the platform did not create", async () => {
    const id = await refused((await newIdentity(organization, undefined)).token);
    const other = `${id.startsWith("A") ? "B" : "A"}${id.slice(1)}`;
    for (const forged of ["x", "A".repeat(300), other, id.slice(0, -4), `${id}AAAA`]) {
      const { status, body } = await callRest(decisionPath(forged), { token: owner });
      expect([status, body.details[0].reason]).toEqual([404, "NOT_FOUND"]);
    }
    const { status } = await callRest(decisionPath("not+base64url"), { token: owner });
    expect(status).toBe(400);
  });

  test("of a pull is explained at the repository, and only in the organization of the image", async () => {
    const bot = await newIdentity(organization, undefined);
    const aud = registryAudience;
    const authorization = `Bearer ${await tokenFor(bot.uid, { aud })}`;
    const group = team.slice(41);
    const bodies = await Promise.all(
      ["repo", "nope"].map(async (name) => {
        const path = `/v2/${organization.uid}/${group}/${name}/manifests/latest`;
        const { status, body } = await callRest(path, { headers: { authorization } });
        expect(status).toBe(403);
        return body;
      }),
    );
    const ids = bodies.map((body) => body.errors[0].detail.decisionId as string);
    expect(new Set(ids.map((id) => id.length)).size).toBe(1);
    const { body } = await callRest(decisionPath(ids[0] ?? "", repo), { token: owner });
    expect(body).toMatchObject({
      method: "pull",
      image: `${organization.uid}/${group}/repo`,
      identityUid: bot.uid,
      capabilities: ["CAP_REPO_LIST", "CAP_TAG_LIST"],
      explanation: { fix: { kind: "KIND_CREATE_ROLE_BINDING", groupUid: team } },
    });
    const other = await newOrganization();
    const elsewhere = decisionPath(ids[0] ?? "", other.uid);
    expect((await callRest(elsewhere, { token: other.owner.token })).status).toBe(400);
  });

  test("of a call without a uid is explained at a resource of the identity's organization", async () => {
    const bot = await newIdentity(organization, undefined);
    const { status, body } = await callRest("/registry/v2/repos", { token: bot.token });
    expect(status).toBe(403);
    const id = decisionIdOf(body);
    const missing = await callRest(decisionPath(id), { token: owner });
    expect(missing.status).toBe(400);
    expect(missing.body.message).toContain("resource_uid");
    const explained = await callRest(decisionPath(id, team), { token: owner });
    expect(explained.body.explanation.fix).toMatchObject({ groupUid: team, identityUid: bot.uid });
    const other = await newOrganization();
    const elsewhere = await callRest(decisionPath(id, other.uid), { token: other.owner.token });
    expect(elsewhere.status).toBe(400);
  });
});
