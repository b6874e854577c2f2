/** A group with many rows is gone at once, and the schedule removes its rows in batches. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { removalOfGroups } from "../../../src/iam/groups/removal.ts";
import { removalOfRepos } from "../../../src/registry/repos/removal.ts";
import { startOwnRegistry } from "../../distribution/own_registry.ts";
import { callApi, type Registry } from "../../registry/repos/large_repository.ts";
import { expectBounded, faultsOf, removeBatches } from "../../resource/removed_batches.ts";
import { costOf, tokenFor } from "../../world/platform.ts";
import { long } from "../../world/tiers.ts";
import { callAs, type LargeGroup, many, newLargeGroup, rowsOf } from "./large_group.ts";
import { readAll, readAsEach } from "./large_group_reads.ts";

let registry: Registry;
beforeAll(async () => {
  registry = await startOwnRegistry();
});
afterAll(() => registry.stop());

const removeSome = (most?: number) => removeBatches(registry.db, removalOfGroups, most);

/** The person of the login deletes the group, so that the identity provider goes with it. */
const remove = ({ uid, tokens }: LargeGroup) =>
  callAs(registry, tokens.login, `/iam/v2/groups/${uid}`, { method: "DELETE" });

const deletions = () =>
  registry.run<{ uid: string; kind: string; time: number }>(
    "select uid, kind, time from deletions order by uid",
  );

const removeAll = async () => {
  for (let run = 0; (await deletions()).length > 0; run += 1) {
    expect(run).toBeLessThan(20);
    await removeSome();
  }
};

