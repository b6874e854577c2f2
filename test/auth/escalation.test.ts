/** No one passes on access that they do not have (contract: RoleBindings, Roles). */
import { beforeAll, describe, expect, test } from "vitest";
import { Capability } from "../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { newContractCaller } from "../contract/fixtures.ts";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
  type Persona,
  randomName,
  roleUid,
} from "../world/personas.ts";
import { type Answer, callRest, requestInfo, sql } from "../world/platform.ts";

let organization: Organization;
let owner: string;
let viewer: string;
let ownerRole: string;
/** Can bind and change roles, and can read like a viewer. Is not an owner. */
let manager: Persona;
beforeAll(async () => {
  organization = await newOrganization();
  ({ token: owner } = organization.owner);
  [viewer, ownerRole] = [await roleUid("viewer"), await roleUid("owner")];
  const [row] = await sql<{ capabilities: string }>(
    "select capabilities from roles where uid = ?",
    viewer,
  );
  manager = await newContractCaller(organization.uid, [
    ...JSON.parse(row?.capabilities ?? "[]"),
    Capability.CAP_IAM_ROLE_BINDINGS_CREATE,
    Capability.CAP_IAM_ROLE_BINDINGS_UPDATE,
    Capability.CAP_IAM_ROLES_CREATE,
    Capability.CAP_IAM_ROLES_UPDATE,
    Capability.CAP_IAM_IDENTITY_UPDATE,
  ]);
});

const bindings = () => `/iam/v2/roleBindings/${organization.uid}`;
const newBot = () => newIdentity(organization, undefined);
const boundTo = (identity: string) =>
  sql("select role_uid from role_bindings where identity_uid = ?", identity);

function expectRefused({ status, body }: Answer, words: RegExp) {
  expect(status).toBe(403);
  expect(body).toMatchObject({ code: 7, details: [{ reason: "PERMISSION_DENIED" }, requestInfo] });
  expect(body.message).toMatch(words);
}

describe("a caller who can create bindings", () => {
  test("binds a role if the caller has all its capabilities", async () => {
    const bot = await newBot();
    const body = { identityUid: bot.uid, roleUid: viewer };
    expect((await callRest(bindings(), { token: manager.token, body })).status).toBe(200);
  });

  test("cannot bind a role without having all its capabilities, to others or to itself", async () => {
    for (const identityUid of [(await newBot()).uid, manager.uid]) {
      const body = { identityUid, roleUid: ownerRole };
      expectRefused(
        await callRest(bindings(), { token: manager.token, body }),
        /role owner has capabilities that you do not have/,
      );
      expect(await boundTo(identityUid)).not.toContainEqual({ role_uid: ownerRole });
    }
  });

  test("cannot hide such a role in a batch, and then the whole batch fails", async () => {
    const [one, other] = [await newBot(), await newBot()];
    const asked = [
      { roleBinding: { identityUid: one.uid, roleUid: viewer } },
      { roleBinding: { identityUid: other.uid, roleUid: ownerRole } },
    ];
    for (const body of [
      { parent: organization.uid, requests: asked },
      {
        parent: organization.uid,
        roleUid: ownerRole,
        requests: [{ roleBinding: { identityUid: one.uid } }],
      },
    ]) {
      const path = "/iam/v2/roleBindings:batchCreate";
      expectRefused(await callRest(path, { token: manager.token, body }), /role owner/);
    }
    expect([...(await boundTo(one.uid)), ...(await boundTo(other.uid))]).toEqual([]);
  });

  test("cannot change a binding to such a role", async () => {
    const bot = await newBot();
    const { uid } = await createResource(bindings(), owner, {
      identityUid: bot.uid,
      roleUid: viewer,
    });
    const body = { roleUid: ownerRole };
    const asked = { method: "PATCH", token: manager.token, body };
    expectRefused(await callRest(`/iam/v2/roleBindings/${uid}`, asked), /role owner/);
    expect(await boundTo(bot.uid)).toEqual([{ role_uid: viewer }]);
  });

  test("cannot take over a binding of such a role", async () => {
    const bot = await newBot();
    const { uid } = await createResource(bindings(), owner, {
      identityUid: bot.uid,
      roleUid: ownerRole,
    });
    const body = { identityUid: manager.uid };
    const asked = { method: "PATCH", token: manager.token, body };
    expectRefused(await callRest(`/iam/v2/roleBindings/${uid}`, asked), /role owner/);
    expect(await boundTo(manager.uid)).not.toContainEqual({ role_uid: ownerRole });
  });

  test("binds no more on the root than it has there, whatever it has below", async () => {
    const group = await createResource(`/iam/v2/groups/${organization.uid}`, owner, {
      name: randomName("g"),
    });
    const bot = await newIdentity(organization, "owner", { bindAt: group.uid });
    const body = { identityUid: (await newBot()).uid, roleUid: viewer };
    expect((await callRest(bindings(), { token: bot.token, body })).status).toBe(403);
    const below = await callRest(`/iam/v2/roleBindings/${group.uid}`, { token: bot.token, body });
    expect(below.status).toBe(200);
  });
});

