import { beforeAll, expect, test } from "vitest";
import {
  createResource,
  newOrganization,
  type Organization,
  roleUid,
} from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { resourceCalls } from "../../world/resource_calls.ts";
import { newIdentityProvider } from "./openid_provider.ts";

const rootV2 = "/iam/v2/externalGroupRoleMappings";

let organization: Organization;
let token: string;
let idp: string;
beforeAll(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
  idp = (await newIdentityProvider(organization)).uid;
});

const mapping = async () => ({
  externalGroupId: "devs",
  roleUidp: await roleUid("viewer"),
  scope: organization.uid,
});
const { get, post } = resourceCalls("/iam/v1/externalGroupRoleMappings", () => token);

test("a mapping is the same in both versions, whichever created it", async () => {
  const { status, body } = await post(idp, await mapping());
  expect(status, JSON.stringify(body)).toBe(200);
  const { id, createdAt } = body;
  expect(id).toMatch(new RegExp(`^${idp}/[0-9a-f]{16}$`));
  const given = await mapping();
  expect(body).toEqual({ ...given, id, identityProviderUidp: idp, createdAt });
  expect((await get(id)).body).toEqual(body);
  const { roleUidp, externalGroupId, scope } = given;
  expect((await callRest(`${rootV2}/${id}`, { token })).body).toEqual({
    ...{ uid: id, identityProviderUid: idp, externalGroupId, roleUid: roleUidp, scope },
    ...{ createTime: createdAt, updateTime: createdAt, etag: expect.any(String) },
  });
  const other = { externalGroupId: "ops", roleUid: roleUidp, scope };
  const { uid, createTime } = await createResource(`${rootV2}/${idp}`, token, other);
  expect((await get(uid)).body).toEqual({
    ...{ ...given, externalGroupId: "ops", id: uid, identityProviderUidp: idp },
    createdAt: createTime,
  });
  expect((await post(idp, { ...given, externalGroupId: "ops" })).status).toBe(409);
});