describe("a deleted group with rows in every table", () => {
  let group: LargeGroup;
  let owner: string;
  let before: Awaited<ReturnType<typeof readAll>>;
  let atOnce: typeof before;
  let ofEach: Awaited<ReturnType<typeof readAsEach>>;
  let deleted: Awaited<ReturnType<typeof remove>>;
  beforeAll(async () => {
    group = await newLargeGroup(registry, "large");
    owner = await tokenFor(registry.owner, {}, 3600);
    expect(await faultsOf(registry.db)).toEqual({});
    before = await readAll(registry, group, owner);
    deleted = await remove(group);
    atOnce = await readAll(registry, group, owner);
    ofEach = await readAsEach(registry, group);
  });

  test("is in no response at once, and no total counts it", async () => {
    expect([deleted.status, deleted.body]).toEqual([200, undefined]);
    expect((await deletions()).map(({ uid, kind }) => [uid, kind])).toEqual([
      [group.uid, "groups"],
      [group.provider, "identity_providers"],
    ]);
    expect((await rowsOf(registry, group.uid)).role_bindings).toBe(many + 6);
    const quiet = /the group|why|events/;
    for (const [name, answer] of Object.entries(atOnce)) {
      if (!/none above|to the organization|without a scope|events/.test(name)) {
        expect.soft(before[name]?.status, name).toBe(200);
        expect.soft(answer, `${name} shows the group before`).not.toEqual(before[name]);
      }
      const isShown = answer.status === 200 && !quiet.test(name);
      if (isShown) expect.soft(JSON.stringify(answer.body), name).not.toContain(group.uid);
    }
    const totals = await registry.run(
      "select ancestor, kind from counts where ancestor >= ? and ancestor < ?",
      ...[group.uid, `${group.uid}0`],
    );
    expect(totals).toEqual([]);
  });

  test("has one event, which is the only one", async () => {
    const events = await registry.run(
      "select type, subject from events where json_extract(data, '$.actor.subject') = ?",
      group.login,
    );
    expect(events).toEqual([{ type: "dev.vendor.api.iam.group.deleted.v1", subject: group.uid }]);
  });

  test("gives no one access, not even to what only a role there showed", async () => {
    // A person and an identity without any role binding see the same.
    const strangers = {
      member: await tokenFor(group.guest, {}, 3600),
      robot: await tokenFor(
        (
          await callApi(registry, `/iam/v2/identities/${registry.organization}`, {
            body: { name: "unbound" },
          })
        ).body.uid,
      ),
    };
    for (const [name, token] of Object.entries(strangers))
      expect(ofEach[name], name).toEqual(await readAll(registry, group, token));
    for (const name of ["bot", "chained", "login"])
      for (const [read, { status }] of Object.entries(ofEach[name] ?? {}))
        expect.soft([401, 403], `${name}: ${read}`).toContain(status);
  });

  test("admits no one: not by a login, a refresh token, SCIM or an exchange", async () => {
    const { provider, scimToken, refreshToken, tokens, uid } = group;
    const users = `/scim/v2/${provider}/Users`;
    expect((await callAs(registry, scimToken, users)).status).toBe(401);
    const patch = { method: "PATCH", body: { Operations: [] } };
    const user = `${users}/${group.user.slice(-16)}`;
    expect((await callAs(registry, scimToken, user, patch)).status).toBe(401);
    const query = "aud=http://localhost:8787";
    const refresh = await callAs(registry, refreshToken, `/sts/exchange_refresh_token?${query}`, {
      method: "POST",
    });
    expect([refresh.status, refresh.body.message]).toEqual([
      403,
      expect.stringContaining("the identity provider of the login was deleted"),
    ]);
    const login = await fetch(
      `${registry.origin}/oauth?idp_id=${provider}&redirect=http://127.0.0.1:9/`,
      {
        redirect: "manual",
      },
    );
    expect(login.headers.get("location") ?? "").not.toContain("id.example");
    for (const token of [tokens.bot, tokens.login]) {
      const path = `/sts/exchange?${query}&scopes=${uid}`;
      expect([400, 401, 403]).toContain(
        (await callAs(registry, token, path, { method: "POST" })).status,
      );
    }
  });

  test("takes no new rows, and lets no row change, while rows are left", async () => {
    const { uid, provider, member, highRole } = group;
    const post = (path: string, body: unknown) => callApi(registry, path, { body });
    const binding = { identityUid: member, roleUid: highRole };
    const refused = [
      await post(`/iam/v2/roleBindings/${uid}`, binding),
      await post(`/iam/v2/identities/${uid}`, { name: "late" }),
      await post(`/iam/v2/roles/${uid}`, { name: "late", capabilities: ["CAP_REPO_LIST"] }),
      await post(`/iam/v2/groups/${uid}`, { name: "late" }),
      await post(`/iam/v2/externalGroupRoleMappings/${provider}`, {
        ...{ externalGroupId: "late", roleUid: highRole, scope: registry.organization },
      }),
      await callAs(registry, group.tokens.guest, "/iam/v2/groupInvites:accept", {
        body: { code: group.pending },
      }),
      await callApi(registry, `/iam/v2/roleBindings/${group.binding}`, {
        ...{ method: "PATCH", body: { roleUid: highRole } },
      }),
      await callApi(registry, `/iam/v2/externalGroupRoleMappings/${group.mapping}`, {
        method: "DELETE",
      }),
    ];
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 404));
    // As a call does that has read the row before the group was deleted.
    const step = `'/ee' || '${"0".repeat(14)}'`;
    const stale = [
      ...["scim_users", "scim_groups", "external_group_role_mappings"].flatMap((table) => [
        `update ${table} set update_time = update_time + 1 where parent = '${provider}'`,
        `delete from ${table} where parent = '${provider}'`,
      ]),
      `insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time)
        values ('${uid}' || ${step}, '${member}', '${highRole}', 1, 1)`,
      `insert into group_access_requests (group_uid, identity_uid, time) values ('${uid}', 'new', 1)`,
      `insert into scim_users (uid, user_name, user_name_key, attributes, create_time, update_time)
        values ('${provider}' || ${step}, 'n', 'n', '{}', 1, 1)`,
    ];
    for (const write of stale)
      await expect(registry.run(write), write).rejects.toThrow(/stale write|parent is gone/);
    // One statement about role bindings can meet those of other groups too, and changes only these.
    const bindings = () =>
      registry.run("select parent, accepted from role_bindings where identity_uid = ?", member);
    const left = await bindings();
    await registry.run(
      `insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time) values (?, ?, ?, 1, 1)`,
      ...[`${registry.organization}/${"7".repeat(16)}`, member, highRole],
    );
    await registry.run("update role_bindings set accepted = 0 where identity_uid = ?", member);
    expect(await bindings()).toEqual(
      expect.arrayContaining([...left, { parent: registry.organization, accepted: 0 }]),
    );
    await registry.run("delete from role_bindings where identity_uid = ?", member);
    expect(await bindings()).toEqual(left);
  });

  test("keeps no identity and no role elsewhere from being deleted", async () => {
    const left = await rowsOf(registry, group.uid);
    for (const path of [`identities/${group.robot}`, `roles/${group.highRole}`]) {
      const answer = await callApi(registry, `/iam/v2/${path}`, { method: "DELETE" });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    }
    const gone = await callAs(registry, group.tokens.member, `/auth/v1/delete/${group.member}`, {
      method: "DELETE",
    });
    expect(gone.status, JSON.stringify(gone.body)).toBe(200);
    const events = await registry.run(
      "select type from events where json_extract(data, '$.actor.subject') = ?",
      group.member,
    );
    expect(events).toEqual([{ type: "dev.vendor.api.iam.identity.deleted.v1" }]);
    expect(await rowsOf(registry, group.uid)).toEqual(left);
  });

  test("passes fsck, whose repair leaves its rows alone", async () => {
    const left = await rowsOf(registry, group.uid);
    expect(await faultsOf(registry.db, true)).toEqual({});
    expect(await rowsOf(registry, group.uid)).toEqual(left);
    await registry.run("update deletions set time = time - 24 * 3600000");
    expect(await faultsOf(registry.db, true)).toEqual({ deletions: 2 });
    await registry.run("update deletions set time = time + 24 * 3600000");
  });

  test("is not removed by the schedule of the registry", async () => {
    const left = [await deletions(), await rowsOf(registry, group.uid)];
    await removeBatches(registry.db, removalOfRepos);
    expect([await deletions(), await rowsOf(registry, group.uid)]).toEqual(left);
  });

  test("gives its name to a new group, which shows nothing of the old one", async () => {
    const created = await callApi(registry, `/iam/v2/groups/${registry.organization}`, {
      body: { name: group.name },
    });
    expect(created.status).toBe(200);
    const { uid } = created.body;
    expect(uid).not.toBe(group.uid);
    const list = await callApi(registry, `/iam/v2/roleBindings?group=${uid}`);
    expect(list.body.roleBindings ?? []).toEqual([]);
    const path = `/iam/v2/groups/${uid}`;
    expect((await callApi(registry, path, { method: "DELETE" })).status).toBe(200);
  });

  test("is removed however often a run is cut off, with as many rows in a statement as a bound", async () => {
    const [mark] = await deletions();
    for (let run = 0; (await deletions()).length > 0; run += 1) {
      expect(run).toBeLessThan(100);
      expectBounded(await removeSome(1 + (run % 3)), { read: 16_000, written: 2_000 });
      expect(await faultsOf(registry.db)).toEqual({});
    }
    expect(await rowsOf(registry, group.uid)).toEqual({});
    const tokens = await registry.run(
      "select revoke_time as time, count(*) as n from refresh_tokens where identity_provider_uid = ? group by 1",
      group.provider,
    );
    // The one of the person who has deleted themselves is gone.
    expect(tokens).toEqual([{ time: mark?.time, n: 120 }]);
  });
});

