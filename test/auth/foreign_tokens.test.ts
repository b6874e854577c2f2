/** Tokens of other issuers, sent to the API without an exchange (design: section 6). */
import { exportJWK, generateKeyPair } from "jose";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { withoutDecisionId } from "../contract/decisions.ts";
import {
  createResource,
  newOrganization,
  type Organization,
  randomName,
  randomUid,
  roleUid,
} from "../world/personas.ts";
import { audience, callRest, registryAudience, sql } from "../world/platform.ts";
import { discoveryPath, type Issuer, keysPath, startIssuer } from "./oidc_issuer.ts";

let issuer: Issuer;
let organization: Organization;
let subject: string;
beforeEach(async () => {
  [issuer, organization] = await Promise.all([startIssuer(), newOrganization()]);
  subject = randomName("repo:some/thing:ref");
});
afterEach(() => issuer.close());

/** An identity that accepts the issuer's tokens, with a role on its group. */
async function newMatch({ uid, owner }: Organization, role = "viewer", claimMatch = {}) {
  const { token } = owner;
  const identity = await createResource(`/iam/v2/identities/${uid}`, token, {
    name: randomName("ci"),
    claimMatch: { issuer: issuer.url, subject, ...claimMatch },
  });
  const binding = { identityUid: identity.uid, roleUid: await roleUid(role) };
  await createResource(`/iam/v2/roleBindings/${uid}`, token, binding);
  return identity;
}

const newRepo = ({ uid, owner }: Organization) =>
  createResource(`/registry/v2/repos/${uid}`, owner.token, { name: randomName("repo") });

const read = (uid: string, token: string) => callRest(`/registry/v2/repos/${uid}`, { token });

describe("a token that an identity names exactly", () => {
  test("a token that an identity names exactly acts as the identity", async () => {
    await newMatch(organization, "editor");
    const repo = await newRepo(organization);
    const token = await issuer.sign(subject);
    expect((await read(repo.uid, token)).status).toBe(200);
    expect((await callRest("/registry/v2/repos", { token })).body.repos).toHaveLength(1);
  });

  test("can have several audiences, including ours", async () => {
    await newMatch(organization);
    const { uid } = await newRepo(organization);
    const token = await issuer.sign(subject, { aud: ["https://elsewhere.example", audience] });
    expect((await read(uid, token)).status).toBe(200);
  });

  test("causes one fetch of the discovery document and the keys", async () => {
    await newMatch(organization);
    const { uid } = await newRepo(organization);
    for (let call = 0; call < 4; call += 1) {
      expect((await read(uid, await issuer.sign(subject))).status).toBe(200);
    }
    expect(issuer.log).toEqual([discoveryPath, keysPath]);
  });

  test("a token that an identity names exactly appears as the actor of the event, with its claims", async () => {
    const identity = await newMatch(organization, "editor");
    const token = await issuer.sign(subject, { email: "ci@example.com" });
    const body = { name: "made" };
    const made = await callRest(`/registry/v2/repos/${organization.uid}`, { token, body });
    expect(made.status).toBe(200);
    const [event] = await sql<{ data: string }>(
      "select data from events where subject = ?",
      made.body.uid,
    );
    expect(JSON.parse(event?.data ?? "").actor).toEqual({
      subject: identity.uid,
      act: { iss: issuer.url, sub: subject, aud: audience, email: "ci@example.com" },
    });
  });
});

describe("the issuer is never contacted", () => {
  const expectRefused = async (token: string, says: RegExp) => {
    const { uid } = await newRepo(organization);
    const { status, body } = await read(uid, token);
    expect(status).toBe(401);
    expect(body.message).toMatch(says);
    expect(issuer.log).toEqual([]);
  };

  test("for a token of another audience", async () => {
    await newMatch(organization);
    for (const aud of ["https://elsewhere.example", registryAudience, `${audience}/`, ""]) {
      await expectRefused(await issuer.sign(subject, { aud }), /not for the audience/);
    }
  });

  test("if no identity names its issuer", async () => {
    await expectRefused(await issuer.sign(subject), /no identity matches the issuer/);
  });

  test("for another subject, or another spelling of the subject", async () => {
    await newMatch(organization);
    for (const other of ["someone", subject.toUpperCase(), `${subject} `, `${subject}x`]) {
      await expectRefused(await issuer.sign(other), /no identity matches the issuer/);
    }
  });

  test("for an identity that matches only patterns, an audience or claims, because that requires an exchange", async () => {
    const { uid, owner } = organization;
    for (const claimMatch of [
      { issuer: issuer.url, subjectPattern: ".*" },
      { issuerPattern: ".*", subject },
      { issuer: issuer.url, subject, audience },
      { issuer: issuer.url, subject, claims: { repository: "a/b" } },
    ]) {
      await createResource(`/iam/v2/identities/${uid}`, owner.token, {
        name: randomName("ci"),
        claimMatch,
      });
    }
    const token = await issuer.sign(subject, { repository: "a/b" });
    await expectRefused(token, /no identity matches the issuer/);
  });
});

