/** The use of identities and role bindings is recorded to the day, after the response. */
import { beforeEach, describe, expect, test } from "vitest";
import { exchange } from "../issuer/exchange_call.ts";
import {
  createResource,
  newIdentity,
  newOrganization,
  newUser,
  type Organization,
  type Persona,
  randomName,
  roleUid,
} from "../world/personas.ts";
import { callRest, costOf, registryAudience, sql, tokenFor } from "../world/platform.ts";
import { startIssuer } from "./oidc_issuer.ts";

let organization: Organization;
let token: string;
let repo: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
  const path = `/registry/v2/repos/${organization.uid}`;
  repo = (await createResource(path, token, { name: randomName("repo") })).uid;
});

const day = 24 * 3600 * 1000;

const identityUse = async (uid: string) =>
  (
    await sql<{ last_used_time: number }>(
      "select last_used_time from identities where uid = ?",
      uid,
    )
  )[0]?.last_used_time;

/** The uses of an identity's bindings, by their groups. */
const bindingUses = async (uid: string) => {
  const rows = await sql<{ parent: string; last_used_time: number }>(
    "select parent, last_used_time from role_bindings where identity_uid = ?",
    uid,
  );
  return Object.fromEntries(rows.map((row) => [row.parent, row.last_used_time > 0]));
};

/** Waits for the record of a use, which is written after the response. */
const used = (uid: string) => expect.poll(() => identityUse(uid)).toBeGreaterThan(Date.now() - day);

/** Waits until a use is recorded that began after all calls so far. */
async function settled() {
  const { uid, token: own } = await newUser();
  await callRest("/iam/v2/groups", { token: own, body: { name: randomName("org") } });
  await used(uid);
}

const readRepo = (as: string) => callRest(`/registry/v2/repos/${repo}`, { token: as });
const readIdentity = async ({ uid }: Persona) =>
  (await callRest(`/iam/v2/identities/${uid}`, { token })).body;

describe("an identity", () => {
  test("that was never used has no last use, although its last_seen_time is set", async () => {
    const bot = await newIdentity(organization, "viewer");
    const identity = await readIdentity(bot);
    expect(identity.lastSeenTime).toBe(identity.createTime);
    expect(identity).not.toHaveProperty("lastUsedTime");
  });

  test("is used by a call, which needs no further round trip", async () => {
    const bot = await newIdentity(organization, "viewer");
    const before = Date.now();
    const answer = await readRepo(bot.token);
    expect(answer.status).toBe(200);
    expect(costOf(answer)).toMatchObject({ roundTrips: 1, rowsWritten: 0 });
    await used(bot.uid);
    const { lastUsedTime, updateTime, createTime } = await readIdentity(bot);
    expect(Date.parse(lastUsedTime)).toBeGreaterThanOrEqual(before);
    expect(updateTime).toBe(createTime);
  });

  test("is used by a list of everything, and by a call that needs no capability", async () => {
    const lister = await newIdentity(organization, "viewer");
    expect((await callRest("/registry/v2/repos", { token: lister.token })).status).toBe(200);
    await used(lister.uid);
    const guest = await newIdentity(organization, undefined);
    const lookup = "/iam/v2/identities:lookupIdentity?issuer=https://i.example&subject=s";
    expect((await callRest(lookup, { token: guest.token })).status).toBe(200);
    await used(guest.uid);
  });

  test("is recorded once on each day with a use", async () => {
    const bot = await newIdentity(organization, "viewer");
    const now = Date.now();
    const today = now - (now % day);
    await sql("update identities set last_used_time = ? where uid = ?", today, bot.uid);
    await readRepo(bot.token);
    await settled();
    expect(await identityUse(bot.uid)).toBe(today);
    await sql("update identities set last_used_time = ? where uid = ?", today - 1, bot.uid);
    await readRepo(bot.token);
    await used(bot.uid);
  });

  test("is not used by a call that is refused", async () => {
    const bot = await newIdentity(organization, undefined);
    const viewer = await newIdentity(organization, "viewer");
    const path = `/registry/v2/repos/${organization.uid}`;
    const refused = [
      await readRepo(bot.token),
      await callRest("/registry/v2/repos", { token: bot.token }),
      await callRest(path, { token: viewer.token, body: { name: "new" } }),
      await callRest(`/registry/v2/repos/${repo}`, {
        token: await tokenFor(viewer.uid, { chain: [{ sub: viewer.uid, at: 7 }] }),
      }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 401]);
    await settled();
    expect([await identityUse(bot.uid), await identityUse(viewer.uid)]).toEqual([0, 0]);
  });

  test("is used by an exchange of its token, and so is the identity that it assumes", async () => {
    const { uid: person } = await newUser();
    const issuer = "http://localhost:8787";
    const target = await createResource(`/iam/v2/identities/${organization.uid}`, token, {
      name: "target",
      claimMatch: { issuer, subject: person },
    });
    const answer = await exchange(await tokenFor(person, { aud: issuer }), {
      identity: target.uid,
    });
    expect([answer.status, answer.body.message]).toEqual([200, undefined]);
    expect(await identityUse(person)).toBeGreaterThan(0);
    expect(await identityUse(target.uid)).toBeGreaterThan(0);
  });

  test("is used by a token of its own issuer", async () => {
    const issuer = await startIssuer();
    const bot = await createResource(`/iam/v2/identities/${organization.uid}`, token, {
      name: "ci",
      claimMatch: { issuer: issuer.url, subject: "ci" },
    });
    const body = { identityUid: bot.uid, roleUid: await roleUid("viewer") };
    await createResource(`/iam/v2/roleBindings/${organization.uid}`, token, body);
    expect((await readRepo(await issuer.sign("ci"))).status).toBe(200);
    await used(bot.uid);
    await issuer.close();
  });

  test("is used by a pull, and by a login at the registry", async () => {
    const [puller, docker] = [
      await newIdentity(organization, "viewer"),
      await newIdentity(organization, "viewer"),
    ];
    const [pull, login] = await Promise.all(
      [puller, docker].map(({ uid }) => tokenFor(uid, { aud: registryAudience })),
    );
    const { name } = (await readRepo(token)).body;
    const path = `/v2/${organization.uid}/${name}/tags/list`;
    expect((await callRest(path, { token: pull as string })).status).toBe(200);
    expect((await callRest("/token", { token: login as string })).status).toBe(200);
    await used(puller.uid);
    await used(docker.uid);
    expect(Object.values(await bindingUses(puller.uid))).toEqual([true]);
    expect(Object.values(await bindingUses(docker.uid))).toEqual([false]);
  });
});

