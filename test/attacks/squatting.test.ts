/** Attacks by naming another organization's issuer and subject in one's own identities. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Capability } from "../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { newContractCaller } from "../contract/fixtures.ts";
import { exchange, exchangeForToken, newIdentityWithMatchers } from "../issuer/exchange_call.ts";
import { type ForeignIssuer, startIssuer } from "../issuer/foreign_issuer.ts";
import {
  createResource,
  newOrganization,
  newUser,
  type Organization,
  randomName,
} from "../world/personas.ts";
import { audience, callRest, costOf, sql } from "../world/platform.ts";

let issuer: ForeignIssuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.close());

/** A workload of an organization: its identity, a repository that it can read, and its tokens. */
async function newWorkload() {
  const organization = await newOrganization();
  const subject = randomName("robot");
  const claimMatch = { issuer: issuer.url, subject };
  const uid = await newIdentityWithMatchers(organization, { claimMatch }, "viewer");
  const { token } = organization.owner;
  const repo = await createResource(`/registry/v2/repos/${organization.uid}`, token, {
    name: "image",
  });
  const direct = () => issuer.sign({ sub: subject, aud: audience });
  const forExchange = () => issuer.sign({ sub: subject });
  return { organization, subject, claimMatch, uid, repo, direct, forExchange };
}

type Workload = Awaited<ReturnType<typeof newWorkload>>;

/**
 * Another organization, with identities of the same issuer and subject and a repository that they can read.
 */
async function squat({ claimMatch }: Workload, times = 1): Promise<Organization> {
  const stranger = await newOrganization("stranger");
  const { token } = stranger.owner;
  await createResource(`/registry/v2/repos/${stranger.uid}`, token, { name: "bait" });
  for (let one = 0; one < times; one += 1)
    await newIdentityWithMatchers(stranger, { claimMatch }, "owner");
  return stranger;
}

/** Each way for a workload to use its tokens, and the expected result. */
const uses: Record<string, (workload: Workload) => Promise<unknown>> = {
  "reads a resource with its own token": async ({ repo, direct }) =>
    (await callRest(`/registry/v2/repos/${repo.uid}`, { token: await direct() })).body.uid ===
    repo.uid,
  "lists what is below its group": async ({ organization, repo, direct }) => {
    const path = `/registry/v2/repos?uidp.descendants_of=${organization.uid}`;
    const { body } = await callRest(path, { token: await direct() });
    return body.repos?.length === 1 && body.repos[0].uid === repo.uid;
  },
  "lists all that it may see": async ({ repo, direct }) => {
    const { body } = await callRest("/registry/v2/repos", { token: await direct() });
    return body.repos?.length === 1 && body.repos[0].uid === repo.uid;
  },
  "asks who it is": async ({ organization, direct }) => {
    const { body } = await callRest("/auth/v1/ok", { token: await direct() });
    return body.capabilities?.length === 1 && body.capabilities[0].group.id === organization.uid;
  },
  "exchanges its token and names nothing": async ({ uid, forExchange }) =>
    (await exchangeForToken(await forExchange())).claims.sub === uid,
  "exchanges its token and names its organization": async ({ organization, uid, forExchange }) =>
    (await exchangeForToken(await forExchange(), { scopes: organization.uid })).claims.sub === uid,
  "exchanges its token and names its identity": async ({ uid, forExchange }) =>
    (await exchangeForToken(await forExchange(), { identity: uid })).claims.sub === uid,
  "uses a token that it exchanged": async ({ repo, uid, forExchange }) => {
    const { token } = await exchangeForToken(await forExchange(), { identity: uid });
    const { body } = await callRest("/registry/v2/repos", { token });
    return body.repos?.length === 1 && body.repos[0].uid === repo.uid;
  },
};