describe("a caller who can change roles", () => {
  const newRole = (capabilities: string[]) =>
    createResource(`/iam/v2/roles/${organization.uid}`, owner, {
      name: randomName("role"),
      capabilities,
    });
  const change = (uid: string, body: unknown, token = manager.token) =>
    callRest(`/iam/v2/roles/${uid}`, { method: "PATCH", token, body });

  test("adds and removes capabilities that it has", async () => {
    const { uid } = await newRole(["CAP_REPO_LIST"]);
    const body = { capabilities: ["CAP_REPO_LIST", "CAP_TAG_LIST"] };
    expect((await change(uid, body)).status).toBe(200);
    expect((await change(uid, { capabilities: ["CAP_TAG_LIST"] })).status).toBe(200);
  });

  test("cannot add a capability that it does not have", async () => {
    const { uid } = await newRole(["CAP_REPO_LIST"]);
    const body = { capabilities: ["CAP_REPO_LIST", "CAP_REPO_DELETE"] };
    expectRefused(await change(uid, body), /capabilities that you do not have/);
    const { body: role } = await callRest(`/iam/v2/roles/${uid}`, { token: owner });
    expect(role.capabilities).toEqual(["CAP_REPO_LIST"]);
  });

  test("can keep and remove capabilities that it does not have", async () => {
    const { uid } = await newRole(["CAP_REPO_LIST", "CAP_REPO_DELETE", "CAP_TAG_DELETE"]);
    const kept = { capabilities: ["CAP_REPO_LIST", "CAP_REPO_DELETE"] };
    expect((await change(uid, kept)).status).toBe(200);
  });

  test("cannot change a role of a group above its own", async () => {
    const group = await createResource(`/iam/v2/groups/${organization.uid}`, owner, {
      name: randomName("g"),
    });
    const bot = await newIdentity(organization, "owner", { bindAt: group.uid });
    const { uid } = await newRole(["CAP_REPO_LIST"]);
    const body = { capabilities: ["CAP_REPO_LIST", "CAP_TAG_LIST"] };
    expect((await change(uid, body, bot.token)).status).toBe(403);
  });

  test("cannot change a built-in role, even as its owner", async () => {
    for (const token of [manager.token, owner]) {
      expectRefused(await change(viewer, { description: "mine" }, token), /built-in/);
      const path = `/iam/v2/roles/${viewer}`;
      expectRefused(await callRest(path, { method: "DELETE", token }), /built-in/);
    }
  });

  test("adds no internal capability to a role", async () => {
    const create = (capabilities: string[]) =>
      callRest(`/iam/v2/roles/${organization.uid}`, {
        token: owner,
        body: { name: randomName("role"), capabilities },
      });
    expect((await create(["CAP_REPO_INTERNAL_ADMIN"])).status).toBe(400);
    const sly = await create(["CAP_INTERNAL", "CAP_REPO_INTERNAL_ADMIN"]);
    expectRefused(sly, /only the operator/);
    const { uid } = await newRole(["CAP_REPO_LIST"]);
    const body = { capabilities: ["CAP_INTERNAL", "CAP_REPO_INTERNAL_ADMIN"] };
    expectRefused(await change(uid, body, owner), /only the operator/);
  });

  test("creates a role with any other capability, and cannot bind it", async () => {
    const role = await createResource(`/iam/v2/roles/${organization.uid}`, manager.token, {
      name: randomName("role"),
      capabilities: ["CAP_REPO_DELETE"],
    });
    const body = { identityUid: manager.uid, roleUid: role.uid };
    expectRefused(await callRest(bindings(), { token: manager.token, body }), /do not have/);
  });
});

describe("a caller who can change identities", () => {
  const mine = { claimMatch: { issuer: "https://issuer.example.com", subject: "me" } };
  const change = (uid: string, body: unknown) =>
    callRest(`/iam/v2/identities/${uid}`, { method: "PATCH", token: manager.token, body });

  test("cannot make an identity with more capabilities accept its own token", async () => {
    const bot = await newIdentity(organization, "owner");
    expectRefused(await change(bot.uid, mine), /cannot change which tokens the identity accepts/);
    const read = await callRest(`/iam/v2/identities/${bot.uid}`, { token: owner });
    expect(read.body).not.toHaveProperty("claimMatch");
    expect((await change(bot.uid, { description: "renamed" })).status).toBe(200);
  });

  test("changes the matchers of an identity with no more capabilities than it has", async () => {
    const bot = await newIdentity(organization, "viewer");
    expect((await change(bot.uid, mine)).status).toBe(200);
  });
});
