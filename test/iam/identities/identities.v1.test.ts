import { beforeEach, describe, expect, test } from "vitest";
import { withoutDecisionId } from "../../contract/decisions.ts";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
  randomName,
  randomUid,
} from "../../world/personas.ts";
import { callRest, costOf, sql } from "../../world/platform.ts";

const root = "/iam/v1/identities";

let organization: Organization;
let token: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
});

const post = (body: object, at = organization.uid) => callRest(`${root}/${at}`, { token, body });
const put = (id: string, body: object, as = token) =>
  callRest(`${root}/${id}`, { method: "PUT", token: as, body });
const inV2 = async (id: string) => (await callRest(`/iam/v2/identities/${id}`, { token })).body;
const list = async (query: string, as = token) => callRest(`${root}?${query}`, { token: as });
const idsOf = async (query: string) => {
  const { status, body } = await list(query);
  expect(status).toBe(200);
  return ((body.items ?? []) as { id: string }[]).map(({ id }) => id);
};
const fieldsOf = (body: { details: { fieldViolations?: { field: string }[] }[] }) =>
  body.details.flatMap((one) => one.fieldViolations ?? []).map(({ field }) => field);
const events = (subject: string) =>
  sql<{ type: string; source: string; body_type: string; data: string }>(
    "select * from events where subject = ? order by time",
    subject,
  );

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

  test("without the name is rejected and changes nothing", async () => {
    const { body: made } = await post({ name: "bot", description: "d" });
    const { status, body } = await put(made.id, { description: "e" });
    expect([status, fieldsOf(body)]).toEqual([400, ["name"]]);
    expect(await inV2(made.id)).toMatchObject({ name: "bot", description: "d" });
  });

  test("of an unknown identity is NOT_FOUND, and so is a DELETE", async () => {
    const gone = `${organization.uid}/${"0".repeat(16)}`;
    expect(await put(gone, { name: "x" })).toMatchObject({ status: 404, body: { code: 5 } });
    const removed = await callRest(`${root}/${gone}`, { method: "DELETE", token });
    expect(removed).toMatchObject({ status: 404, body: { code: 5 } });
  });

  test("cannot make an identity with more capabilities than the caller accept other tokens", async () => {
    const owner = await newIdentity(organization, "owner");
    const role = await createResource(`/iam/v2/roles/${organization.uid}`, token, {
      name: randomName("role"),
      capabilities: ["CAP_IAM_IDENTITY_UPDATE"],
    });
    const weak = await newIdentity(organization, undefined);
    await createResource(`/iam/v2/roleBindings/${organization.uid}`, token, {
      identityUid: weak.uid,
      roleUid: role.uid,
    });
    const claimMatch = { issuer: "https://mine.example", subject: "me" };
    expect((await put(owner.uid, { name: "bot", claimMatch }, weak.token)).status).toBe(403);
    expect((await put(owner.uid, { name: "renamed" }, weak.token)).status).toBe(200);
  });
});

describe("an error names the field as in version 1:", () => {
  const keys = { issuer: "https://i.example", subject: "s", issuerKeys };
  test.each([
    ["name", { name: "UPPER" }],
    ["claim_match.issuer", { claimMatch: { issuer: "http://i.example", subject: "s" } }],
    ["static.issuer_keys", { static: { ...keys, issuerKeys: "x" } }],
    ["static.subject", { static: { ...keys, subject: "" } }],
    ["static.expiration", { static: { ...keys, expiration: inDays(400) } }],
    ["aws_identity.aws_account", { awsIdentity: { awsAccount: "1", arn: "a", userId: "u" } }],
    ["service_principal", { servicePrincipal: "UNKNOWN" }],
  ])("%s, on create and on update", async (field, given) => {
    const { body: made } = await post({ name: "bot" });
    for (const answer of [
      await post({ name: "bot", ...given }),
      await put(made.id, { name: "bot", ...given }),
    ]) {
      expect(answer.status).toBe(400);
      expect(fieldsOf(answer.body)).toEqual([field]);
      expect(answer.body.message).toContain(field);
      expect(answer.body.message).not.toContain("static_keys");
      expect(answer.body.message).not.toContain("expiration_time");
    }
    expect(await idsOf(`uidp.children_of=${organization.uid}`)).toEqual([made.id]);
  });
});

