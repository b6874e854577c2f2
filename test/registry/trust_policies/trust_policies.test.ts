/** The resource TrustPolicy: its fields, its scopes, who may change it, and the policies that are refused. */
import { beforeAll, describe, expect, test } from "vitest";
import { newAuthority } from "../../signatures/authority.ts";
import { newKeySigner, newNotationAuthority } from "../../signatures/signed_forms.ts";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
  randomName,
} from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";

let organization: Organization;
let token: string;
let repo: string;
const key = await newKeySigner();
const authority = await newAuthority();
const notation = await newNotationAuthority();
beforeAll(async () => {
  organization = await newOrganization("trust");
  ({ token } = organization.owner);
  repo = (await createResource(`/registry/v2/repos/${organization.uid}`, token, { name: "app" }))
    .uid;
});

const at = "/registry/v2/trustPolicies";
const newPolicy = (parent: string, policy: object, as = token) =>
  callRest(`${at}/${parent}`, { token: as, body: { name: randomName("trust"), ...policy } });
const newScope = async () =>
  (await createResource(`/iam/v2/groups/${organization.uid}`, token, { name: randomName("g") }))
    .uid;

const whole = {
  name: "release",
  description: "Our releases",
  publicKeys: [key.pem],
  identities: [{ issuer: "https://issuer.example.com", subject: "*@example.com" }],
  fulcioCertificates: authority.pem,
  rekorKeys: key.pem,
  notationCertificates: notation.pem,
  notationSubjects: ["C=US, O=Example"],
  signVerdicts: true,
};

test("a policy comes back as it was written, and can be changed and deleted", async () => {
  const parent = await newScope();
  const made = await createResource(`${at}/${parent}`, token, whole);
  expect(made).toMatchObject(whole);
  expect(made.uid).toMatch(new RegExp(`^${parent}/[0-9a-f]{16}$`));
  const body = { identities: [], fulcioCertificates: "", rekorKeys: "" };
  const changed = await callRest(`${at}/${made.uid}`, { method: "PATCH", token, body });
  const kept = Object.fromEntries(Object.entries(whole).filter(([name]) => !(name in body)));
  const { updateTime, etag, ...shown } = changed.body;
  expect(shown).toEqual({ ...kept, uid: made.uid, createTime: made.createTime });
  expect([typeof updateTime, typeof etag]).toEqual(["string", "string"]);
  expect((await callRest(`${at}/${made.uid}`, { token })).body).toEqual(changed.body);
  const listed = await callRest(`${at}?uidp.childrenOf=${parent}&name=release`, { token });
  expect(listed.body.trustPolicies).toEqual([changed.body]);
  await callRest(`${at}/${made.uid}`, { method: "DELETE", token });
  expect((await callRest(`${at}/${made.uid}`, { token })).status).toBe(404);
});

describe("a policy is refused", () => {
  test.for([
    ["without a signer", { publicKeys: [] }, "public_keys"],
    ["with a text that is no key", { publicKeys: ["cosign.pub"] }, "public_keys"],
    ["with six keys", { publicKeys: Array(6).fill(key.pem) }, "public_keys"],
    ["with identities and no certificate", { identities: whole.identities }, "fulcio_certificates"],
    [
      "with a certificate and no identities",
      { publicKeys: [key.pem], fulcioCertificates: authority.pem },
      "fulcio_certificates",
    ],
    [
      "with a certificate of Notation and no subject",
      { notationCertificates: notation.pem },
      "notation_subjects",
    ],
    [
      "with a subject that is no name",
      { notationCertificates: notation.pem, notationSubjects: ["x"] },
      "notation_subjects",
    ],
    [
      "with a log that is no key",
      { publicKeys: [key.pem], rekorKeys: authority.pem },
      "rekor_keys",
    ],
  ] as [string, object, string][])("%s", async ([, policy, field]) => {
    const { status, body } = await newPolicy(repo, policy);
    expect([status, body.code]).toEqual([400, 3]);
    expect(JSON.stringify(body.details)).toContain(`"${field}`);
  });

  test("with the name of another one of its scope, or below something that does not exist", async () => {
    const name = randomName("trust");
    expect((await newPolicy(repo, { name, publicKeys: [key.pem] })).status).toBe(200);
    expect((await newPolicy(repo, { name, publicKeys: [key.pem] })).body.code).toBe(6);
    expect((await newPolicy(organization.uid, { name, publicKeys: [key.pem] })).status).toBe(200);
    const absent = `${organization.uid}/${"0".repeat(16)}`;
    expect((await newPolicy(absent, { publicKeys: [key.pem] })).status).toBe(404);
  });

  test("if its scope has ten, also of several calls at once", async () => {
    const scope = await newScope();
    const calls = Array.from({ length: 14 }, () => newPolicy(scope, { publicKeys: [key.pem] }));
    const codes = (await Promise.all(calls)).map(({ status }) => status);
    expect(codes.filter((status) => status === 200)).toHaveLength(10);
    const { body } = await newPolicy(scope, { publicKeys: [key.pem] });
    expect(JSON.stringify(body)).toContain("TOO_MANY_TRUST_POLICIES");
  });
});

test("owners write policies, others who may pull only read them, and strangers do neither", async () => {
  const made = await newPolicy(repo, { publicKeys: [key.pem] });
  for (const [role, reads] of [
    ["viewer", 200],
    ["editor", 200],
    ["registry.push", 200],
    ["advisories.viewer", 403],
  ] as const) {
    const { token: other } = await newIdentity(organization, role);
    expect((await callRest(`${at}/${made.body.uid}`, { token: other })).status).toBe(reads);
    expect((await newPolicy(repo, { publicKeys: [key.pem] }, other)).status).toBe(403);
    const removal = { method: "DELETE", token: other };
    expect((await callRest(`${at}/${made.body.uid}`, removal)).status).toBe(403);
  }
});

test("the policies of a repository are deleted with it", async () => {
  const { uid } = await createResource(`/registry/v2/repos/${organization.uid}`, token, {
    name: randomName("app"),
  });
  await newPolicy(uid, { publicKeys: [key.pem] });
  expect((await callRest(`/registry/v2/repos/${uid}`, { method: "DELETE", token })).status).toBe(
    200,
  );
  expect(await sql("select uid from trust_policies where parent = ?", uid)).toEqual([]);
});

test("only a change of the trust marks the scope for the schedule", async () => {
  const scope = await newScope();
  const marks = () => sql("select cursor from trust_changes where uid = ?", scope);
  const { body } = await newPolicy(scope, { publicKeys: [key.pem] });
  expect(await marks()).toEqual([{ cursor: "" }]);
  await sql("delete from trust_changes where uid = ?", scope);
  const change = (patch: object) =>
    callRest(`${at}/${body.uid}`, { method: "PATCH", token, body: patch });
  await change({ description: "words" });
  expect(await marks()).toEqual([]);
  await change({ rekorKeys: key.pem });
  expect(await marks()).toEqual([{ cursor: "" }]);
});
