import { beforeEach, describe, expect, test } from "vitest";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
  type Persona,
  randomUid,
  roleUid,
} from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { resourceCalls, violatedField } from "../../world/resource_calls.ts";

let organization: Organization;
let token: string;
let path: string;
let viewer: string;
let bot: { uid: string } & Record<string, unknown>;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
  path = `/iam/v2/roleBindings/${organization.uid}`;
  viewer = await roleUid("viewer");
  bot = await createResource(`/iam/v2/identities/${organization.uid}`, token, {
    name: "bot",
    description: "d",
    claimMatch: { issuer: "https://i.example", subject: "s" },
  });
});

const post = (body: object, as = token, at = path) => callRest(at, { token: as, body });
const { get, patch } = resourceCalls("/iam/v2/roleBindings", () => token);
const batch = (body: object, as = token) =>
  callRest("/iam/v2/roleBindings:batchCreate", {
    token: as,
    body: { parent: organization.uid, ...body },
  });
const stored = () =>
  sql<{ identity_uid: string; role_uid: string }>(
    "select identity_uid, role_uid from role_bindings where parent = ? and identity_uid <> ? order by uid",
    organization.uid,
    organization.owner.uid,
  );
const events = async () =>
  (
    await sql(
      "select id from events where group_uid = ? and type like '%rolebindings%'",
      organization.uid,
    )
  ).length;

const bots = (count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      createResource(`/iam/v2/identities/${organization.uid}`, token, { name: `b${index}` }),
    ),
  );
const requestsOf = (identities: { uid: string }[], roleUid?: string) =>
  identities.map(({ uid }) => ({
    roleBinding: { identityUid: uid, ...(roleUid ? { roleUid } : {}) },
  }));

describe("a role binding", () => {
  test("returns the names of its identity, group and role, in a create and in a Get", async () => {
    const { status, body } = await post({
      identityUid: bot.uid,
      roleUid: viewer,
      uid: "ignored",
      createTime: "2000-01-01T00:00:00Z",
      group: { uid: "ignored" },
    });
    expect(status).toBe(200);
    const [role] = await sql<{ description: string }>(
      "select description from roles where uid = ?",
      viewer,
    );
    expect(body).toEqual({
      uid: expect.stringMatching(new RegExp(`^${organization.uid}/[0-9a-f]{16}$`)),
      identity: {
        uid: bot.uid,
        name: "bot",
        description: "d",
        subject: "s",
        issuer: "https://i.example",
      },
      group: { uid: organization.uid, name: organization.name },
      role: { uid: viewer, name: "viewer", description: role?.description },
      createTime: expect.any(String),
      updateTime: body.createTime,
      etag: expect.any(String),
    });
    expect((await get(body.uid)).body).toEqual(body);
    const list = await callRest(`/iam/v2/roleBindings?identity=${bot.uid}`, { token });
    expect(list.body.roleBindings).toEqual([body]);
  });

  test("can name a user who does not exist yet", async () => {
    const user = randomUid();
    const { status, body } = await post({ identityUid: user, roleUid: viewer });
    expect([status, body.identity, body.pending]).toEqual([200, { uid: user }, true]);
    expect((await get(body.uid)).body).toEqual(body);
  });
});

describe("a role binding is rejected, and nothing is written", () => {
  test("to an identity or a role of another organization or branch", async () => {
    const other = await newOrganization();
    const stranger = await newIdentity(other, undefined);
    const theirs = await createResource(`/iam/v2/roles/${other.uid}`, other.owner.token, {
      name: "r",
      capabilities: ["CAP_REPO_LIST"],
    });
    const [one, two] = await Promise.all(
      ["one", "two"].map((name) =>
        createResource(`/iam/v2/groups/${organization.uid}`, token, { name }),
      ),
    );
    const beside = await createResource(`/iam/v2/identities/${one?.uid}`, token, {
      name: "beside",
    });
    const role = await createResource(`/iam/v2/roles/${one?.uid}`, token, {
      name: "r",
      capabilities: ["CAP_REPO_LIST"],
    });
    const inTwo = `/iam/v2/roleBindings/${two?.uid}`;
    for (const [at, identityUid, roleUid] of [
      [path, stranger.uid, viewer],
      [path, bot.uid, theirs.uid],
      [inTwo, beside.uid, viewer],
      [inTwo, bot.uid, role.uid],
      [path, bot.uid, role.uid],
    ] as const) {
      expect((await post({ identityUid, roleUid }, token, at)).status).toBe(400);
    }
    expect(await stored()).toEqual([]);
  });

  test("of an identity of a group below, and the error says where it can be bound", async () => {
    const group = await createResource(`/iam/v2/groups/${organization.uid}`, token, {
      name: "team",
    });
    const below = await createResource(`/iam/v2/identities/${group.uid}`, token, { name: "below" });
    const wanted = { identityUid: below.uid, roleUid: viewer };
    const { uid: theirs } = await createResource(path, token, {
      identityUid: bot.uid,
      roleUid: viewer,
    });
    const field = "identity_uid";
    for (const [answer, at] of [
      [await post(wanted), field],
      [await batch({ requests: requestsOf([below], viewer) }), `requests[0].role_binding.${field}`],
      [await patch(theirs, { identityUid: below.uid }), field],
    ] as const) {
      expect([answer.status, answer.body.details[1].fieldViolations]).toEqual([
        400,
        [
          {
            field: at,
            description: expect.stringContaining(`outside ${group.uid}; bind it there or below`),
          },
        ],
      ]);
    }
    expect(await stored()).toEqual([{ identity_uid: bot.uid, role_uid: viewer }]);
    expect((await post(wanted, token, `/iam/v2/roleBindings/${group.uid}`)).status).toBe(200);
  });
});

