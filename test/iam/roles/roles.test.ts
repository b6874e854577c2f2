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
import { resourceCalls } from "../../world/resource_calls.ts";

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
const { get, patch } = resourceCalls("/iam/v2/roles", () => token);

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
      const refused = await remove(`/iam/v2/roles/${role.uid}`);
      expect([refused.status, refused.body.code]).toEqual([400, 9]);
      expect(refused.body.details[1].violations[0]).toMatchObject({
        type: "RESOURCE_IN_USE",
        subject: role.uid,
      });
      await expect(sql("delete from roles where uid = ?", role.uid)).rejects.toThrow(
        "role is in use",
      );
      expect((await remove(`/iam/v2/roleBindings/${uid}`)).status).toBe(200);
      expect((await remove(`/iam/v2/roles/${role.uid}`)).status).toBe(200);
    },
  );
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
});
