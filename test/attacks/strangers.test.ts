/**
 * Attacks on people by binding them in one's own group: they reveal nothing about a person and do nothing to
 * them.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type ForeignIssuer, startIssuer } from "../issuer/foreign_issuer.ts";
import { logInWithIdToken, newProvider, serveTokens, tokensOf } from "../issuer/login/logins.ts";
import {
  bindPerson,
  createResource,
  newOrganization,
  newUser,
  type Organization,
  type Persona,
  randomName,
  randomUid,
  roleUid,
} from "../world/personas.ts";
import { callRest, costOf, sql, tokenFor } from "../world/platform.ts";

const secrets = ["ada.king@people.example", "Ada of the people", "subject-of-ada"];

let issuer: ForeignIssuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.close());

let stranger: Organization;
let ada: Persona;
beforeEach(async () => {
  [stranger, ada] = await Promise.all([newOrganization("stranger"), newUser()]);
  const [email, name, subject] = secrets;
  const value = { issuer: "https://people.example", subject: `${subject}-${ada.uid}` };
  await sql(
    "update identities set email = ?, name = ?, relationship_type = 1, relationship = ?, issuer = ?, subject = ? where uid = ?",
    ...[email, name, JSON.stringify({ case: "claimMatch", value })],
    ...[value.issuer, value.subject, ada.uid],
  );
});

const bind = async (role = "viewer", at = stranger.uid, identityUid = ada.uid) =>
  createResource(`/iam/v2/roleBindings/${at}`, stranger.owner.token, {
    identityUid,
    roleUid: await roleUid(role),
  });
const accept = (code: string, token = ada.token) =>
  callRest("/iam/v2/groupInvites:accept", { token, body: { code } });

/** The uid that a person of the issuer will have. */
async function lookUp(subject: string): Promise<string> {
  const query = new URLSearchParams({ issuer: issuer.url, subject });
  return (await get(`/iam/v2/identities:lookupIdentity?${query}`)).uid;
}

/** Everything that the stranger can read about a binding and its person. */
const readings: [string, (binding: string) => Promise<unknown>][] = [
  ["CreateRoleBinding", () => bind("editor")],
  [
    "BatchCreateRoleBindings",
    async () =>
      createResource("/iam/v2/roleBindings:batchCreate", stranger.owner.token, {
        parent: stranger.uid,
        requests: [{ roleBinding: { identityUid: ada.uid } }],
        roleUid: await roleUid("editor"),
      }),
  ],
  ["GetRoleBinding", async (uid) => get(`/iam/v2/roleBindings/${uid}`)],
  ["ListRoleBindings", () => get(`/iam/v2/roleBindings?uidp.descendants_of=${stranger.uid}`)],
  ["UpdateRoleBinding", async (uid) => patch(uid, { roleUid: await roleUid("editor") })],
  ["List of version 1", () => get(`/iam/v1/roleBindings?uidp.descendants_of=${stranger.uid}`)],
  ["the events", () => sql("select data from events where group_uid = ?", stranger.uid)],
  ["GetIdentity", () => get(`/iam/v2/identities/${ada.uid}`)],
  [
    "ListIdentities",
    () => get(`/iam/v2/identities?uidp.descendants_of=${stranger.uid}&page_size=200`),
  ],
];
const get = async (path: string) => (await callRest(path, { token: stranger.owner.token })).body;
const patch = async (uid: string, body: object) =>
  (
    await callRest(`/iam/v2/roleBindings/${uid}`, {
      method: "PATCH",
      token: stranger.owner.token,
      body,
    })
  ).body;

describe.each(readings)(
  "a person who was bound without their consent is not shown by",
  (name, read) => {
    test(`${name}`, async () => {
      const { uid } = await bind();
      const text = JSON.stringify(await read(uid));
      for (const secret of secrets) expect(text).not.toContain(secret);
      if (/RoleBinding|events/.test(name)) expect(text).toContain(ada.uid);
    });
  },
);

test("a pending binding says so, and is the same whether or not the person exists", async () => {
  const [known, unknown] = [await bind(), await bind("viewer", stranger.uid, randomUid())];
  const shape = ({
    uid: _,
    identity: __,
    createTime: ___,
    updateTime: ____,
    etag: _____,
    ...rest
  }: typeof known) => rest;
  expect(known).toMatchObject({ pending: true, identity: { uid: ada.uid } });
  expect(Object.keys(known.identity as object)).toEqual(["uid"]);
  expect(shape(known)).toEqual(shape(unknown));
});

