/** The role bindings that were not used. */
import { beforeEach, expect, test } from "vitest";
import { newIdentity, newOrganization, type Organization } from "../../world/personas.ts";
import { callRest, costOf, sql } from "../../world/platform.ts";
import { iso } from "../../world/times.ts";

const day = 24 * 3600 * 1000;
const now = Date.now();
const today = now - (now % day);

let organization: Organization;
let token: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
});

const list = (query: Record<string, string>) =>
  callRest(
    `/iam/v2/roleBindings?${new URLSearchParams({ "uidp.descendants_of": organization.uid, ...query })}`,
    { token },
  );
const identitiesOf = async (query: Record<string, string>) => {
  const { status, body } = await list(query);
  expect(status, JSON.stringify(body)).toBe(200);
  return (body.roleBindings ?? []).map((one: { identity: { uid: string } }) => one.identity.uid);
};

/** An identity whose binding last changed and was last used at these times. 0 for never. */
async function bound(changed: number, used: number, unknownUntil = 0) {
  const { uid } = await newIdentity(organization, "viewer");
  await sql(
    `update role_bindings set create_time = ?1, update_time = ?1, last_used_time = ?2, use_unknown_until = ?3
     where identity_uid = ?4`,
    ...[changed, used, unknownUntil, uid],
  );
  return uid;
}

test("unused_since finds bindings that were certainly not used, the longest unused first", async () => {
  const used = await bound(today - 300 * day, today - 91 * day + 5);
  const never = await bound(today - 200 * day, 0);
  await bound(today - 10 * day, 0);
  await bound(today - 300 * day, today - 90 * day + 5);
  const since = { unusedSince: iso(today - 90 * day) };
  expect(await identitiesOf(since)).toEqual([never, used]);
  expect(await identitiesOf({ ...since, identity: used })).toEqual([used]);
  expect(await identitiesOf({ ...since, orderBy: "last_used_time desc" })).toEqual([used, never]);
  expect((await list(since)).body).not.toHaveProperty("totalCount");
  expect((await list({ ...since, orderBy: "role" })).status).toBe(400);
});

test("an older role binding counts as unused only from the day when recording began", async () => {
  const old = await bound(today - 300 * day, 0, today - 30 * day);
  expect(await identitiesOf({ unusedSince: iso(today - 31 * day) })).toEqual([]);
  expect(await identitiesOf({ unusedSince: iso(today - 30 * day) })).toEqual([old]);
});

test("unused_since reads only the rows of one page, with the identity, the group and the role of each", async () => {
  const { uid } = await newIdentity(organization, "viewer");
  const numbers = Array.from({ length: 120 }, (_, at) => at + 1);
  const roles = numbers.map((at) => [`${organization.uid}/${at.toString(16).padStart(16, "a")}`]);
  await sql(
    `insert into roles (uid, name, capabilities, create_time, update_time)
     select value ->> 0, 'r' || key, '[]', 1, 1 from json_each(?)`,
    JSON.stringify(roles),
  );
  await sql(
    `insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time)
     select value ->> 0, ?2, value ->> 0, 1, 1 from json_each(?1)`,
    ...[JSON.stringify(roles), uid],
  );
  const answer = await list({ unusedSince: iso(now), pageSize: "50" });
  expect(answer.body.roleBindings).toHaveLength(50);
  expect(costOf(answer).roundTrips).toBe(1);
  expect(costOf(answer).rowsRead).toBeLessThanOrEqual(50 * 4 + 100);
});
