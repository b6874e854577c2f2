/** A platform with two databases: what belongs to an organization is in its database, and nowhere else. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { pathTables } from "../../../cli/move/tables.ts";
import { fakeDigest } from "../../world/personas.ts";
import {
  type DatabaseName,
  type Home,
  type SpreadPlatform,
  startSpread,
} from "../../world/spread.ts";

let platform: SpreadPlatform;
beforeAll(async () => {
  platform = await startSpread();
});
afterAll(() => platform.stop());

const viewer = "select uid from roles where name = 'viewer' and length(uid) = 40";

/** The tables of a database with rows of an organization. */
async function tablesWith({ uid }: Home, at: DatabaseName): Promise<string[]> {
  const found: string[] = [];
  const others = [
    { name: "events", path: "ancestor0" },
    { name: "tags", path: "uid" },
    { name: "tag_moves", path: "repo_uid" },
  ];
  for (const { name, path } of [...pathTables, ...others]) {
    const sql = `select 1 from ${name} where ${path} >= ? and ${path} < ? limit 1`;
    if ((await platform.rowsIn(at, sql, uid, `${uid}0`)).length > 0) found.push(name);
  }
  return found;
}

/** Creates one resource of each kind through the API. */
async function fill(home: Home) {
  const { done } = platform;
  const [role] = await platform.rowsIn<{ uid: string }>("DB", viewer);
  const create = (kind: string, body: object, parent = home.uid) =>
    done(`${kind}/${parent}`, home.token, body);
  const group = await create("/iam/v2/groups", { name: "team" });
  const identity = await create("/iam/v2/identities", { name: "robot" }, group.uid);
  await create("/iam/v2/roles", { name: "mine", capabilities: ["CAP_REPO_LIST"] });
  const binding = { identityUid: identity.uid, roleUid: role?.uid };
  await create("/iam/v2/roleBindings", binding, group.uid);
  await create("/events/v2/subscriptions", { sink: "https://sink.example/x" });
  const repo = await create("/registry/v2/repos", { name: "app" }, group.uid);
  const digest = fakeDigest("image");
  const tag = await create("/registry/v2/tags", { name: "latest", digest }, repo.uid);
  await create("/iam/v2/groupInvites", { roleUid: role?.uid, ttl: "3600s" });
  return { group, identity, repo, tag };
}

test.each(["DB", "DB_2"] as const)(
  "an organization in %s has all of its rows there",
  async (at) => {
    const home = await platform.newHome(at);
    const { group, tag } = await fill(home);
    const kinds = [
      "groups",
      "identities",
      "roles",
      "role_bindings",
      "subscriptions",
      "repos",
      "tags",
    ];
    expect(await tablesWith(home, at)).toEqual(
      expect.arrayContaining([...kinds, "group_invites", "tag_moves", "events"]),
    );
    expect(await tablesWith(home, at === "DB" ? "DB_2" : "DB")).toEqual([]);
    expect(await platform.done(`/iam/v2/groups/${group.uid}`, home.token)).toMatchObject(group);
    const renamed = { name: "renamed" };
    const path = `/iam/v2/groups/${group.uid}?updateMask=name`;
    expect(await platform.call(path, home.token, renamed, "PATCH")).toMatchObject({ status: 200 });
    const gone = await platform.call(
      `/registry/v2/tags/${tag.uid}`,
      home.token,
      undefined,
      "DELETE",
    );
    expect(gone.status).toBe(200);
    const listed = await platform.done(
      `/registry/v2/repos?uidp.descendantsOf=${home.uid}`,
      home.token,
    );
    expect(listed.repos.map((one: { name: string }) => one.name)).toEqual(["app"]);
  },
);

test("a new organization comes into the configured database, and the directory names it", async () => {
  const home = await platform.newHome("DB_2");
  const rows = "select database from organization_databases where uid = ?";
  expect(await platform.rowsIn("DB", rows, home.uid)).toEqual([{ database: "DB_2" }]);
  expect(await platform.rowsIn("DB_2", rows, home.uid)).toEqual([]);
});

test("a call about an organization that the isolate knows costs as much as with one database", async () => {
  for (const at of ["DB", "DB_2"] as const) {
    const home = await platform.newHome(at);
    const get = () => platform.call(`/iam/v2/groups/${home.uid}`, home.token);
    await get();
    expect((await get()).roundTrips, at).toBe(1);
  }
});

test("a caller sees nothing of an organization in another database without a role there", async () => {
  const [mine, other] = [await platform.newHome("DB"), await platform.newHome("DB_2")];
  const { repo, group } = await fill(other);
  for (const path of [`/iam/v2/groups/${group.uid}`, `/registry/v2/repos/${repo.uid}`]) {
    expect([403, 404]).toContain((await platform.call(path, mine.token)).status);
  }
  const write = await platform.call(`/iam/v2/groups/${other.uid}`, mine.token, { name: "x" });
  expect(write.status).toBe(403);
  const listed = await platform.done("/registry/v2/repos", mine.token);
  expect(listed.repos ?? []).toEqual([]);
});

test("a deleted organization leaves neither rows nor its place", async () => {
  const home = await platform.newHome("DB_2");
  const path = `/iam/v2/groups/${home.uid}`;
  expect((await platform.call(path, home.token, undefined, "DELETE")).status).toBe(200);
  const rows = "select uid from organization_databases where uid = ?";
  expect(await platform.rowsIn("DB", rows, home.uid)).toEqual([]);
  expect(await platform.rowsIn("DB_2", "select uid from groups where uid = ?", home.uid)).toEqual(
    [],
  );
});

test("two organizations in different databases cannot have the same verified name", async () => {
  const owner = await platform.newPerson();
  const [one, other] = [await platform.newHome("DB", owner), await platform.newHome("DB_2", owner)];
  const path = (home: Home) => `/iam/v2/groups/${home.uid}`;
  const change = (home: Home, body: object) =>
    platform.call(path(home), owner.token, body, "PATCH");
  expect((await change(one, { name: other.name })).status).toBe(200);
  for (const home of [one, other]) {
    await platform.rowsIn(
      home.at,
      `insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time)
        values (?, ?, (select uid from roles where name = 'operator' and length(uid) = 40), 1, 1)`,
      `${home.uid}/00000000000000bb`,
      owner.uid,
    );
  }
  const verified = { verified: true };
  const both = [await change(one, verified), await change(other, verified)];
  expect(both.map(({ status }) => status)).toEqual([200, 409]);
  // The name is free again if its organization is not verified any more.
  expect((await change(one, { verified: false })).status).toBe(200);
  expect((await change(other, verified)).status).toBe(200);
  expect((await change(one, verified)).status).toBe(409);
});