describe("an update of a role binding", () => {
  let binding: Record<string, unknown> & { uid: string };
  beforeEach(async () => {
    binding = await createResource(path, token, { identityUid: bot.uid, roleUid: viewer });
  });

  test("changes the role, the identity or both, and the group stays", async () => {
    const editor = await roleUid("editor");
    const role = await patch(binding.uid, { roleUid: editor });
    expect([role.body.role.name, role.body.identity.uid]).toEqual(["editor", bot.uid]);
    const [other] = await bots(1);
    const both = await patch(binding.uid, { identityUid: other?.uid, role_uid: viewer });
    expect([both.body.role.name, both.body.identity.name]).toEqual(["viewer", "b0"]);
    expect(both.body.group.uid).toBe(organization.uid);
    expect(both.body.createTime).toBe(binding.createTime);
    expect((await get(binding.uid)).body).toEqual(both.body);
    const masked = await patch(
      binding.uid,
      { identityUid: bot.uid, roleUid: editor },
      token,
      "?updateMask=role_uid",
    );
    expect([masked.body.role.name, masked.body.identity.name]).toEqual(["editor", "b0"]);
    const whole = await patch(
      binding.uid,
      { identityUid: bot.uid, roleUid: viewer },
      token,
      "?updateMask=*",
    );
    expect([whole.body.role.name, whole.body.identity.name]).toEqual(["viewer", "bot"]);
  });
});

describe("a batch of role bindings", () => {
  test("creates up to 25 bindings in the order of the requests and writes one event", async () => {
    const made = await bots(25);
    const before = await events();
    const { status, body } = await batch({ requests: requestsOf(made), roleUid: viewer });
    expect(status).toBe(200);
    expect(body.roleBindings.map((one: { identity: { uid: string } }) => one.identity.uid)).toEqual(
      made.map(({ uid }) => uid),
    );
    expect(body.roleBindings[0].role.name).toBe("viewer");
    expect(await stored()).toHaveLength(25);
    expect(await events()).toBe(before + 1);
    expect((await get(body.roleBindings[24].uid)).body).toEqual(body.roleBindings[24]);
  });

  test("takes the roles from the items if the batch has none, and otherwise they must be equal", async () => {
    const [one, two] = (await bots(2)) as unknown as [Persona, Persona];
    const editor = await roleUid("editor");
    const mixed = await batch({
      requests: [...requestsOf([one], viewer), ...requestsOf([two], editor)],
    });
    expect(mixed.body.roleBindings.map((b: { role: { name: string } }) => b.role.name)).toEqual([
      "viewer",
      "editor",
    ]);
    const same = await batch({
      requests: [{ parent: organization.uid, ...requestsOf([two], viewer)[0] }],
      roleUid: viewer,
    });
    expect(same.status).toBe(200);
  });

  test("is all or nothing", async () => {
    const made = await bots(3);
    const first = made.slice(0, 1);
    const editor = await roleUid("editor");
    const [written, counted] = [await stored(), await events()];
    const role = "requests[3].role_binding.role_uid";
    for (const [body, field] of [
      [{ requests: [...requestsOf(made), ...requestsOf(first, editor)], roleUid: viewer }, role],
      [{ requests: [...requestsOf(made, viewer), ...requestsOf(first)] }, role],
      [{ requests: [{}], roleUid: viewer }, "requests[0].role_binding"],
      [
        { requests: [{ parent: randomUid(), ...requestsOf(first, viewer)[0] }] },
        "requests[0].parent",
      ],
    ] as const) {
      const answer = await batch(body);
      expect([answer.status, violatedField(answer.body)]).toEqual([400, field]);
    }
    expect(await stored()).toEqual(written);
    expect(await events()).toBe(counted);
  });
});