test("static keys work for 365 days, or until an earlier time that is set, as in version 2", async () => {
  const keys = { issuer: "https://i.example", subject: "s", issuerKeys };
  const { body } = await post({ name: "bot", static: keys });
  expect(Date.parse(body.static.expiration) - Date.parse(body.createdAt)).toBe(365 * day);
});

describe("a list of identities", () => {
  test("has all identities in items, however many, ordered by id", async () => {
    await sql(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 230)
       insert into identities (uid, name, last_seen_time, create_time, update_time)
       select ? || '/' || printf('%016x', i), 'bot-' || i, 1, 1, 1 from n`,
      organization.uid,
    );
    const { body } = await list(`uidp.children_of=${organization.uid}`);
    expect(Object.keys(body)).toEqual(["items"]);
    const ids = body.items.map(({ id }: { id: string }) => id);
    expect(ids).toHaveLength(230);
    expect(ids).toEqual([...ids].sort());
    expect(await idsOf("")).toEqual(ids);
  });

  test("can be filtered by place and by id, and by both together", async () => {
    const group = await createResource(`/iam/v1/groups/${organization.uid}`, token, {
      name: "sub",
    });
    const [{ body: above }, { body: below }] = [
      await post({ name: "above" }),
      await post({ name: "below" }, String(group.id)),
    ];
    const under = `uidp.children_of=${group.id}`;
    expect(await idsOf(under)).toEqual([below.id]);
    expect((await idsOf(`uidp.descendantsOf=${organization.uid}`)).sort()).toEqual(
      [above.id, below.id].sort(),
    );
    expect(await idsOf(`id=${above.id}`)).toEqual([above.id]);
    expect(await idsOf(`uidp.ids=${above.id}&uidp.ids=${below.id}`)).toHaveLength(2);
    expect(await idsOf(`id=${below.id}&${under}`)).toEqual([below.id]);
    expect(await idsOf(`id=${above.id}&${under}`)).toEqual([]);
  });

  test("by an unknown id is empty, by a malformed one names id, and by another's is denied", async () => {
    const gone = `${organization.uid}/${"0".repeat(16)}`;
    expect((await list(`id=${gone}`)).body).toEqual({});
    const malformed = await list("id=x");
    expect([malformed.status, fieldsOf(malformed.body)]).toEqual([400, ["id"]]);
    const other = await newOrganization();
    const foreign = await newIdentity(other, undefined);
    const refused = await list(`id=${foreign.uid}`);
    const unknown = await list(`id=${randomUid()}/${"0".repeat(16)}`);
    expect(refused.status).toBe(403);
    expect(withoutDecisionId(refused.body)).toBe(withoutDecisionId(unknown.body));
    expect(costOf(await list(`uidp.children_of=${organization.uid}`)).roundTrips).toBe(1);
  });
});

test("events have the message of version 1", async () => {
  const { body: made } = await post({
    name: "bot",
    static: { issuer: "https://i.example", subject: "s", issuerKeys },
  });
  const { body: changed } = await put(made.id, { name: "renamed" });
  const removed = await callRest(`${root}/${made.id}`, { method: "DELETE", token });
  expect([removed.status, removed.body]).toEqual([200, undefined]);
  const outboxEvents = await events(made.id);
  expect(
    outboxEvents.map(({ type, source, body_type, data }) => [
      type,
      source,
      body_type,
      JSON.parse(data).body,
    ]),
  ).toEqual(
    [
      ["created", "Identity", made],
      ["updated", "Identity", changed],
      ["deleted", "DeleteIdentityRequest", { id: made.id }],
    ].map(([what, message, body]) => [
      `dev.vendor.api.iam.identity.${what}.v1`,
      "http://localhost:8787/iam/v1/identities",
      `platform.iam.${message}`,
      body,
    ]),
  );
  expect(await idsOf(`id=${made.id}`)).toEqual([]);
});

test("another organization's identity is denied like an unknown one", async () => {
  const other = await newIdentity(await newOrganization(), undefined);
  for (const uid of [other.uid, `${randomUid()}/${"0".repeat(16)}`]) {
    expect((await put(uid, { name: "x" })).status).toBe(403);
    expect((await callRest(`${root}/${uid}`, { method: "DELETE", token })).status).toBe(403);
    expect((await post({ name: "x" }, uid.slice(0, 40))).status).toBe(403);
  }
});
