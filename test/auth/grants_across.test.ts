/** The access of callers whose organizations, or the origin of whose token, are in several databases. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { moveOrganization } from "../../cli/move/move.ts";
import { sqlOf } from "../../cli/move/sql.ts";
import { randomName } from "../world/personas.ts";
import { tokenFor } from "../world/platform.ts";
import { type Home, type SpreadPlatform, startSpread } from "../world/spread.ts";

let platform: SpreadPlatform;
let owner: { uid: string; token: string };
let homes: [Home, Home];
beforeAll(async () => {
  platform = await startSpread();
  owner = await platform.newPerson();
  homes = [await platform.newHome("DB", owner), await platform.newHome("DB_2", owner)];
});
afterAll(() => platform.stop());

const statusOf = async (path: string, token: string) => (await platform.call(path, token)).status;
const listed = async (token: string): Promise<string[]> => {
  const page = await platform.call("/iam/v2/groups?pageSize=100", token);
  return (page.body.groups ?? []).map(({ uid }: { uid: string }) => uid);
};

test("a token is valid in every database as long as all that it came from is valid, wherever that is", async () => {
  for (const [home, other] of [homes, homes.toReversed()] as [Home, Home][]) {
    const robot = await platform.done(`/iam/v2/identities/${other.uid}`, owner.token, {
      name: randomName("robot"),
    });
    const sources = [robot.uid, (await platform.newPerson()).uid];
    for (const sub of sources) {
      const token = await tokenFor(owner.uid, { chain: [{ sub }] });
      const paths = [...homes.map(({ uid }) => `/iam/v2/groups/${uid}`), "/registry/v2/repos"];
      const statuses = () => Promise.all(paths.map((path) => statusOf(path, token)));
      expect(await statuses()).toEqual([200, 200, 200]);
      for (const at of [home.at, other.at]) {
        await platform.rowsIn(at, "delete from identities where uid = ?", sub);
      }
      expect(await statuses()).toEqual([401, 401, 401]);
    }
  }
});

test("a token with one valid and one invalid origin is invalid, in whatever order", async () => {
  const [one, two] = homes;
  const [valid, gone] = [{ sub: owner.uid }, { sub: `${one.uid}/${"0".repeat(16)}` }];
  for (const chain of [
    [valid, gone],
    [gone, valid],
  ]) {
    const token = await tokenFor(owner.uid, { chain });
    for (const { uid } of [one, two]) {
      expect(await statusOf(`/iam/v2/groups/${uid}`, token)).toBe(401);
    }
    expect(await statusOf("/registry/v2/repos", token)).toBe(401);
  }
});

test("a caller of one database has no access in another, and is still known there", async () => {
  const robot = await platform.done(`/iam/v2/identities/${homes[0].uid}`, owner.token, {
    name: randomName("robot"),
  });
  const token = await tokenFor(robot.uid);
  for (const { uid } of homes) expect(await statusOf(`/iam/v2/groups/${uid}`, token)).toBe(403);
  const gone = await tokenFor(`${homes[0].uid}/${"0".repeat(16)}`);
  for (const { uid } of homes) expect(await statusOf(`/iam/v2/groups/${uid}`, gone)).toBe(401);
});

test.each([
  ["DB", "DB_2"],
  ["DB_2", "DB"],
] as const)("a copy that a move from %s has left behind gives no access", async (from, to) => {
  const home = await platform.newHome(from, owner);
  const guest = await platform.newPerson();
  await platform.rowsIn(
    home.at,
    "insert or ignore into identities (uid, name, last_seen_time, create_time, update_time) values (?, 'g', 1, 1, 1)",
    guest.uid,
  );
  const binding = `${home.uid}/00000000000000cc`;
  await platform.rowsIn(
    home.at,
    `insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time)
      values (?, ?, (select uid from roles where name = 'viewer' and length(uid) = 40), 1, 1)`,
    ...[binding, guest.uid],
  );
  expect(await listed(guest.token)).toEqual([home.uid]);
  const databases = new Map(
    Object.entries(platform.databases).map(([name, one]) => [name, sqlOf(one)]),
  );
  const onStep = (step: string) => {
    if (step === "delete") throw new Error("interrupted");
  };
  const moved = moveOrganization({ databases, root: home.uid, to, onStep });
  await expect(moved).rejects.toThrow("interrupted");
  expect(await listed(guest.token)).toEqual([home.uid]);
  const path = `/iam/v2/roleBindings/${binding}`;
  expect(await platform.call(path, owner.token, undefined, "DELETE")).toMatchObject({
    status: 200,
  });
  const left = await platform.rowsIn(from, "select 1 from role_bindings where uid = ?", binding);
  expect(left).toHaveLength(1);
  expect(await listed(guest.token)).toEqual([]);
});
