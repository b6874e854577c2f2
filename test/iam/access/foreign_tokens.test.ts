/** Answers for tokens of other issuers, which several organizations can accept. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Issuer, startIssuer } from "../../auth/oidc_issuer.ts";
import {
  createResource,
  newOrganization,
  type Organization,
  randomName,
  roleUid,
} from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { decisionIdOf, decisionPath, testPermissions } from "./calls.ts";

let issuer: Issuer;
let [one, other, third]: Organization[] = [];
const subject = randomName("repo:some/thing:ref");

const organizationsOf = () => {
  if (!one || !other || !third) throw new Error("no organizations");
  return { one, other, third };
};

beforeEach(async () => {
  issuer = await startIssuer();
  [one, other, third] = await Promise.all([
    newOrganization(),
    newOrganization(),
    newOrganization(),
  ]);
});
afterEach(() => issuer.close());

async function newMatch({ uid, owner }: Organization, role: string | undefined) {
  const identity = await createResource(`/iam/v2/identities/${uid}`, owner.token, {
    name: randomName("ci"),
    claimMatch: { issuer: issuer.url, subject },
  });
  if (role === undefined) return identity.uid;
  const binding = { identityUid: identity.uid, roleUid: await roleUid(role) };
  await createResource(`/iam/v2/roleBindings/${uid}`, owner.token, binding);
  return identity.uid;
}

test("each resource is tested with the identities of its organization, as a call is", async () => {
  const { one, other, third } = organizationsOf();
  await newMatch(one, "viewer");
  await newMatch(other, "editor");
  const token = await issuer.sign(subject);
  const uids = [one.uid, other.uid, third.uid];
  const capabilities = ["CAP_REPO_LIST", "CAP_REPO_DELETE"];
  const tested = await testPermissions(token, uids, capabilities);
  expect(tested).toEqual([["CAP_REPO_LIST"], capabilities, []]);
  for (const [at, uid] of uids.entries()) {
    const repo = `${uid}/${"0".repeat(16)}`;
    const read = await callRest(`/registry/v2/repos/${repo}`, { token });
    expect(read.status === 404).toBe(tested[at]?.includes("CAP_REPO_LIST"));
    const gone = await callRest(`/registry/v2/repos/${repo}`, { token, method: "DELETE" });
    expect(gone.status === 404).toBe(tested[at]?.includes("CAP_REPO_DELETE"));
  }
});

test("a decision names the issuer and subject, and no identity of another organization", async () => {
  const { one, third } = organizationsOf();
  const elsewhere = await newMatch(one, "viewer");
  const token = await issuer.sign(subject);
  const refused = await callRest(`/iam/v2/groups/${third.uid}`, { token });
  expect(refused.status).toBe(403);
  const path = decisionPath(decisionIdOf(refused.body));
  const { body } = await callRest(path, { token: third.owner.token });
  expect(body).toMatchObject({ issuer: issuer.url, subject });
  expect(body.explanation).toMatchObject({
    miss: { kind: "KIND_NO_IDENTITY" },
    fix: { kind: "KIND_CREATE_IDENTITY", groupUid: third.uid },
  });
  expect(JSON.stringify(body)).not.toContain(elsewhere);
  const here = await newMatch(third, undefined);
  const now = await callRest(path, { token: third.owner.token });
  expect(now.body.explanation).toMatchObject({
    identityUid: here,
    fix: { kind: "KIND_CREATE_ROLE_BINDING", identityUid: here },
  });
});
