import { beforeAll, describe, expect, test } from "vitest";
import { createResource, newOrganization, type Organization } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { resourceCalls } from "../../world/resource_calls.ts";

let organization: Organization;
let token: string;
beforeAll(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
});

const { list, post: create, put } = resourceCalls("/iam/v1/identities", () => token);
const post = (body: object) => create(organization.uid, body);
const inV2 = async (id: string) => (await callRest(`/iam/v2/identities/${id}`, { token })).body;

const publicKey = { kty: "EC", crv: "P-256", x: "AA", y: "AA", kid: "1", alg: "ES256" };
const issuerKeys = JSON.stringify({ keys: [publicKey] });
const day = 24 * 3600 * 1000;
const inDays = (days: number) => new Date(Date.now() + days * day).toISOString();

/** Each kind of relationship with all its members, in the names of each version. */
const kinds = () => {
  const claims = {
    issuer: "https://i.example",
    subject: "s",
    audience: "a",
    claims: { ref: "main" },
    claimPatterns: { sha: "[0-9a-f]{40}" },
  };
  const patterns = {
    issuerPattern: "https://i\\..*",
    subjectPattern: "s.*",
    audiencePattern: "a|b",
  };
  const keys = { issuer: "https://i.example", subject: "s", issuerKeys, audiences: ["a"] };
  const account = { awsAccount: "123456789012" };
  const expires = inDays(20);
  return [
    { v1: { claimMatch: claims }, v2: { claimMatch: claims } },
    { v1: { claimMatch: patterns }, v2: { claimMatch: patterns } },
    {
      v1: { static: { ...keys, expiration: expires } },
      v2: { staticKeys: { ...keys, expirationTime: expires } },
    },
    ...[
      { ...account, arn: "arn:aws:sts::123456789012:assumed-role/x/y", userIdPattern: "AROA.*" },
      { ...account, arnPattern: "arn:.*", userId: "AROA1" },
    ].map((awsIdentity) => ({ v1: { awsIdentity }, v2: { awsIdentity } })),
    {
      v1: { servicePrincipal: "TENANT_SCANNER" },
      v2: { servicePrincipal: "SERVICE_PRINCIPAL_TENANT_SCANNER" },
    },
  ];
};

describe("an identity with each kind of relationship", () => {
  test.each(kinds())("$v1 is the same identity in both versions", async ({ v1, v2 }) => {
    const { status, body } = await post({ name: "bot", description: "d", ...v1 });
    expect(status, JSON.stringify(body)).toBe(200);
    const { id, createdAt } = body;
    expect(id).toMatch(new RegExp(`^${organization.uid}/[0-9a-f]{16}$`));
    expect(body).toEqual({
      ...{ id, name: "bot", description: "d", ...v1 },
      ...{ createdAt, updatedAt: createdAt, lastSeen: createdAt },
    });
    expect(await inV2(id)).toEqual({
      ...{ uid: id, name: "bot", description: "d", ...v2 },
      ...{ createTime: createdAt, updateTime: createdAt, lastSeenTime: createdAt },
      etag: expect.any(String),
    });
    expect((await list(`id=${id}`)).body).toEqual({ items: [body] });
    const { uid } = await createResource(`/iam/v2/identities/${organization.uid}`, token, {
      ...{ name: "other", company: "Corp", ...v2 },
    });
    const [other] = (await list(`id=${uid}`)).body.items;
    expect(other).toMatchObject({ id: uid, name: "other", ...v1 });
    expect(other).not.toHaveProperty("company");
  });

  test.each(kinds())("$v1 can be set by PUT, from any other kind", async ({ v1, v2 }) => {
    for (const { v1: before } of kinds()) {
      const { body: made } = await post({ name: "bot", ...before });
      const { status, body } = await put(made.id, { name: "bot", ...v1 });
      expect(status, JSON.stringify(body)).toBe(200);
      const { id, name, createdAt, updatedAt, lastSeen, ...relationship } = body;
      expect([id, name, relationship]).toEqual([made.id, "bot", v1]);
      const isChanged = JSON.stringify(before) !== JSON.stringify(v1);
      expect([updatedAt > createdAt, lastSeen === createdAt]).toEqual([isChanged, true]);
      expect(await inV2(id)).toMatchObject(v2);
    }
  });
});

describe("a PUT of an identity", () => {
  test("resets the fields that it leaves out, except those that only version 2 has", async () => {
    const { uid } = await createResource(`/iam/v2/identities/${organization.uid}`, token, {
      ...{ name: "bot", description: "d", company: "Corp" },
      claimMatch: { issuer: "https://i.example", subject: "s" },
    });
    const { body } = await put(uid, { name: "renamed", id: "ignored", lastSeen: inDays(1) });
    const { createdAt, updatedAt, lastSeen } = body;
    expect(body).toEqual({ id: uid, name: "renamed", createdAt, updatedAt, lastSeen });
    expect(lastSeen).toBe(createdAt);
    const kept = await inV2(uid);
    expect(kept).toMatchObject({ name: "renamed", company: "Corp" });
    expect(kept).not.toHaveProperty("claimMatch");
    expect(kept).not.toHaveProperty("description");
  });
});