test("a pending binding grants nothing until its person accepts it", async () => {
  const { uid } = await bind();
  const read = async () =>
    (await callRest(`/iam/v2/groups/${stranger.uid}`, { token: ada.token })).status;
  expect(await read()).toBe(403);
  const { status, body } = await accept(uid);
  expect([status, body.uid, body.identity.email]).toEqual([200, uid, secrets[0]]);
  expect(body).not.toHaveProperty("pending");
  expect(await read()).toBe(200);
  expect(JSON.stringify(await get(`/iam/v2/roleBindings/${uid}`))).toContain(secrets[0]);
  const again = await accept(uid);
  expect([again.status, again.body]).toEqual([200, body]);
  const events = await sql("select 1 from events where subject = ?", uid);
  expect(events).toHaveLength(2);
});

describe("a pending binding cannot be accepted by", () => {
  test("another person, who gets the response for an unknown code", async () => {
    const { uid } = await bind();
    const [other, unknown] = [await newUser(), await accept(`${stranger.uid}/0123456789abcdef`)];
    const answers = [await accept(uid, other.token), await accept(uid, stranger.owner.token)];
    for (const { status, body } of answers) {
      expect([status, body]).toEqual([404, unknown.body]);
    }
  });

  test("a token that is narrowed to other groups or to capabilities", async () => {
    const { uid } = await bind();
    for (const claims of [{ scopes: [randomUid()] }, { capabilities: [1] }]) {
      expect((await accept(uid, await tokenFor(ada.uid, claims))).status).toBe(403);
    }
    expect((await accept(uid, await tokenFor(ada.uid, { scopes: [stranger.uid] }))).status).toBe(
      200,
    );
  });

  test("a person, after a change of its role, or of its identity and back", async () => {
    const { uid } = await bind();
    expect(await patch(uid, { roleUid: await roleUid("editor") })).toMatchObject({ pending: true });
    await patch(uid, { identityUid: stranger.owner.uid });
    expect(await patch(uid, { identityUid: ada.uid })).toMatchObject({ pending: true });
  });
});

test("a person who has joined the organization is bound at once, and is shown", async () => {
  await bindPerson({ uid: stranger.uid, token: stranger.owner.token }, ada.uid, "viewer");
  const { uid } = await createResource(`/iam/v2/groups/${stranger.uid}`, stranger.owner.token, {
    name: "g",
  });
  const bound = await bind("editor", uid);
  expect(bound).not.toHaveProperty("pending");
  expect(bound.identity).toMatchObject({ uid: ada.uid, email: secrets[0] });
});

test("a first login through the organization's provider accepts the earlier bindings", async () => {
  const idp = await newProvider(stranger.uid, { issuer: issuer.url });
  const subject = randomName("ann");
  const person = await lookUp(subject);
  const bound = await bind("editor", stranger.uid, person);
  expect(bound).toMatchObject({ pending: true });
  const { token } = tokensOf(
    await logInWithIdToken(issuer, serveTokens(issuer), idp, { sub: subject }),
  );
  const made = await callRest(`/registry/v2/repos/${stranger.uid}`, {
    token,
    body: { name: "r" },
  });
  expect(made.status).toBe(200);
  expect(await get(`/iam/v2/roleBindings/${bound.uid}`)).not.toHaveProperty("pending");
  expect(await sql("select 1 from events where subject = ?", bound.uid)).toHaveLength(2);
});

test("a person who left an organization is a stranger to it, and can be bound again", async () => {
  const idp = await newProvider(stranger.uid, { issuer: issuer.url });
  const sub = randomName("ann");
  const { token, claims } = tokensOf(
    await logInWithIdToken(issuer, serveTokens(issuer), idp, { sub }),
  );
  const uid = claims.sub ?? "";
  const left = await callRest(`/auth/v1/delete/${uid}`, { method: "DELETE", token });
  expect(left.status).toBe(200);
  expect(await bind("editor", stranger.uid, uid)).toMatchObject({ pending: true });
  const again = tokensOf(await logInWithIdToken(issuer, serveTokens(issuer), idp, { sub }));
  expect(again.claims.sub).toBe(uid);
  const path = `/iam/v2/groups/${stranger.uid}`;
  expect((await callRest(path, { token: again.token })).status).toBe(200);
  expect((await callRest(path, { token })).status).toBe(401);
});