test("the call that deletes a group writes as many rows for more rows in it", long, async () => {
  const written: number[] = [];
  for (const rows of [1_100, 2_200]) {
    const group = await newLargeGroup(registry, `of-${rows}`, rows);
    const response = await fetch(`${registry.origin}/iam/v2/groups/${group.uid}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${group.tokens.login}` },
    });
    expect(response.status).toBe(200);
    written.push(costOf(response).rowsWritten);
  }
  expect(written[0]).toBeLessThan(150);
  expect(written[1]).toBe(written[0]);
  await removeAll();
});

test("deleted groups of two organizations take turns, and runs can overlap", long, async () => {
  const other = await startTenant();
  const groups = [await newLargeGroup(registry, "one"), await newLargeGroup(other, "other")];
  for (const group of groups) expect((await remove(group)).status).toBe(200);
  const left = () =>
    Promise.all(groups.map(async ({ uid }) => (await rowsOf(registry, uid)).role_bindings));
  await removeSome(8);
  expect(await left()).toEqual([many + 6 - 2_000, many + 6 - 2_000]);
  await Promise.all([removeSome(30), removeSome(30)]);
  await removeAll();
  for (const { uid } of groups) expect(await rowsOf(registry, uid)).toEqual({});
  expect(await faultsOf(registry.db)).toEqual({});
});