describe("several organizations trust one subject", () => {
  test("and the resource of a call decides which identity acts", async () => {
    const [here, there] = [organization, await newOrganization()];
    const [ofHere, ofThere] = [await newMatch(here, "editor"), await newMatch(there, "viewer")];
    const [hereRepo, thereRepo] = [await newRepo(here), await newRepo(there)];
    const token = await issuer.sign(subject);
    expect((await read(hereRepo.uid, token)).status).toBe(200);
    expect((await read(thereRepo.uid, token)).status).toBe(200);
    const change = (uid: string) =>
      callRest(`/registry/v2/repos/${uid}`, { method: "PATCH", token, body: { description: "d" } });
    expect((await change(hereRepo.uid)).status).toBe(200);
    expect((await change(thereRepo.uid)).status).toBe(403);
    const [event] = await sql<{ data: string }>(
      "select data from events where subject = ? and type like '%updated%'",
      hereRepo.uid,
    );
    expect(JSON.parse(event?.data ?? "").actor.subject).toBe(ofHere.uid);
    expect(ofThere.uid).not.toBe(ofHere.uid);
  });

  test("and a list with a scope acts as the identity of that organization", async () => {
    const [here, there] = [organization, await newOrganization()];
    await newMatch(here);
    await newMatch(there);
    const { uid } = await newRepo(here);
    await newRepo(there);
    const token = await issuer.sign(subject);
    const { body } = await callRest(`/registry/v2/repos?uidp.descendants_of=${here.uid}`, {
      token,
    });
    expect(body.repos.map((repo: { uid: string }) => repo.uid)).toEqual([uid]);
  });

  test("and a call that names nothing is UNAUTHENTICATED, with advice to exchange the token and name one", async () => {
    await newMatch(organization);
    await newMatch(await newOrganization());
    const { status, body } = await callRest("/registry/v2/repos", {
      token: await issuer.sign(subject),
    });
    expect(status).toBe(401);
    expect(body.message).toMatch(/several identities match/);
  });

  test("and the resources of another organization are PERMISSION_DENIED, whether or not they exist", async () => {
    await newMatch(organization);
    const third = await newOrganization();
    const repo = await newRepo(third);
    const token = await issuer.sign(subject);
    const uids = [repo.uid, `${third.uid}/${"0".repeat(16)}`, `${randomUid()}/${"0".repeat(16)}`];
    const answers = await Promise.all(uids.map((uid) => read(uid, token)));
    for (const { status, body } of answers) {
      expect(status).toBe(403);
      expect(withoutDecisionId(body)).toBe(withoutDecisionId(answers[0]?.body));
    }
  });
});

describe("an issuer with a new key since its keys were fetched", () => {
  test("is trusted at once", async () => {
    await newMatch(organization);
    const { uid } = await newRepo(organization);
    for (const _ of ["the old key", "the new one"]) {
      expect((await read(uid, await issuer.sign(subject))).status).toBe(200);
      await issuer.rotate();
    }
    expect(issuer.log).toEqual([discoveryPath, keysPath, discoveryPath, keysPath]);
  });

  test("receives no request for a token of a subject that no identity names", async () => {
    await newMatch(organization);
    const { uid } = await newRepo(organization);
    expect((await read(uid, await issuer.sign(subject))).status).toBe(200);
    await issuer.rotate();
    expect((await read(uid, await issuer.sign(`${subject}x`))).status).toBe(401);
    expect(issuer.log).toEqual([discoveryPath, keysPath]);
  });
});

test("keys without an id are tried one after the other", async () => {
  await issuer.rotate("");
  await newMatch(organization);
  const { uid } = await newRepo(organization);
  const { publicKey } = await generateKeyPair("RS256");
  const other = { ...(await exportJWK(publicKey)), alg: "RS256" };
  issuer.answer(keysPath, (response) => issuer.publish(response, [other]));
  expect((await read(uid, await issuer.sign(subject))).status).toBe(200);
});
