import { beforeEach, describe, expect, test } from "vitest";
import { createResource, newOrganization, type Organization } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { resourceCalls } from "../../world/resource_calls.ts";

let organization: Organization;
let token: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
});

const { list, post, put } = resourceCalls("/iam/v1/account_associations", () => token);
const groupsOf = async (query: string) => {
  const { status, body } = await list(query);
  expect(status, JSON.stringify(body)).toBe(200);
  return ((body.items ?? []) as { group: string }[]).map(({ group }) => group);
};
const inV2 = async (group: string) =>
  (await callRest(`/iam/v2/accountAssociations/${group}`, { token })).body;
const newGroup = async (name: string) =>
  (await createResource(`/iam/v2/groups/${organization.uid}`, token, { name })).uid;
const servant = async (servicePrincipal: string) =>
  (
    await createResource(`/iam/v2/identities/${organization.uid}`, token, {
      name: "bot",
      servicePrincipal,
    })
  ).uid;

const links = {
  amazon: { account: "123456789012" },
  google: { projectId: "my-project", projectNumber: "987654321" },
  azure: {
    tenantId: "11111111-2222-3333-4444-555555555555",
    clientIds: { scanner: "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee" },
  },
  github: {
    appInstallations: {
      "42": { installations: [{ installationId: "9007199254740993", name: "acme" }] },
      "43": {},
    },
  },
};

/** All fields that a client can set, with the identity of a service. */
const everything = async () => ({
  ...{ name: "clouds", description: "all of them", ...links },
  vendor: { serviceBindings: { COSIGNED: await servant("SERVICE_PRINCIPAL_COSIGNED") } },
});

test("an account association is the same in both versions, whichever created it", async () => {
  const given = await everything();
  const group = organization.uid;
  const { status, body } = await post(group, { ...given, group: "ignored" });
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body).toEqual({ group, ...given });
  const { createTime, updateTime, etag: _, ...read } = await inV2(group);
  expect([read, updateTime]).toEqual([{ uid: group, ...given }, createTime]);
  expect((await list(`group=${group}`)).body).toEqual({ items: [body] });
  expect((await post(group, given)).body.code).toBe(6);
  const other = await newGroup("other");
  await createResource(`/iam/v2/accountAssociations/${other}`, token, { name: "v2", ...links });
  expect((await list(`group=${other}`)).body).toEqual({
    items: [{ group: other, name: "v2", ...links }],
  });
});

describe("a PUT of an account association", () => {
  test("replaces the whole, and removes each link that it leaves out", async () => {
    const given = await everything();
    const group = organization.uid;
    await post(group, given);
    for (const kept of ["amazon", "google", "vendor", "azure", "github"] as const) {
      const sent = { name: "less", [kept]: given[kept] };
      const { status, body } = await put(group, sent);
      expect([status, body]).toEqual([200, { group, ...sent }]);
      const { createTime: _, updateTime: __, etag: ___, ...read } = await inV2(group);
      expect(read).toEqual({ uid: group, ...sent });
      await put(group, given);
    }
    const { body } = await put(group, { name: "none" });
    expect(body).toEqual({ group, name: "none" });
  });
});

describe("a list of account associations", () => {
  test("is that of a group, of a name, or of both", async () => {
    const [one, two] = [await newGroup("one"), await newGroup("two")];
    await post(one, { name: "same" });
    await post(two, { name: "same" });
    await post(organization.uid, { name: "other" });
    expect(await groupsOf("")).toEqual([organization.uid, one, two].sort());
    expect((await groupsOf("name=same")).sort()).toEqual([one, two].sort());
    expect(await groupsOf(`group=${two}&name=same`)).toEqual([two]);
    expect(await groupsOf(`group=${two}&name=other`)).toEqual([]);
    expect(await groupsOf(`group=${await newGroup("bare")}`)).toEqual([]);
    expect(await groupsOf(`group=${organization.uid}/${"0".repeat(16)}`)).toEqual([]);
  });
});
