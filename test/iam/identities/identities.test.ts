import { beforeEach, describe, expect, test } from "vitest";
import {
  createResource,
  newOrganization,
  type Organization,
  roleUid,
} from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { violatedField } from "../../world/resource_calls.ts";

let organization: Organization;
let token: string;
let path: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
  path = `/iam/v2/identities/${organization.uid}`;
});

const post = (body: object) => callRest(path, { token, body: { name: "bot", ...body } });
const get = (at: string) => callRest(at, { token });
const patch = (at: string, body: unknown) => callRest(at, { method: "PATCH", token, body });

const publicKey = { kty: "EC", crv: "P-256", x: "AA", y: "AA", kid: "1", alg: "ES256" };
const keysOf = (...keys: object[]) => JSON.stringify({ keys });
const staticKeys = { issuer: "https://i.example", subject: "s", issuerKeys: keysOf(publicKey) };
const year = 365 * 24 * 3600 * 1000;

test("a client cannot set the email address and the times", async () => {
  const { body } = await post({ email: "a@b.example", lastSeenTime: "2000-01-01T00:00:00Z" });
  expect(body).not.toHaveProperty("email");
  expect(Date.parse(body.lastSeenTime)).toBeGreaterThan(Date.now() - 60_000);
});

describe("a matcher is rejected, on create and on update", () => {
  test.each([
    [
      "an issuer over http",
      { claimMatch: { issuer: "http://i.example", subject: "s" } },
      "claim_match.issuer",
    ],
    [
      "an issuer that is not a URL",
      { claimMatch: { issuer: "i", subject: "s" } },
      "claim_match.issuer",
    ],
    [
      "an issuer of another scheme",
      { claimMatch: { issuer: "file:///x", subject: "s" } },
      "claim_match.issuer",
    ],
    [
      "a broken issuer pattern",
      { claimMatch: { issuerPattern: "(", subject: "s" } },
      "claim_match.issuer_pattern",
    ],
    [
      "a broken subject pattern",
      { claimMatch: { issuer: "https://i.example", subjectPattern: "[" } },
      "claim_match.subject_pattern",
    ],
    [
      "a lookahead",
      { claimMatch: { issuer: "https://i.example", subjectPattern: "(?=a)" } },
      "claim_match.subject_pattern",
    ],
    [
      "a backreference",
      { claimMatch: { issuer: "https://i.example", subjectPattern: "(a)\\1" } },
      "claim_match.subject_pattern",
    ],
    [
      "a broken audience pattern",
      { claimMatch: { issuer: "https://i.example", subject: "s", audiencePattern: "*" } },
      "claim_match.audience_pattern",
    ],
    [
      "a broken claim pattern",
      { claimMatch: { issuer: "https://i.example", subject: "s", claimPatterns: { x: ")" } } },
      'claim_match.claim_patterns["x"]',
    ],
    [
      "an empty subject",
      { claimMatch: { issuer: "https://i.example", subject: "" } },
      "claim_match.subject",
    ],
    ["no subject", { claimMatch: { issuer: "https://i.example" } }, "claim_match.sub"],
    [
      "a broken ARN pattern",
      { awsIdentity: { awsAccount: "123456789012", arnPattern: "(" } },
      "aws_identity.arn_pattern",
    ],
    [
      "an invalid account",
      { awsIdentity: { awsAccount: "1234", arn: "a", userId: "u" } },
      "aws_identity.aws_account",
    ],
    [
      "keys that are not JSON",
      { staticKeys: { ...staticKeys, issuerKeys: "x" } },
      "static_keys.issuer_keys",
    ],
    [
      "keys that are not a JWKS",
      { staticKeys: { ...staticKeys, issuerKeys: "{}" } },
      "static_keys.issuer_keys",
    ],
    [
      "keys that are null",
      { staticKeys: { ...staticKeys, issuerKeys: "null" } },
      "static_keys.issuer_keys",
    ],
    [
      "a key that is null",
      { staticKeys: { ...staticKeys, issuerKeys: '{"keys":[null]}' } },
      "static_keys.issuer_keys",
    ],
    ["no key", { staticKeys: { ...staticKeys, issuerKeys: keysOf() } }, "static_keys.issuer_keys"],
    [
      "a private key",
      { staticKeys: { ...staticKeys, issuerKeys: keysOf({ ...publicKey, d: "AA" }) } },
      "static_keys.issuer_keys",
    ],
    [
      "a secret key",
      { staticKeys: { ...staticKeys, issuerKeys: keysOf({ kty: "oct", k: "AA" }) } },
      "static_keys.issuer_keys",
    ],
    [
      "two audiences",
      { staticKeys: { ...staticKeys, audiences: ["a", "b"] } },
      "static_keys.audiences",
    ],
    [
      "an expiry in the past",
      { staticKeys: { ...staticKeys, expirationTime: "2020-01-01T00:00:00Z" } },
      "static_keys.expiration_time",
    ],
    [
      "an expiry past a year",
      { staticKeys: { ...staticKeys, expirationTime: "2099-01-01T00:00:00Z" } },
      "static_keys.expiration_time",
    ],
  ])("%s", async (_, given, field) => {
    const refused = await post(given);
    expect([refused.status, refused.body.code]).toEqual([400, 3]);
    expect(violatedField(refused.body)).toBe(field);
    expect(await sql("select uid from identities where parent = ?", organization.uid)).toEqual([]);
    const identity = await createResource(path, token, { name: "bot" });
    const at = `/iam/v2/identities/${identity.uid}`;
    const changed = await patch(at, given);
    expect([changed.status, changed.body.code]).toEqual([400, 3]);
    expect((await get(at)).body).toEqual(identity);
  });

  test("but a loopback issuer can use plain http", async () => {
    for (const issuer of ["http://localhost:8080", "http://127.0.0.1:9"]) {
      expect((await post({ claimMatch: { issuer, subject: "s" } })).status).toBe(200);
    }
  });
});

