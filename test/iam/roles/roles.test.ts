import { beforeEach, describe, expect, test } from "vitest";
import {
  createResource,
  newIdentity,
  newOrganization,
  newUser,
  type Organization,
  randomName,
  roleUid,
} from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";

let organization: Organization;
let token: string;
let path: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
  path = `/iam/v2/roles/${organization.uid}`;
});

const post = (body: object, as = token) =>
  callRest(path, { token: as, body: { name: "r", ...body } });
const get = (uid: string, as = token) => callRest(`/iam/v2/roles/${uid}`, { token: as });
const patch = (uid: string, body: unknown, as = token) =>
  callRest(`/iam/v2/roles/${uid}`, { method: "PATCH", token: as, body });
const remove = (uid: string) => callRest(`/iam/v2/roles/${uid}`, { method: "DELETE", token });

describe("a custom role", () => {
  test("has its capabilities by name, in order and without duplicates", async () => {
    const { status, body } = await post({
      description: "d",
      capabilities: ["CAP_TAG_LIST", "CAP_REPO_LIST", "CAP_IAM_GROUPS_LIST", "CAP_REPO_LIST", 1605],
    });
    expect(status).toBe(200);
    expect(body.capabilities[0]).toBe("CAP_IAM_GROUPS_LIST");
    expect(new Set(body.capabilities).size).toBe(body.capabilities.length);
    const [row] = await sql<{ capabilities: string }>(
      "select capabilities from roles where uid = ?",
      body.uid,
    );
    const numbers = JSON.parse(row?.capabilities ?? "[]") as number[];
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    expect((await get(body.uid)).body).toEqual(body);
  });

  test("requires at least one capability", async () => {
    for (const body of [{}, { capabilities: [] }]) {
      const refused = await post(body);
      expect([refused.status, refused.body.details[1].fieldViolations[0].field]).toEqual([
        400,
        "capabilities",
      ]);
    }
    const role = await createResource(path, token, { name: "r", capabilities: ["CAP_REPO_LIST"] });
    expect((await patch(role.uid, { capabilities: [] })).status).toBe(400);
    expect((await get(role.uid)).body).toEqual(role);
  });

  test("keeps its capabilities when an update leaves them out", async () => {
    const role = await createResource(path, token, { name: "r", capabilities: ["CAP_REPO_LIST"] });
    const { body } = await patch(role.uid, { description: "d" });
    expect([body.capabilities, body.description]).toEqual([["CAP_REPO_LIST"], "d"]);
  });

  test("rejects an unknown capability, by name and number", async () => {
    for (const capability of ["CAP_NOPE", "cap_repo_list", 77777, -1, true, null]) {
      const { status, body } = await post({ capabilities: ["CAP_REPO_LIST", capability] });
      expect([capability, status, body.code]).toEqual([capability, 400, 3]);
    }
    expect(await sql("select uid from roles where parent = ?", organization.uid)).toEqual([]);
  });

  test("rejects an internal capability without CAP_INTERNAL, and CAP_INTERNAL for everyone except the operator", async () => {
    const internal = await post({ capabilities: ["CAP_REPO_LIST", "CAP_REPO_INTERNAL_ADMIN"] });
    expect([internal.status, internal.body.code]).toEqual([400, 3]);
    expect(internal.body.message).toContain("repo.internal.admin");
    const both = ["CAP_INTERNAL", "CAP_REPO_INTERNAL_ADMIN"];
    for (const capabilities of [both, ["CAP_INTERNAL"]]) {
      expect((await post({ capabilities })).status).toBe(403);
    }
    const role = await createResource(path, token, { name: "r", capabilities: ["CAP_REPO_LIST"] });
    expect((await patch(role.uid, { capabilities: ["CAP_REPO_INTERNAL_ADMIN"] })).status).toBe(400);
    expect((await patch(role.uid, { capabilities: both })).status).toBe(403);
    await sql(
      "insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time) values (?, ?, ?, 1, 1)",
      `${organization.uid}/00000000000000aa`,
      organization.owner.uid,
      await roleUid("operator"),
    );
    const allowed = await callRest(path, { token, body: { name: "i", capabilities: both } });
    expect([allowed.status, allowed.body.capabilities]).toEqual([200, both]);
  });

  test("cannot get by an update capabilities that the editor does not have", async () => {
    const editing = await createResource(path, token, {
      name: "editing",
      capabilities: ["CAP_IAM_ROLES_UPDATE", "CAP_IAM_ROLES_LIST"],
    });
    const bot = await newIdentity(organization, undefined);
    await createResource(`/iam/v2/roleBindings/${organization.uid}`, token, {
      identityUid: bot.uid,
      roleUid: editing.uid,
    });
    const refused = await patch(
      editing.uid,
      { capabilities: [...(editing.capabilities as string[]), "CAP_REPO_DELETE"] },
      bot.token,
    );
    expect([refused.status, refused.body.code]).toEqual([403, 7]);
    expect((await patch(editing.uid, { description: "x" }, bot.token)).status).toBe(200);
  });

  test.each([0, 1, 2])(
    "cannot be deleted while an identity has it, %i levels below its group",
    async (levels) => {
      const role = await createResource(path, token, {
        name: "r",
        capabilities: ["CAP_REPO_LIST"],
      });
      let group = organization.uid;
      for (let level = 0; level < levels; level += 1) {
        group = (await createResource(`/iam/v2/groups/${group}`, token, { name: randomName("g") }))
          .uid;
      }
      const bot = await newIdentity(organization, undefined);
      const body = { identityUid: bot.uid, roleUid: role.uid };
      const { uid } = await createResource(`/iam/v2/roleBindings/${group}`, token, body);
      const remove = (at: string) => callRest(at, { method: "DELETE", token });
      expect((await remove(`/iam/v2/roles/${role.uid}`)).body).toMatchObject({ code: 9 });
      await expect(sql("delete from roles where uid = ?", role.uid)).rejects.toThrow(
        "role is in use",
      );
      expect((await remove(`/iam/v2/roleBindings/${uid}`)).status).toBe(200);
      expect((await remove(`/iam/v2/roles/${role.uid}`)).status).toBe(200);
    },
  );

  test("changes at once for everyone bound to it", async () => {
    const role = await createResource(path, token, { name: "r", capabilities: ["CAP_REPO_LIST"] });
    const bot = await newIdentity(organization, undefined);
    await createResource(`/iam/v2/roleBindings/${organization.uid}`, token, {
      identityUid: bot.uid,
      roleUid: role.uid,
    });
    const status = async (at: string) => (await callRest(at, { token: bot.token })).status;
    expect([await status("/registry/v2/repos"), await status("/registry/v2/tags")]).toEqual([
      200, 403,
    ]);
    await patch(role.uid, { capabilities: ["CAP_TAG_LIST"] });
    expect([await status("/registry/v2/repos"), await status("/registry/v2/tags")]).toEqual([
      403, 200,
    ]);
  });

  test("can be deleted only if no one has it", async () => {
    const role = await createResource(path, token, { name: "r", capabilities: ["CAP_REPO_LIST"] });
    const group = await createResource(`/iam/v2/groups/${organization.uid}`, token, { name: "g" });
    const binding = await createResource(`/iam/v2/roleBindings/${group.uid}`, token, {
      identityUid: organization.owner.uid,
      roleUid: role.uid,
    });
    const refused = await remove(role.uid);
    expect([refused.status, refused.body.code]).toEqual([400, 9]);
    expect(refused.body.details[1]["@type"]).toContain("PreconditionFailure");
    expect(refused.body.details[1].violations[0].subject).toBe(role.uid);
    expect((await get(role.uid)).body).toEqual(role);
    await callRest(`/iam/v2/roleBindings/${binding.uid}`, { method: "DELETE", token });
    const gone = await remove(role.uid);
    expect([gone.status, gone.body]).toEqual([200, undefined]);
    expect((await get(role.uid)).status).toBe(404);
  });
});

describe("a built-in role", () => {
  test("can be read by callers with the capability anywhere, and by no one else", async () => {
    const viewer = await roleUid("viewer");
    const { status, body } = await get(viewer);
    expect([status, body.uid, body.name]).toEqual([200, viewer, "viewer"]);
    expect(body.capabilities).toContain("CAP_REPO_LIST");
    const { token: stranger } = await newUser();
    expect((await get(viewer, stranger)).status).toBe(403);
    expect((await get("0".repeat(40))).status).toBe(404);
  });

  test("cannot be changed or deleted by anyone", async () => {
    const viewer = await roleUid("viewer");
    const before = await get(viewer);
    for (const answer of [
      await patch(viewer, { description: "mine" }),
      await patch(viewer, { capabilities: ["CAP_IAM_GROUPS_DELETE"] }),
      await remove(viewer),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([403, 7]);
    }
    expect((await get(viewer)).body).toEqual(before.body);
  });
});