describe("a role binding", () => {
  /** An identity with a role at the organization, and another one at a group below it. */
  async function boundTwice(role: string, below: string) {
    const path = `/iam/v2/groups/${organization.uid}`;
    const { uid: group } = await createResource(path, token, { name: randomName("group") });
    const bot = await newIdentity(organization, role);
    const body = { identityUid: bot.uid, roleUid: await roleUid(below) };
    await createResource(`/iam/v2/roleBindings/${group}`, token, body);
    return { bot, group };
  }

  test("is used by a call that needs its capability, and other role bindings are not", async () => {
    const { bot, group } = await boundTwice("viewer", "owner");
    await readRepo(bot.token);
    await used(bot.uid);
    expect(await bindingUses(bot.uid)).toEqual({ [organization.uid]: true, [group]: false });
    const body = { name: "repo" };
    await createResource(`/registry/v2/repos/${group}`, bot.token, body);
    await expect.poll(async () => (await bindingUses(bot.uid))[group]).toBe(true);
  });

  test("is used together with others that gave the same capability", async () => {
    const { bot, group } = await boundTwice("viewer", "viewer");
    await callRest(`/iam/v2/groups/${group}`, { token: bot.token });
    const both = { [organization.uid]: true, [group]: true };
    await expect.poll(() => bindingUses(bot.uid)).toEqual(both);
  });

  test("shows its last use, and is unused again after its role changes", async () => {
    const bot = await newIdentity(organization, "viewer");
    await readRepo(bot.token);
    await used(bot.uid);
    const list = `/iam/v2/roleBindings?identity=${bot.uid}`;
    const [binding] = (await callRest(list, { token })).body.roleBindings;
    expect(Date.parse(binding.lastUsedTime)).toBeGreaterThan(Date.now() - day);
    const changed = await callRest(`/iam/v2/roleBindings/${binding.uid}`, {
      ...{ method: "PATCH", token },
      body: { roleUid: await roleUid("editor") },
    });
    expect(changed.status).toBe(200);
    expect(changed.body).not.toHaveProperty("lastUsedTime");
    const [after] = (await callRest(list, { token })).body.roleBindings;
    expect(after).not.toHaveProperty("lastUsedTime");
  });
});
