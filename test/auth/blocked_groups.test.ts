/**
 * People whom provisioning blocks in a group, including people who registered themselves, and the cost of
 * that.
 */
import { beforeEach, describe, expect, test } from "vitest";
import { newProvider, newScimUser } from "../issuer/login/logins.ts";
import {
  newIdentity,
  newOrganization,
  type Organization,
  type Persona,
  randomName,
  randomUid,
  roleUid,
} from "../world/personas.ts";
import { callRest, costOf, sql, tokenFor } from "../world/platform.ts";

const step = () => randomUid().slice(0, 16);

let organization: Organization;
beforeEach(async () => {
  organization = await newOrganization();
});

async function newGroups(count: number, parent = organization.uid): Promise<string[]> {
  const uids = Array.from({ length: count }, () => `${parent}/${step()}`);
  await sql(
    `insert into groups (uid, name, status, create_time, update_time)
     select value, substr(value, -16), 2, 1, 1 from json_each(?)`,
    JSON.stringify(uids),
  );
  return uids;
}

const bind = async (uid: string, groups: string[]) =>
  sql(
    `insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time)
     select value, ?, ?, 1, 1 from json_each(?)`,
    uid,
    await roleUid("viewer"),
    JSON.stringify(groups.map((group) => `${group}/${step()}`)),
  );

/** A person. One with an issuer has registered themselves and can come in without a provider. */
async function newPerson(issuer: string | null = "https://people.example"): Promise<Persona> {
  const uid = randomUid();
  await sql(
    `insert into identities (uid, name, issuer, subject, last_seen_time, create_time, update_time)
     values (?, 'ada', ?, ?, 1, 1, 1)`,
    uid,
    issuer,
    issuer && uid,
  );
  return { uid, token: await tokenFor(uid) };
}

/** The person has come in through that many providers of the group with provisioning. */
async function comesInBy(uid: string, count: number, group = organization.uid) {
  for (let one = 0; one < count; one += 1) {
    const idp = await newProvider(group, { issuer: "https://people.example", scim_enabled: 1 });
    const user = await newScimUser(idp, uid);
    await sql("update scim_users set identity_uid = ? where uid = ?", uid, user);
    const insert =
      "insert into sign_ins (identity_provider_uid, identity_uid, create_time, last_time) values (?, ?, 1, 1)";
    await sql(insert, idp, uid);
  }
}

const deactivate = (uid: string) =>
  sql("update scim_users set active = 0 where identity_uid = ?", uid);

async function rowsRead({ token }: Persona, path = "/auth/v1/ok"): Promise<number> {
  const answer = await callRest(path, { token });
  expect(answer.status).toBe(200);
  return costOf(answer).rowsRead;
}

test("a provider of a group blocks that group and those below it, and no other group", async () => {
  const [shut = "", beside = ""] = await newGroups(2);
  const [below = ""] = await newGroups(1, shut);
  const ada = await newPerson();
  const groups = [shut, beside, below];
  await bind(ada.uid, groups);
  await comesInBy(ada.uid, 1, shut);
  const statuses = () =>
    Promise.all(groups.map(async (uid) => (await callRest(`/iam/v2/groups/${uid}`, ada)).status));
  const listed = async () => (await callRest("/iam/v2/groups", ada)).body.groups;
  expect(await statuses()).toEqual([200, 200, 200]);
  await deactivate(ada.uid);
  expect(await statuses()).toEqual([403, 200, 403]);
  expect(await listed()).toMatchObject([{ uid: beside }]);
  await bind(ada.uid, [organization.uid]);
  expect(await statuses()).toEqual([200, 200, 200]);
});

describe("the rows that a call reads", () => {
  test("are those of the bindings of every person if no provider blocks anyone", async () => {
    const groups = await newGroups(20);
    const [plain, registered] = [await newPerson(null), await newPerson()];
    for (const { uid } of [plain, registered]) await bind(uid, groups);
    await comesInBy((await newPerson()).uid, 5);
    // One more statement finds that they logged in nowhere.
    expect((await rowsRead(registered)) - (await rowsRead(plain))).toBeLessThanOrEqual(1);
    const bot = await newIdentity(organization, "viewer");
    expect(await rowsRead(bot, `/iam/v2/groups/${organization.uid}`)).toBeLessThanOrEqual(5);
  });

  test.each([
    ["provisioned", async () => undefined],
    ["shut out", deactivate],
  ])("for a caller who is %s do not grow with bindings times providers", async (_, change) => {
    const reads = async (bindings: number, providers: number) => {
      organization = await newOrganization(randomName("org"));
      const ada = await newPerson();
      await bind(ada.uid, await newGroups(bindings));
      await comesInBy(ada.uid, providers);
      await change(ada.uid);
      return rowsRead(ada);
    };
    const few = [await reads(10, 1), await reads(10, 10)] as const;
    const many = [await reads(60, 1), await reads(60, 10)] as const;
    // A few more or less, as the random uids fall; bindings times providers would be hundreds.
    expect(many[1] - many[0]).toBeLessThanOrEqual(few[1] - few[0] + 20);
    expect(few[1] - few[0]).toBeLessThanOrEqual(10 * 9);
  });
});
