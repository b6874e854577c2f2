/** Lists of version 1, which return all rows at once, with long rows. */
import { beforeEach, describe, expect, test } from "vitest";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
  roleUid,
} from "../world/personas.ts";
import { callRest, costOf, sql } from "../world/platform.ts";
import { tiers } from "../world/tiers.ts";

let organization: Organization;
let token: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
});

const mib = 1024 * 1024;

/** Inserts rows below a group. `columns` is SQL, in which ?2 is a text of that many bytes. */
async function plant(
  table: string,
  group: string,
  columns: Record<string, string>,
  { rows = 17, bytes = mib } = {},
): Promise<void> {
  await sql(
    `insert into ${table} (uid, create_time, update_time, ${Object.keys(columns).join(", ")})
     select ?1 || '/' || printf('%016x', value), 1, 1, ${Object.values(columns).join(", ")}
     from json_each(?3) where ?2 is not null`,
    group,
    "x".repeat(bytes),
    JSON.stringify(Array.from({ length: rows }, (_, index) => index + 1)),
  );
}

const named = { name: "'n' || value" };
const keys = `json_object('case', 'staticKeys', 'value',
  json_object('issuer', 'i', 'subject', 's', 'issuerKeys', ?2))`;
const provider = { ...named, default_role: "''", issuer: "'i'", client_id: "'c'" };

/** The path of the list in both versions, the table, and its columns, one of which is long. */
const resources: [string, string, Record<string, string>][] = [
  ["iam/*/identities", "identities", { ...named, last_seen_time: "1", relationship: keys }],
  ["iam/*/identities", "identities", { name: "?2", last_seen_time: "1" }],
  ["iam/*/groups", "groups", { ...named, resource_limits: "json_object(?2, 1)" }],
  ["iam/*/groups", "groups", { ...named, description: "?2" }],
  ["iam/*/roles", "roles", { ...named, capabilities: "'[103]'", description: "?2" }],
  ["iam/*/identityProviders", "identity_providers", { ...provider, groups_claim: "?2" }],
  ["iam/*/identityProviders", "identity_providers", { ...provider, client_secret: "?2" }],
  ["registry/*/repos", "repos", { ...named, readme: "?2" }],
  ["registry/*/repos", "repos", { ...named, sync_config: "json_object('source', ?2)" }],
  ["registry/*/repos", "repos", { ...named, custom_overlay: "json_object('packages', ?2)" }],
  ["registry/*/repos", "repos", { ...named, aliases: "json_array(?2)" }],
  ["registry/*/repos", "repos", { ...named, active_tags: "json_array(?2)" }],
  ["events/*/subscriptions", "subscriptions", { sink: "?2 || value" }],
];

describe("a list above 16 MiB is rejected before its rows are read", () => {
  for (const [some, tier] of tiers(resources, ([, table]) => table))
    test.for(some)("%s: %s %o", tier, async ([path, table, columns]) => {
      await plant(table, organization.uid, columns);
      const scope = `uidp.childrenOf=${organization.uid}`;
      const whole = await callRest(`/${path.replace("*", "v1")}?${scope}`, { token });
      expect(whole.body).toMatchObject({ code: 8, message: expect.stringContaining("16 MiB") });
      expect(costOf(whole).roundTrips).toBe(1);
      const unscoped = await callRest(`/${path.replace("*", "v1")}`, { token });
      expect(unscoped.body).toMatchObject({ code: 8 });
    });

  test("the names of role, group and identity count as bytes of a role binding", async () => {
    await sql("update groups set description = ? where uid = ?", "x".repeat(mib), organization.uid);
    const bound = { identity_uid: "'i' || value", role_uid: `'${await roleUid("viewer")}'` };
    await plant("role_bindings", organization.uid, bound);
    const whole = await callRest("/iam/v1/rolebindings", { token });
    expect(whole.body).toMatchObject({ code: 8, message: expect.stringContaining("16 MiB") });
  });

  test("capabilities count by the length of their names", async () => {
    const capabilities = "'[' || replace(substr(?2, 1, 262144), 'x', '103,') || '103]'";
    await plant("roles", organization.uid, { ...named, capabilities }, { rows: 3 });
    const whole = await callRest(`/iam/v1/roles?uidp.childrenOf=${organization.uid}`, { token });
    expect(whole.body).toMatchObject({ code: 8 });
  });
});

const identity = { ...named, last_seen_time: "1", description: "?2" };

test("rows within the limit are returned completely, in order, and are read once", async () => {
  const group = await createResource(`/iam/v2/groups/${organization.uid}`, token, { name: "g" });
  const filler = { ...named, last_seen_time: "1" };
  await plant("identities", organization.uid, filler, { rows: 5_000, bytes: 1 });
  await plant("identities", group.uid, identity, { rows: 100, bytes: 50_000 });
  const whole = await callRest(`/iam/v1/identities?uidp.childrenOf=${group.uid}`, { token });
  const items: { id: string; description: string }[] = whole.body.items;
  const ids = items.map(({ id }) => id);
  expect(ids).toEqual(Array.from({ length: 100 }, (_, i) => `${group.uid}/${hex(i + 1)}`));
  expect(new Set(items.map(({ description }) => description.length))).toEqual(new Set([50_000]));
  expect(costOf(whole)).toMatchObject({ roundTrips: 1, rowsWritten: 0 });
  expect(costOf(whole).rowsRead).toBeLessThan(400);
});

const hex = (number: number) => number.toString(16).padStart(16, "0");

describe("rows in several groups", () => {
  /** Two groups with that many MiB of identities each, and a caller who sees only those. */
  async function scattered(...sizes: number[]) {
    const groups = await Promise.all(
      sizes.map(async (rows, index) => {
        const name = `g${index}`;
        const { uid } = await createResource(`/iam/v2/groups/${organization.uid}`, token, { name });
        await plant("identities", uid, identity, { rows, bytes: mib });
        return uid;
      }),
    );
    const viewer = await newIdentity(organization, undefined);
    const bound = { identityUid: viewer.uid, roleUid: await roleUid("viewer") };
    for (const group of groups) await createResource(`/iam/v2/roleBindings/${group}`, token, bound);
    return viewer.token;
  }

  test("are returned completely, however unevenly they are distributed", async () => {
    const viewer = await scattered(11, 1, 2);
    const { body } = await callRest("/iam/v1/identities", { token: viewer });
    const lengths = body.items.map(
      ({ description }: { description: string }) => description.length,
    );
    expect(lengths).toEqual(Array.from({ length: 14 }, () => mib));
  });

  test("are rejected if only their sum is above the limit", async () => {
    const viewer = await scattered(9, 9);
    expect((await callRest("/iam/v1/identities", { token: viewer })).body).toMatchObject({
      code: 8,
    });
    const { body } = await callRest("/iam/v2/identities?pageSize=10", { token: viewer });
    expect([body.identities.length, body.totalCount]).toEqual([10, "18"]);
  });
});
