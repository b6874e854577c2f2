import { beforeEach, describe, expect, test } from "vitest";
import { CapabilitySchema } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { isInternalOnly } from "../../../schema/options.ts";
import { toCapabilities, toCapabilityNames } from "../../../src/iam/roles/capability_names.ts";
import {
  createResource,
  newOrganization,
  type Organization,
  roleUid,
} from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { listedIds, resourceCalls } from "../../world/resource_calls.ts";

let organization: Organization;
let token: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
});

const { list, post: create, put } = resourceCalls("/iam/v1/roles", () => token);
const post = (body: object) => create(organization.uid, { name: "r", ...body });
const v2 = async (id: string) => (await callRest(`/iam/v2/roles/${id}`, { token })).body;
const role = async (name: string, group = organization.uid) =>
  (await create(group, { name, capabilities: ["repo.list"] })).body.id as string;

describe("the capabilities of a role", () => {
  test("have names with dots, and names of the enum in version 2, and a PUT replaces all fields", async () => {
    const capabilities = ["tag.list", "groups.list", "repo.list", "groups.list"];
    const { status, body } = await post({ description: "d", capabilities });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(new RegExp(`^${organization.uid}/[0-9a-f]{16}$`)),
      name: "r",
      description: "d",
      capabilities: ["groups.list", "repo.list", "tag.list"],
    });
    expect((await list(`id=${body.id}`)).body.items).toEqual([body]);
    expect(await v2(body.id)).toMatchObject({
      ...{ uid: body.id, name: "r", description: "d" },
      capabilities: ["CAP_IAM_GROUPS_LIST", "CAP_REPO_LIST", "CAP_TAG_LIST"],
    });
    const least = { name: "s", capabilities: ["tag.list"] };
    expect((await put(body.id, least)).body).toEqual({ id: body.id, ...least });
    expect(await v2(body.id)).not.toHaveProperty("description");
  });

  test("all have a name that can be read back", () => {
    const numbers = CapabilitySchema.values.map(({ number }) => number).filter((one) => one > 0);
    const names = toCapabilityNames(numbers);
    expect(new Set(names).size).toBe(numbers.length);
    expect(toCapabilities(names)).toEqual(numbers);
  });

  test("can be all that are not internal, together", async () => {
    const open = CapabilitySchema.values.filter((one) => one.number > 2 && !isInternalOnly(one));
    const capabilities = toCapabilityNames(open.map(({ number }) => number));
    expect((await post({ capabilities })).body.capabilities).toEqual(capabilities);
  });

  test("of version 2 are read with their dots", async () => {
    const capabilities = ["CAP_REPO_LIST", "CAP_IAM_IDENTITY_PROVIDERS_LIST"];
    const { uid } = await createResource(`/iam/v2/roles/${organization.uid}`, token, {
      name: "two",
      capabilities,
    });
    const [item] = (await list(`id=${uid}`)).body.items;
    expect([...item.capabilities].sort()).toEqual(["identity_providers.list", "repo.list"]);
  });

  test("that are stored and no longer exist are skipped", async () => {
    const id = await role("old");
    await sql("update roles set capabilities = '[0,1601,1605,99999]' where uid = ?", id);
    const names = toCapabilityNames([1605]);
    expect((await list(`id=${id}`)).body.items[0].capabilities).toEqual(names);
    const { status, body } = await put(id, { name: "old", capabilities: names });
    expect([status, body.capabilities]).toEqual([200, names]);
  });
});

describe("a list of roles", () => {
  test("can be filtered by id, name, parent and place, and by all of them together", async () => {
    const group = (await createResource(`/iam/v1/groups/${organization.uid}`, token, { name: "g" }))
      .id;
    const [one, two] = [await role("one"), await role("two")];
    const inGroup = await role("two", group as string);
    const viewer = await roleUid("viewer");
    const own = `parent=${organization.uid}`;
    const builtIn = listedIds(await list("parent=%2F"));
    expect(builtIn).toContain(viewer);
    expect(builtIn.every((id) => id.length === 40)).toBe(true);
    expect(listedIds(await list("uidp.in_root=true"))).toEqual(builtIn);
    for (const [query, expected] of [
      [`parent=${group}`, [inGroup]],
      [`${own}&name=two`, [two]],
      ["name=viewer", [viewer]],
      [`id=${one}&${own}`, [one]],
      [`id=${viewer}&parent=%2F&name=viewer`, [viewer]],
      [`${own}&uidp.descendants_of=${organization.uid}&name=one`, [one]],
      [`${own}&uidp.ids=${one}&uidp.ids=${inGroup}`, [one]],
      [`id=${inGroup}&parent=${group}&uidp.descendants_of=${organization.uid}`, [inGroup]],
      [`id=${one}&parent=${group}`, []],
      [`id=${one}&parent=%2F`, []],
      [`id=${viewer}&${own}`, []],
      [`${own}&uidp.descendants_of=${group}`, []],
      [`${own}&uidp.in_root=true`, []],
      [`parent=%2F&uidp.children_of=${organization.uid}`, []],
    ] as const) {
      expect([query, listedIds(await list(query))]).toEqual([query, expected]);
    }
  });
});
