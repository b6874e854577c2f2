/** A person with roles in organizations of several databases. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { moveOrganization } from "../../../cli/move/move.ts";
import type { MoveStep } from "../../../cli/move/request.ts";
import { sqlOf } from "../../../cli/move/sql.ts";
import { randomName } from "../../world/personas.ts";
import {
  type DatabaseName,
  type Home,
  type SpreadPlatform,
  startSpread,
} from "../../world/spread.ts";

let platform: SpreadPlatform;
let owner: { uid: string; token: string };
let homes: Home[];
beforeAll(async () => {
  platform = await startSpread();
  owner = await platform.newPerson();
  homes = [await platform.newHome("DB", owner), await platform.newHome("DB_2", owner)];
});
afterAll(() => platform.stop());

test("the person sees both organizations", async () => {
  const page = await platform.done("/iam/v2/groups?pageSize=100", owner.token);
  const seen = page.groups.map(({ uid }: { uid: string }) => uid);
  expect(seen.toSorted()).toEqual(homes.map(({ uid }) => uid).toSorted());
});

test("permissions can be tested in both at once", async () => {
  const answer = await platform.done("/iam/v2/access:testPermissions", owner.token, {
    resourceUids: homes.map(({ uid }) => uid),
    capabilities: ["CAP_REPO_CREATE"],
  });
  const found = answer.permissions.map((one: { capabilities?: string[] }) => one.capabilities);
  expect(found).toEqual([["CAP_REPO_CREATE"], ["CAP_REPO_CREATE"]]);
});

/** Gives a person a role in an organization, which they accept. */
async function bind({ uid, token }: Home, person: { uid: string; token: string }, role: string) {
  const [found] = await platform.rowsIn<{ uid: string }>(
    "DB",
    "select uid from roles where name = ? and length(uid) = 40",
    role,
  );
  const body = { identityUid: person.uid, roleUid: found?.uid };
  const binding = await platform.done(`/iam/v2/roleBindings/${uid}`, token, body);
  await platform.done("/iam/v2/groupInvites:accept", person.token, { code: binding.uid });
}

const identityIn = (at: DatabaseName, uid: string) =>
  platform.rowsIn(at, "select uid from identities where uid = ?", uid);

test("a person who accepts a role in another database has that role, and a copy of their row there", async () => {
  const guest = await platform.newPerson();
  for (const home of homes) {
    await bind(home, guest, "viewer");
    const path = `/iam/v2/groups/${home.uid}`;
    expect((await platform.call(path, guest.token)).status).toBe(200);
    expect((await platform.call(path, guest.token, { name: "x" })).status).toBe(403);
    expect(await identityIn(home.at, guest.uid)).toHaveLength(1);
  }
});

test("a person who deletes their identity has no access in any database", async () => {
  const gone = await platform.newPerson();
  for (const home of homes) await bind(home, gone, "viewer");
  const deleted = await platform.call(
    `/auth/v1/delete/${gone.uid}`,
    gone.token,
    undefined,
    "DELETE",
  );
  expect(deleted.status).toBe(200);
  for (const { uid, at } of homes) {
    expect(await identityIn(at, gone.uid)).toEqual([]);
    const bindings = "select uid from role_bindings where identity_uid = ?";
    expect(await platform.rowsIn(at, bindings, gone.uid)).toEqual([]);
    expect((await platform.call(`/iam/v2/groups/${uid}`, gone.token)).status).toBe(401);
    expect((await platform.call(`/iam/v2/groups/${uid}`, owner.token)).status).toBe(200);
  }
});

test("a person who alone owns an organization of another database cannot delete their identity", async () => {
  const alone = await platform.newPerson();
  const home = await platform.newHome("DB_2", alone);
  const refused = await platform.call(
    `/auth/v1/delete/${alone.uid}`,
    alone.token,
    undefined,
    "DELETE",
  );
  expect(refused.status).toBe(400);
  for (const at of ["DB", "DB_2"] as const) {
    expect(await identityIn(at, alone.uid)).toHaveLength(1);
  }
  expect((await platform.call(`/iam/v2/groups/${home.uid}`, alone.token)).status).toBe(200);
});

test("an identity of a group gets roles in another organization or not, whatever its database is", async () => {
  const near = await platform.newHome("DB", owner);
  const [first, far] = homes as [Home, Home];
  const robot = await platform.done(`/iam/v2/identities/${first.uid}`, owner.token, {
    name: randomName("robot"),
  });
  const [role] = await platform.rowsIn<{ uid: string }>(
    "DB",
    "select uid from roles where name = 'viewer' and length(uid) = 40",
  );
  const body = { identityUid: robot.uid, roleUid: role?.uid };
  const bind = ({ uid }: Home) => platform.call(`/iam/v2/roleBindings/${uid}`, owner.token, body);
  const [one, other] = [await bind(near), await bind(far)];
  expect(other.status).toBe(one.status);
  expect(other.body.message).toBe(one.body.message);
});

/** Moves an organization up to a step, as a command that is interrupted there. */
async function moveUntil({ uid }: Home, to: DatabaseName, last: MoveStep): Promise<void> {
  const databases = new Map(
    Object.entries(platform.databases).map(([name, one]) => [name, sqlOf(one)]),
  );
  const onStep = (step: MoveStep) => {
    if (step === last) throw new Error("interrupted");
  };
  await expect(moveOrganization({ databases, root: uid, to, onStep })).rejects.toThrow(
    "interrupted",
  );
}

test("a person who deletes their identity while an organization moves loses each role with one event", async () => {
  const home = await platform.newHome("DB_2", owner);
  const gone = await platform.newPerson();
  await bind(home, gone, "viewer");
  await moveUntil(home, "DB", "pause");
  const path = `/auth/v1/delete/${gone.uid}`;
  expect((await platform.call(path, gone.token, undefined, "DELETE")).status).toBe(200);
  const events =
    "select count(*) as n from events where ancestor0 = ? and type like '%rolebindings.deleted%'";
  expect(await platform.rowsIn("DB_2", events, home.uid)).toEqual([{ n: 1 }]);
  expect(await platform.rowsIn("DB", events, home.uid)).toEqual([{ n: 0 }]);
});

test("a group is found by its name while the old database still has a copy of it", async () => {
  const home = await platform.newHome("DB_2", owner);
  const name = randomName("team");
  const team = await platform.done(`/iam/v2/groups/${home.uid}`, owner.token, { name });
  await moveUntil(home, "DB", "delete");
  const changed = { uid: team.uid, description: "changed after the move" };
  const path = `/iam/v2/groups/${team.uid}?updateMask=description`;
  await platform.done(path, owner.token, changed, "PATCH");
  const inner = await platform.call(`/iam/v2/groups/${name}`, owner.token, { name: "inner" });
  expect(inner).toMatchObject({ status: 200, body: { uid: expect.stringContaining(team.uid) } });
});