test("a login at a provider of a subgroup accepts no binding above it", async () => {
  const group = await createResource(`/iam/v2/groups/${stranger.uid}`, stranger.owner.token, {
    name: "sub",
  });
  const idp = await newProvider(group.uid, { issuer: issuer.url });
  const sub = randomName("ann");
  const person = await lookUp(sub);
  const above = await bind("owner", stranger.uid, person);
  const here = await bind("owner", group.uid, person);
  tokensOf(await logInWithIdToken(issuer, serveTokens(issuer), idp, { sub }));
  expect(await get(`/iam/v2/roleBindings/${above.uid}`)).toMatchObject({ pending: true });
  expect(await get(`/iam/v2/roleBindings/${here.uid}`)).not.toHaveProperty("pending");
});

test("a login with limited access does not change the person's own metadata", async () => {
  const home = await newOrganization("home");
  const sub = randomName("ann");
  const patch = async (token: string) =>
    (
      await callRest("/iam/v2/identities:updateIdentityMetadata", {
        ...{ method: "PATCH", token },
        body: { identityMetadata: { company: "Evil" } },
      })
    ).status;
  const logIn = async (at: string) => {
    const idp = await newProvider(at, { issuer: issuer.url });
    return tokensOf(await logInWithIdToken(issuer, serveTokens(issuer), idp, { sub })).token;
  };
  expect(await patch(await logIn(home.uid))).toBe(200);
  expect(await patch(await logIn(stranger.uid))).toBe(403);
});

describe("bindings by strangers do not add to the cost of a person's calls", () => {
  /** Binds the person in groups of the stranger, with five roles in each, without asking. */
  async function offer(count: number): Promise<void> {
    const built = await sql<{ uid: string }>(
      "select uid from roles where length(uid) = 40 limit 5",
    );
    const roles = JSON.stringify(built.map(({ uid }) => uid));
    const groups = JSON.stringify(
      Array.from(
        { length: Math.ceil(count / 5) },
        () => `${stranger.uid}/${randomUid().slice(0, 16)}`,
      ),
    );
    const group =
      "insert into groups (uid, name, create_time, update_time) select value, substr(value, -16), 1, 1";
    await sql(`${group} from json_each(?)`, groups);
    await sql(
      `insert into role_bindings (uid, identity_uid, role_uid, accepted, create_time, update_time)
       select g.value || '/' || substr(r.value, 1, 16), ?, r.value, 0, 1, 1
       from json_each(?) g cross join json_each(?) r limit ?`,
      ...[ada.uid, groups, roles, count],
    );
  }

  const calls = ["/iam/v2/groups", "/auth/v1/ok", "/registry/v2/repos", "/iam/v2/roles"];
  const costs = () =>
    Promise.all(
      calls.map(async (path) => {
        const answer = await callRest(path, { token: ada.token });
        return { rows: costOf(answer).rowsRead, bytes: JSON.stringify(answer.body).length };
      }),
    );

  test("2,600 pending bindings add no row and no byte to any call", async () => {
    await createResource("/iam/v2/groups", ada.token, { name: randomName("home") });
    const before = await costs();
    await offer(2600);
    expect(await costs()).toEqual(before);
  });

  test("a person has at most 200 bindings in one organization", async () => {
    await offer(199);
    await bind();
    const body = { identityUid: ada.uid, roleUid: await roleUid("editor") };
    const here = `/iam/v2/roleBindings/${stranger.uid}`;
    const refused = await callRest(here, { token: stranger.owner.token, body });
    expect([refused.status, refused.body.code]).toEqual([429, 8]);
    const elsewhere = await newOrganization();
    const there = `/iam/v2/roleBindings/${elsewhere.uid}`;
    expect((await callRest(there, { token: elsewhere.owner.token, body })).status).toBe(200);
  });

  test("a person has no more bindings after many calls at once", async () => {
    await offer(195);
    const groups = await Promise.all(
      Array.from({ length: 12 }, async (_, at) =>
        createResource(`/iam/v2/groups/${stranger.uid}`, stranger.owner.token, {
          name: `more-${at}`,
        }),
      ),
    );
    const body = { identityUid: ada.uid, roleUid: await roleUid("viewer") };
    await Promise.all(
      groups.map(({ uid }) =>
        callRest(`/iam/v2/roleBindings/${uid}`, { token: stranger.owner.token, body }),
      ),
    );
    const [{ number } = { number: 0 }] = await sql<{ number: number }>(
      "select count(*) as number from role_bindings where identity_uid = ?",
      ada.uid,
    );
    expect(number).toBeLessThanOrEqual(200);
  });
});
