import { beforeAll, describe, expect, test } from "vitest";
import { createResource, newIdentity, roleUid } from "../world/personas.ts";
import { callRest, sql } from "../world/platform.ts";
import {
  belowUidSql,
  type ListingTree,
  makeListingTree,
  plantedDigest,
  tagNames,
  walkPages,
} from "./tree.ts";

let tree: ListingTree;
/** A viewer at a/b and at e. */
let scattered: string;

beforeAll(async () => {
  tree = await makeListingTree();
  const { groups, organization } = tree;
  const at = { group: organization.uid, bindAt: groups.b };
  const one = await newIdentity(organization, "viewer", at);
  await createResource(`/iam/v2/roleBindings/${groups.e}`, organization.owner.token, {
    identityUid: one.uid,
    roleUid: await roleUid("viewer"),
  });
  scattered = one.token;
});

describe("the classes of a tag name", () => {
  const flags = ["include_referrers", "includeDates", "include_epochs"] as const;
  const classes = ["referrer", "date", "epoch"] as const;
  test.each(Array.from({ length: 8 }, (_, bits) => bits))(
    "flags %i list the tags that they name",
    async (bits) => {
      const { organization, repos } = tree;
      const on = flags.filter((_, index) => bits & (1 << index));
      const shown = [
        ...tagNames.plain,
        ...classes.filter((_, index) => bits & (1 << index)).flatMap((one) => tagNames[one]),
      ];
      const quoted = shown.map((name) => `'${name}'`).join(", ");
      for (const [filter, where] of [
        ["uidp.descendants_of", belowUidSql("uid", organization.uid)],
        ["uidp.children_of", `parent = '${repos[1]}'`],
      ] as const) {
        for (const direction of ["asc", "desc"]) {
          const query: [string, string][] = [
            [filter, filter === "uidp.children_of" ? (repos[1] ?? "") : organization.uid],
            ...on.map((flag): [string, string] => [flag, "true"]),
            ["order_by", `name ${direction}`],
            ["page_size", "3"],
          ];
          const wanted = await sql<{ uid: string }>(
            `select uid from tags where ${where} and name in (${quoted}) order by name collate nocase ${direction}, substr(uid, -16) ${direction}`,
          );
          const { uids, totals } = await walkPages(
            "/registry/v2/tags",
            "tags",
            query,
            organization.owner.token,
          );
          expect(uids).toEqual(wanted.map((row) => row.uid));
          expect(new Set(totals)).toEqual(new Set([String(wanted.length)]));
        }
      }
    },
  );
});

describe("filters", () => {
  const ask = async (path: string, plural: string, query: Record<string, string>) =>
    (await walkPages(path, plural, { page_size: "3", ...query }, tree.organization.owner.token))
      .uids;
  const wanted = async (table: string, where: string) => {
    const rows = await sql<{ uid: string }>(
      `select uid from ${table} where ${belowUidSql("uid", tree.organization.uid)} and ${where} order by uid`,
    );
    return rows.map((row) => row.uid);
  };

  test.each([
    ["/iam/v2/groups", "groups", "groups"],
    ["/iam/v2/identities", "identities", "identities"],
    ["/iam/v2/roles", "roles", "roles"],
    ["/registry/v2/repos", "repos", "repos"],
  ])("%s by name finds exactly that name, in the scope", async (path, plural, table) => {
    expect(await ask(path, plural, { name: "beta" })).toEqual(await wanted(table, "name = 'beta'"));
    expect(await ask(path, plural, { name: "beta", "uidp.descendants_of": tree.groups.b })).toEqual(
      await wanted(table, `name = 'beta' and ${belowUidSql("uid", tree.groups.b)}`),
    );
    expect(await ask(path, plural, { name: "alpha", "uidp.children_of": tree.groups.a })).toEqual(
      await wanted(table, `name = 'alpha' and parent = '${tree.groups.a}'`),
    );
    for (const name of ["bet", "BETA", "%", "beta "]) {
      expect(await ask(path, plural, { name })).toEqual([]);
    }
  });

  test("tags by name, by digest and by updatedSince, alone and together", async () => {
    const plain = `name in (${tagNames.plain.map((name) => `'${name}'`).join(", ")})`;
    const tags = (query: Record<string, string>) => ask("/registry/v2/tags", "tags", query);
    expect(await tags({ name: "latest" })).toEqual(await wanted("tags", "name = 'latest'"));
    const digest = plantedDigest(1);
    expect(await tags({ digest })).toEqual(
      await wanted("tags", `digest = '${digest}' and ${plain}`),
    );
    const repo = tree.repos[1] ?? "";
    expect(await tags({ digest, "uidp.children_of": repo })).toEqual(
      await wanted("tags", `digest = '${digest}' and ${plain} and parent = '${repo}'`),
    );
    const since = "2026-01-01T00:00:02Z";
    const later = await wanted("tags", `update_time > ${Date.parse(since)} and ${plain}`);
    expect(later.length).toBeGreaterThan(0);
    expect(await tags({ updatedSince: since })).toEqual(later);
    expect(await tags({ updated_since: since, name: "1", digest })).toEqual(
      await wanted(
        "tags",
        `update_time > ${Date.parse(since)} and name = '1' and digest = '${digest}'`,
      ),
    );
    const query = new URLSearchParams({ digest: "sha256:1" });
    const { token } = tree.organization.owner;
    expect((await callRest(`/registry/v2/tags?${query}`, { token })).status).toBe(400);
  });

  test("role bindings by identity, group and role, alone and together", async () => {
    const [identity = ""] = tree.identities;
    const viewer = await roleUid("viewer");
    const bindings = (query: Record<string, string>) =>
      ask("/iam/v2/roleBindings", "roleBindings", query);
    const of = (where: string) => wanted("role_bindings", where);
    expect(await bindings({ identity })).toEqual(await of(`identity_uid = '${identity}'`));
    expect(await bindings({ group: tree.groups.a })).toEqual(
      await of(`parent = '${tree.groups.a}'`),
    );
    expect(await bindings({ role: viewer })).toEqual(await of(`role_uid = '${viewer}'`));
    const together = `identity_uid = '${identity}' and parent = '${tree.groups.a}' and role_uid = '${viewer}'`;
    expect(await bindings({ identity, group: tree.groups.a, role: viewer })).toEqual(
      await of(together),
    );
  });

  test("built-in roles are listed once, also for callers with several grants", async () => {
    const builtIn = await sql<{ uid: string }>(
      "select uid from roles where length(uid) = 40 order by uid",
    );
    for (const token of [tree.organization.owner.token, scattered]) {
      const all = await walkPages("/iam/v2/roles", "roles", { page_size: "3" }, token);
      expect(all.uids.filter((uid) => uid.length === 40)).toEqual(builtIn.map((row) => row.uid));
      const root = await walkPages("/iam/v2/roles", "roles", { "uidp.in_root": "true" }, token);
      expect(root.uids).toEqual(builtIn.map((row) => row.uid));
      expect(root.totals).toEqual([String(builtIn.length)]);
      const viewer = await walkPages("/iam/v2/roles", "roles", { name: "viewer" }, token);
      expect(viewer.uids).toEqual([await roleUid("viewer")]);
    }
  });
});