describe("static keys", () => {
  test("expire 365 days after creation, or at an earlier time that is set", async () => {
    const { body } = await post({ staticKeys });
    expect(Date.parse(body.staticKeys.expirationTime) - Date.parse(body.createTime)).toBe(year);
    const expirationTime = new Date(Date.now() + 86_400_000).toISOString();
    const earlier = await post({ staticKeys: { ...staticKeys, expirationTime, audiences: ["a"] } });
    expect(earlier.body.staticKeys).toEqual({ ...staticKeys, expirationTime, audiences: ["a"] });
  });

  test("cannot be extended by an update", async () => {
    const { body } = await post({ staticKeys });
    const later = new Date(Date.parse(body.createTime) + year + 1).toISOString();
    const at = `/iam/v2/identities/${body.uid}`;
    const refused = await patch(at, { staticKeys: { expirationTime: later } });
    expect(refused.status).toBe(400);
    const cleared = await patch(at, { staticKeys: { expirationTime: null } });
    expect(cleared.body.staticKeys.expirationTime).toBe(body.staticKeys.expirationTime);
  });
});

test("relationshipType lists the identities of one kind, by name or number", async () => {
  const claimMatch = { issuer: "https://i.example", subject: "s" };
  const uids: Record<string, string> = {};
  for (const [kind, given] of Object.entries({
    none: {},
    CLAIM_MATCH: { claimMatch },
    STATIC: { staticKeys },
    AWS_IDENTITY: { awsIdentity: { awsAccount: "123456789012", arn: "a", userId: "u" } },
    SERVICE_PRINCIPAL: { servicePrincipal: "SERVICE_PRINCIPAL_INGESTER" },
  })) {
    uids[kind] = (await post(given)).body.uid;
  }
  const list = async (type: string) => {
    const { body } = await get(
      `/iam/v2/identities?uidp.children_of=${organization.uid}&relationshipType=${type}`,
    );
    return [(body.identities ?? []).map((one: { uid: string }) => one.uid), body.totalCount];
  };
  const names = ["CLAIM_MATCH", "STATIC", "AWS_IDENTITY", "SERVICE_PRINCIPAL"];
  for (const [index, name] of names.entries()) {
    expect(await list(String(index + 1))).toEqual([[uids[name]], "1"]);
    expect(await list(`RELATIONSHIP_TYPE_${name}`)).toEqual([[uids[name]], "1"]);
  }
  expect(await list("0")).toEqual([Object.values(uids).sort(), "5"]);
  const at = `/iam/v2/identities/${uids.none}`;
  await patch(at, { claimMatch });
  expect(await list("1")).toEqual([[uids.none, uids.CLAIM_MATCH].sort(), "2"]);
  const bad = await get("/iam/v2/identities?relationshipType=FRIEND");
  expect([bad.status, violatedField(bad.body)]).toEqual([400, "relationship_type"]);
});

test("issuer and subject are looked up only if they alone decide", async () => {
  const exact = { issuer: "https://i.example", subject: "s" };
  const stored = async (claimMatch: object) => {
    const { body } = await post({ claimMatch });
    return sql("select issuer, subject from identities where uid = ?", body.uid);
  };
  expect(await stored(exact)).toEqual([exact]);
  const none = [{ issuer: null, subject: null }];
  expect(await stored({ ...exact, audience: "a" })).toEqual(none);
  expect(await stored({ ...exact, claims: { a: "b" } })).toEqual(none);
  expect(await stored({ issuer: exact.issuer, subjectPattern: ".*" })).toEqual(none);
});

test("the deletion of an identity deletes its role bindings everywhere", async () => {
  const identity = await createResource(path, token, { name: "bot" });
  const group = await createResource(`/iam/v2/groups/${organization.uid}`, token, { name: "g" });
  for (const at of [organization.uid, group.uid]) {
    await createResource(`/iam/v2/roleBindings/${at}`, token, {
      identityUid: identity.uid,
      roleUid: await roleUid("viewer"),
    });
  }
  const gone = await callRest(`/iam/v2/identities/${identity.uid}`, { method: "DELETE", token });
  expect([gone.status, gone.body]).toEqual([200, undefined]);
  expect((await get(`/iam/v2/identities/${identity.uid}`)).status).toBe(404);
  expect(await sql("select uid from role_bindings where identity_uid = ?", identity.uid)).toEqual(
    [],
  );
});

test("several identities can have the same name", async () => {
  expect((await post({})).status).toBe(200);
  expect((await post({})).status).toBe(200);
});