describe.each(Object.entries(uses))("a workload that %s", (_, use) => {
  test("continues after strangers have created identities with its issuer and subject", async () => {
    const workload = await newWorkload();
    expect(await use(workload)).toBe(true);
    await squat(workload, 3);
    await squat(workload);
    expect(await use(workload)).toBe(true);
  });

  test("continues after a colleague who can only create identities has used its issuer and subject", async () => {
    const workload = await newWorkload();
    expect(await use(workload)).toBe(true);
    await squatWithin(workload);
    expect(await use(workload)).toBe(true);
  });
});

/** A second identity with the same issuer and subject, created by a caller with only `identity.create`. */
async function squatWithin({ organization, claimMatch }: Workload): Promise<void> {
  const { uid } = organization;
  const insider = await newContractCaller(uid, [Capability.CAP_IAM_IDENTITY_CREATE]);
  await createResource(`/iam/v2/identities/${uid}`, insider.token, {
    name: randomName("twin"),
    claimMatch,
  });
}

/** Cases that work at once, although strangers named the issuer and the subject first. */
test.each([
  "reads a resource with its own token",
  "lists what is below its group",
  "exchanges its token and names its organization",
  "exchanges its token and names its identity",
  "uses a token that it exchanged",
])("a new workload works after its issuer and subject were used before %s", async (use) => {
  const workload = await newWorkload();
  const before = await squat(workload);
  await sql("update identities set create_time = 1 where parent = ?", before.uid);
  expect(await uses[use]?.(workload)).toBe(true);
});

test("a new workload must name its organization if a colleague has used its issuer and subject too", async () => {
  const workload = await newWorkload();
  await squatWithin(workload);
  const { organization, uid } = workload;
  const { claims } = await exchangeForToken(await workload.forExchange(), {
    scopes: organization.uid,
  });
  expect(claims.sub).toBe(uid);
  for (const use of Object.values(uses)) expect(await use(workload)).toBe(true);
});

test("older identities of strangers, with and without a role, are never chosen", async () => {
  const workload = await newWorkload();
  const stranger = await squat(workload);
  await newIdentityWithMatchers(stranger, { claimMatch: workload.claimMatch });
  await newIdentityWithMatchers(stranger, { claimMatch: workload.claimMatch });
  await sql("update identities set rowid = -rowid where parent = ?", stranger.uid);
  expect((await exchange(await workload.forExchange())).status).toBe(400);
  const { status } = await callRest("/registry/v2/repos", { token: await workload.direct() });
  expect(status).toBe(401);
});

test("an exchange that began before the matchers changed does not mark any identity as used", async () => {
  const [workload, stranger] = [await newWorkload(), await newOrganization("stranger")];
  const own = await startIssuer();
  try {
    const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const bait = await newIdentityWithMatchers(stranger, {
      claimMatch: { issuer: own.url, subject: "own" },
    });
    const answer = own.pages["/keys"];
    own.pages["/keys"] = (response) => {
      held.resolve();
      released.promise.then(() => answer?.(response));
    };
    const begun = exchange(await own.sign({ sub: "own" }), { identity: bait });
    await held.promise;
    const turned = await callRest(`/iam/v2/identities/${bait}`, {
      method: "PATCH",
      token: stranger.owner.token,
      body: { claimMatch: workload.claimMatch },
    });
    released.resolve();
    expect([turned.status, (await begun).status]).toEqual([200, 200]);
    await exchangeForToken(await workload.forExchange(), { identity: workload.uid });
    expect((await exchangeForToken(await workload.forExchange())).claims.sub).toBe(workload.uid);
    const path = `/iam/v2/groups/${stranger.uid}`;
    expect((await callRest(path, { token: (await begun).body.token })).status).toBe(401);
  } finally {
    own.close();
  }
});