describe("a filter on the group of role bindings", () => {
  test("lists those of the group within the scope and the grants, with their total", async () => {
    const { groups, organization } = tree;
    const ask = async (query: string, token: string) => {
      const { body } = await callRest(`/iam/v2/roleBindings?${query}`, { token });
      const uids = ((body.roleBindings ?? []) as { uid: string }[]).map(({ uid }) => uid);
      return [uids, body.totalCount];
    };
    const inB = await sql<{ uid: string }>(
      "select uid from role_bindings where parent = ? order by uid",
      groups.b,
    );
    const found = [inB.map(({ uid }) => uid), String(inB.length)];
    expect(inB.length).toBeGreaterThan(0);
    const { token } = organization.owner;
    const ofB = `group=${groups.b}`;
    expect(await ask(ofB, scattered)).toEqual(found);
    expect(await ask(ofB, token)).toEqual(found);
    expect(await ask(`${ofB}&uidp.descendants_of=${groups.a}`, token)).toEqual(found);
    expect(await ask(`${ofB}&uidp.children_of=${groups.b}`, token)).toEqual(found);
    expect(await ask(`${ofB}&uidp.ids=${inB[0]?.uid}`, token)).toEqual([[inB[0]?.uid], "1"]);
    expect(await ask(`${ofB}&uidp.children_of=${groups.a}`, token)).toEqual([[], "0"]);
    expect(await ask(`${ofB}&uidp.descendants_of=${groups.e}`, scattered)).toEqual([[], "0"]);
    expect(await ask(`group=${groups.a}`, scattered)).toEqual([[], "0"]);
  });
});

describe("skip", () => {
  test("far into the rows works in several groups and in one scope", async () => {
    const { groups, organization } = tree;
    const repo = await createResource(`/registry/v2/repos/${groups.b}`, organization.owner.token, {
      name: "many",
    });
    await sql(
      `insert into tags (uid, name, digest, create_time, update_time)
       select ?1 || '/' || printf('%016x', value), 'n' || value, 'sha256:', 1, 1
       from json_each((select json_group_array(a.value * 110 + b.value)
         from json_each(?2) a, json_each(?2) b))`,
      repo.uid,
      JSON.stringify(Array.from({ length: 110 }, (_, index) => index)),
    );
    const ask = (query: string) => callRest(`/registry/v2/tags?${query}`, { token: scattered });
    const near = await ask("skip=10001&page_size=1");
    expect([near.status, near.body.skipped, near.body.tags.length]).toEqual([200, 10_001, 1]);
    const scoped = await ask(`skip=1000000&uidp.descendants_of=${groups.b}`);
    expect([scoped.status, scoped.body.skipped, scoped.body.tags]).toEqual([
      200,
      1_000_000,
      undefined,
    ]);
  });
});
