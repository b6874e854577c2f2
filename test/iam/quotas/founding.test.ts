/** One person can found only so many organizations that they own. */
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  bindPerson,
  makeOperator,
  newOrganization,
  newUser,
  randomName,
} from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { type SpreadPlatform, startSpread } from "../../world/spread.ts";

const found = (token: string) =>
  callRest("/iam/v2/groups", { token, body: { name: randomName("org") } });

/** Founds ten, which is the default. */
async function foundTen(token: string): Promise<string[]> {
  const all = await Promise.all(Array.from({ length: 10 }, () => found(token)));
  expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
  return all.map(({ body }) => body.uid);
}

test("an eleventh organization is refused, and one more can be founded after one is deleted", async () => {
  const { token } = await newUser();
  const [first] = await foundTen(token);
  const refused = await found(token);
  expect([refused.status, refused.body.details.slice(0, 2)]).toEqual([
    429,
    [
      expect.objectContaining({ reason: "QUOTA_EXCEEDED" }),
      {
        "@type": "type.googleapis.com/google.rpc.QuotaFailure",
        violations: [
          { subject: "person", description: "quota owned_organizations: limit 10, use 11" },
        ],
      },
    ],
  ]);
  const v1 = await callRest("/iam/v1/groups", { token, body: { name: randomName("org") } });
  expect(v1.status).toBe(429);
  await callRest(`/iam/v2/groups/${first}`, { method: "DELETE", token });
  expect((await found(token)).status).toBe(200);
});

test("of many at once, only as many succeed as are left", async () => {
  const { token } = await newUser();
  const all = await Promise.all(Array.from({ length: 20 }, () => found(token)));
  expect(all.filter(({ status }) => status === 200)).toHaveLength(10);
});

test("an owner of ten becomes an owner of another one, and cannot found a twelfth", async () => {
  const { uid, token } = await newUser();
  await foundTen(token);
  const other = await newOrganization();
  await bindPerson({ uid: other.uid, token: other.owner.token }, uid, "owner");
  const { body } = await callRest(`/iam/v2/groups/${other.uid}`, { token });
  expect(body.uid).toBe(other.uid);
  expect((await found(token)).status).toBe(429);
});

test("the operator founds organizations for others without a limit", async () => {
  const organization = await newOrganization();
  await makeOperator(organization);
  const { token } = organization.owner;
  const all = await Promise.all(Array.from({ length: 11 }, () => found(token)));
  expect(all.filter(({ status }) => status !== 200)).toEqual([]);
});

let spread: SpreadPlatform;
beforeAll(async () => {
  spread = await startSpread();
});
afterAll(() => spread.stop());

test("the organizations of all databases count, and a default is that of all of them", async () => {
  const home = await spread.newHome("DB");
  const role = "(select uid from roles where name = 'owner' and length(uid) = 40)";
  for (const at of ["DB", "DB_2"] as const)
    await spread.rowsIn(at, "update quotas set quota_limit = 2 where kind = 'owned_organizations'");
  const name = () => ({ name: randomName("org") });
  expect((await spread.call("/iam/v2/groups", home.token, name())).status).toBe(200);
  const refused = await spread.call("/iam/v2/groups", home.token, name());
  expect([refused.status, refused.body.details[0].reason]).toEqual([429, "QUOTA_EXCEEDED"]);
  const operator = role.replace("'owner'", "'operator'");
  await spread.rowsIn(
    "DB",
    `insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time) values (?, ?, ${operator}, 1, 1)`,
    `${home.uid}/00000000000000bb`,
    home.owner,
  );
  const change = { kind: "QUOTA_KIND_ROLES", limit: "3" };
  const set = await spread.call(`/iam/v2/defaultQuotas/${home.uid}`, home.token, change, "PATCH");
  expect(set.status).toBe(200);
  for (const at of ["DB", "DB_2"] as const) {
    const limit = "select quota_limit from quotas where organization = '' and kind = 'roles'";
    expect(await spread.rowsIn(at, limit)).toEqual([{ quota_limit: 3 }]);
  }
});