/** Another organization of the same platform. */
async function startTenant(): Promise<Registry> {
  const { uid: organization } = await registry.newOwner();
  const [row] = await registry.run<{ uid: string }>(
    "select identity_uid as uid from role_bindings where parent = ?",
    organization,
  );
  return { ...registry, organization, owner: row?.uid ?? "" };
}

test("a deleted organization gives its name to a new one, and the schedule removes it", async () => {
  const tenant = await startTenant();
  const { organization, owner, run } = tenant;
  const [{ name } = { name: "" }] = await run<{ name: string }>(
    "select name from groups where uid = ?",
    organization,
  );
  await run(
    `insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time)
     with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < 1500)
     select ?1 || '/ff' || printf('%014x', i), printf('%040x', i), role_uid, 1, 1 from numbers, role_bindings where parent = ?1`,
    organization,
  );
  const path = `/iam/v2/groups/${organization}`;
  expect((await callApi(tenant, path, { method: "DELETE" })).status).toBe(200);
  expect((await rowsOf(registry, organization)).role_bindings).toBe(1501);
  expect((await callApi(tenant, path)).status).toBe(401);
  await run(
    "insert into groups (uid, name, verified, create_time, update_time) values (?, ?, 1, 1, 1)",
    ...["e".repeat(40), name],
  );
  expect(owner).toContain(organization);
  await registry.runSchedule();
  expect(await deletions()).toEqual([]);
  expect(await rowsOf(registry, organization)).toEqual({});
  expect(await faultsOf(registry.db)).toEqual({});
});

test(
  "a role binding created while its group is deleted is removed with it, or comes before the deletion",
  long,
  async () => {
    for (let round = 0; round < 4; round += 1) {
      const group = await newLargeGroup(registry, `race-${round}`, 1_001);
      const [made, deleted] = await Promise.all([
        callApi(registry, `/iam/v2/roleBindings/${group.uid}`, {
          body: { identityUid: group.member, roleUid: group.highRole },
        }),
        remove(group),
      ]);
      expect([[200, 404], [200]]).toEqual([
        expect.arrayContaining([made.status]),
        [deleted.status],
      ]);
      await removeAll();
      expect(await rowsOf(registry, group.uid)).toEqual({});
    }
  },
);

test("a group with more than 1,000 identities that can delete it is not empty", async () => {
  const group = await newLargeGroup(registry, "crowd", 10);
  await registry.run(
    `insert into identities (uid, name, last_seen_time, create_time, update_time)
     with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < 1000)
     select ? || '/aa' || printf('%014x', i), 'bot', 1, 1, 1 from numbers`,
    group.uid,
  );
  await registry.run(
    `insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time)
     select uid, uid, (select role_uid from role_bindings where uid = ?), 1, 1 from identities where parent = ? and name = 'bot' and uid like '%/aa%'`,
    ...[group.binding, group.uid],
  );
  const refused = await remove(group);
  expect(refused.status).toBe(400);
  expect(
    refused.body.details[1].violations.map((one: { description: string }) => one.description),
  ).toEqual(["cannot delete group with child identities"]);
  const one = `/iam/v2/identities/${group.uid}/aa${"1".padStart(14, "0")}`;
  expect((await callApi(registry, one, { method: "DELETE" })).status).toBe(200);
  expect((await remove(group)).status).toBe(200);
  await removeAll();
  expect(await rowsOf(registry, group.uid)).toEqual({});
});
