/** The guard that undoes a write unless its caller still has the access that was read for it. */
import { drizzle } from "drizzle-orm/d1";
import { beforeEach, describe, expect, test } from "vitest";
import { Capability } from "../../schema/gen/platform/capabilities/v1/capability_pb.js";
import type { Credential } from "../../src/auth/call.ts";
import {
  type GrantRow,
  type GrantScope,
  guardGrants,
  selectGrants,
} from "../../src/auth/grant_rows.ts";
import { identityUse } from "../../src/auth/use.ts";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
  type Persona,
  randomName,
  randomUid,
} from "../world/personas.ts";
import { sql } from "../world/platform.ts";

// Only writes the statements. They run in the platform's database.
const db = drizzle({ prepare: () => undefined } as never);
const run = <Row>(statement: { toSQL(): { sql: string; params: unknown[] } }) => {
  const { sql: text, params } = statement.toSQL();
  return sql<Row>(text, ...params);
};

let organization: Organization;
let bot: Persona;
let role: string;
beforeEach(async () => {
  organization = await newOrganization();
  bot = await newIdentity(organization, undefined);
  role = `${organization.uid}/${randomUid().slice(0, 16)}`;
  await sql(
    "insert into roles (uid, name, capabilities, create_time, update_time) values (?, ?, ?, 1, 1)",
    ...[role, randomName("role"), JSON.stringify([Capability.CAP_REPO_LIST])],
  );
  for (const step of ["1", "2"]) {
    const body = { identityUid: bot.uid, roleUid: role };
    const group = { name: randomName(step) };
    const { token } = organization.owner;
    const { uid } = await createResource(`/iam/v2/groups/${organization.uid}`, token, group);
    await createResource(`/iam/v2/roleBindings/${uid}`, token, body);
  }
});

const credentialOf = (more: Partial<Credential> = {}): Credential => ({
  ...{ bearer: { uid: bot.uid }, chain: [], act: {}, ...more },
});

async function grants(credential: Credential, scope: GrantScope): Promise<GrantRow[]> {
  const statement = selectGrants(db, credential, scope);
  const rows = await run<{ capabilities: string | null }>(statement);
  return rows.map((row) => ({
    ...(row as unknown as GrantRow),
    capabilities: row.capabilities === null ? null : JSON.parse(row.capabilities),
  }));
}

/** Whether the guard lets a write through. */
async function passes(credential: Credential, scope: GrantScope, found: GrantRow[]) {
  const statement = guardGrants(db, credential, scope, found);
  return run(statement).then(
    () => true,
    (error: Error) => {
      expect(error.message).toContain("stale write");
      return false;
    },
  );
}

describe("a write is undone if, since the access was read,", () => {
  test.each<[string, () => Promise<unknown>]>([
    [
      "one of the role bindings was deleted",
      () =>
        sql(
          "delete from role_bindings where uid = (select max(uid) from role_bindings where identity_uid = ?)",
          bot.uid,
        ),
    ],
    ["the role got another capability", () => setCapabilities([1, 2])],
    ["the role lost its capabilities", () => setCapabilities([])],
    ["the identity was deleted", () => sql("delete from identities where uid = ?", bot.uid)],
  ])("%s", async (_, remove) => {
    const credential = credentialOf();
    const found = await grants(credential, undefined);
    expect(found).toHaveLength(2);
    expect(await passes(credential, undefined, found)).toBe(true);
    await remove();
    expect(await passes(credential, undefined, found)).toBe(false);
  });

  test("something that the token came from was deleted", async () => {
    const { uid } = await newIdentity(organization, undefined);
    const credential = credentialOf({ chain: [{ sub: uid }] });
    const found = await grants(credential, undefined);
    expect(await passes(credential, undefined, found)).toBe(true);
    await sql("delete from identities where uid = ?", uid);
    expect(await passes(credential, undefined, found)).toBe(false);
  });
});

const setCapabilities = (capabilities: number[]) =>
  sql("update roles set capabilities = ? where uid = ?", JSON.stringify(capabilities), role);

test("a write is not undone because of a grant that was added, or if there was none", async () => {
  const credential = credentialOf();
  const [one] = await grants(credential, undefined);
  expect(await passes(credential, undefined, one ? [one] : [])).toBe(true);
  const without = await grants(credential, organization.uid);
  expect(without).toMatchObject([{ identity: bot.uid, group: null, capabilities: null }]);
  expect(await passes(credential, organization.uid, without)).toBe(true);
});

test("a use is written once a day, from the first moment of the day on", async () => {
  const day = 24 * 3600 * 1000;
  const today = Date.UTC(2026, 0, 2);
  const usedAfter = async (before: number, now: number) => {
    const set = "update identities set last_used_time = ? where uid = ?";
    await sql(set, before, bot.uid);
    const statement = identityUse(db, [bot.uid, bot.uid], now);
    await run(statement);
    const query = "select last_used_time as time from identities where uid = ?";
    return (await sql<{ time: number }>(query, bot.uid))[0]?.time;
  };
  expect(await usedAfter(today, today + day - 1)).toBe(today);
  expect(await usedAfter(today - 1, today)).toBe(today);
  expect(await usedAfter(0, today + 5)).toBe(today + 5);
});