test("a token that matches several unused identities acts as none until its subject names one", async () => {
  const workload = await newWorkload();
  await squat(workload);
  const refused = await exchange(await workload.forExchange());
  expect([refused.status, refused.body.details[1].violations[0].type]).toEqual([
    400,
    "IDENTITY_AMBIGUOUS",
  ]);
  const list = await callRest("/registry/v2/repos", { token: await workload.direct() });
  expect([list.status, list.body.message]).toEqual([
    401,
    expect.stringMatching(/several identities/),
  ]);
  await exchangeForToken(await workload.forExchange(), { scopes: workload.organization.uid });
  for (const use of Object.values(uses)) expect(await use(workload)).toBe(true);
});

test("an identity that gets another subject has not been used by that subject", async () => {
  const [workload, stranger] = [await newWorkload(), await newOrganization("stranger")];
  const other = randomName("own");
  const bait = await newIdentityWithMatchers(stranger, {
    claimMatch: { ...workload.claimMatch, subject: other },
  });
  await exchangeForToken(await issuer.sign({ sub: other }));
  await exchangeForToken(await workload.forExchange());
  const turned = await callRest(`/iam/v2/identities/${bait}`, {
    method: "PATCH",
    token: stranger.owner.token,
    body: { claimMatch: workload.claimMatch },
  });
  expect(turned.status).toBe(200);
  expect((await exchangeForToken(await workload.forExchange())).claims.sub).toBe(workload.uid);
});

test("a person keeps their own identity, whoever names their issuer and subject", async () => {
  const [subject, organization] = [randomName("ada"), await newOrganization()];
  const { uid } = await newUser();
  const match = { issuer: issuer.url, subject };
  await sql(
    "update identities set issuer = ?, subject = ?, relationship_type = 1, relationship = ? where uid = ?",
    issuer.url,
    subject,
    JSON.stringify({ case: "claimMatch", value: match }),
    uid,
  );
  await newIdentityWithMatchers(organization, { claimMatch: match }, "owner");
  expect((await exchangeForToken(await issuer.sign({ sub: subject }))).claims.sub).toBe(uid);
  const token = await issuer.sign({ sub: subject, aud: audience });
  expect((await callRest("/iam/v2/groups", { token })).status).toBe(403);
});

test("the cost of a call does not grow with the identities of strangers", async () => {
  const workload = await newWorkload();
  const rows = async (path: string) => {
    const answer = await callRest(path, { token: await workload.direct() });
    expect(answer.status).toBe(200);
    return costOf(answer).rowsRead;
  };
  const paths = [`/registry/v2/repos/${workload.repo.uid}`, "/registry/v2/repos", "/auth/v1/ok"];
  for (const path of paths) await rows(path);
  const before = await Promise.all(paths.map(rows));
  await squat(workload, 30);
  const after = await Promise.all(paths.map(rows));
  // One of them is looked at, as it may be the one that was used first.
  for (const [at, number] of after.entries()) expect(number - (before[at] ?? 0)).toBeLessThan(8);
});

test("the cost of calls about the caller's own identity does not grow either", async () => {
  const workload = await newWorkload();
  const metadata = "/iam/v2/identities:updateIdentityMetadata";
  const calls: [string, object][] = [
    ["PATCH", { path: metadata, body: { identityMetadata: { company: "c" } } }],
    ["POST", { path: "/iam/v2/groupInvites:accept", body: { code: workload.repo.uid } }],
    ["POST", { path: "/iam/v2/groupInvites:accept", body: { code: "none" } }],
  ];
  const rows = () =>
    Promise.all(
      calls.map(async ([method, { path, ...rest_ }]: [string, { path?: string }]) => {
        const answer = await callRest(path ?? "", {
          method,
          token: await workload.direct(),
          ...rest_,
        });
        return costOf(answer).rowsRead;
      }),
    );
  await callRest("/registry/v2/repos", { token: await workload.direct() });
  await rows();
  const before = await rows();
  await squat(workload, 30);
  const after = await rows();
  for (const [at, number] of after.entries()) expect(number - (before[at] ?? 0)).toBeLessThan(12);
});
