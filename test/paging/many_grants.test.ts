import { beforeAll, describe, expect, test } from "vitest";
import { newIdentity, newOrganization, type Organization, roleUid } from "../world/personas.ts";
import { callRest, sql } from "../world/platform.ts";
import { tiers } from "../world/tiers.ts";
import { walkPages } from "./tree.ts";

/** More groups than one statement merges. */
const groupCount = 300;

let organization: Organization;
/** A viewer at every group, but not at the organization. */
let viewer: string;

/** SQL: a step that no other test file uses, from a number. */
const step = (number: string) => `printf('f00d%012x', ${number})`;

beforeAll(async () => {
  organization = await newOrganization();
  const { uid: root } = organization;
  await sql(
    `insert into groups (uid, name, create_time, update_time)
     select ?1 || '/' || ${step("value * 7919")}, 'group-' || value, value % 7, 1
     from json_each(?2)`,
    root,
    JSON.stringify(Array.from({ length: groupCount }, (_, at) => at + 1)),
  );
  const one = await newIdentity(organization, undefined);
  await sql(
    `insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time)
     select uid || '/${"b".repeat(16)}', ?1, ?2, 1, 1 from groups where parent = ?3`,
    one.uid,
    await roleUid("viewer"),
    root,
  );
  await sql(
    `insert into repos (uid, name, create_time, update_time)
     select uid || '/' || ${step("rowid * 104729 % 1000003")}, 'repo-' || substr(name, 7), create_time % 3, 1
     from groups where parent = ?1`,
    root,
  );
  await sql(
    `insert into tags (uid, name, digest, create_time, update_time)
     select repos.uid || '/' || ${step("repos.rowid * 10 + kind.key")}, kind.value || (repos.rowid % 10), 'sha256:', repos.rowid % 5, 1
     from repos cross join json_each('["v1.", "V1.", "sha256-", "1.0-r"]') as kind
     where repos.ancestor0 = ?1`,
    root,
  );
  viewer = one.token;
});

const folded = (direction: string) =>
  `name collate nocase ${direction}, substr(uid, -16) ${direction}`;

const walks: { path: string; items: string; query: Record<string, string>; wanted: string }[] = [
  ...["uid", "uid desc"].map((order) => ({
    path: "/registry/v2/repos",
    items: "repos",
    query: { order_by: order },
    wanted: `from repos where ancestor0 = ?1 order by ${order}`,
  })),
  ...["asc", "desc"].map((direction) => ({
    path: "/registry/v2/repos",
    items: "repos",
    query: { order_by: `name ${direction}` },
    wanted: `from repos where ancestor0 = ?1 order by name ${direction}`,
  })),
  {
    path: "/iam/v2/groups",
    items: "groups",
    query: { order_by: "create_time desc" },
    wanted: "from groups where parent = ?1 order by create_time desc, substr(uid, -16) desc",
  },
  {
    path: "/iam/v2/groups",
    items: "groups",
    query: { name_prefix: "GROUP-1" },
    wanted: "from groups where parent = ?1 and name glob 'group-1*' order by name",
  },
  ...["asc", "desc"].map((direction) => ({
    path: "/registry/v2/tags",
    items: "tags",
    query: {
      order_by: `name ${direction}`,
      include_referrers: "true",
      include_epochs: "true",
    },
    wanted: `from tags where ancestor0 = ?1 and class <> 2 order by ${folded(direction)}`,
  })),
  {
    path: "/registry/v2/tags",
    items: "tags",
    query: { order_by: "uid desc", include_referrers: "true" },
    wanted: "from tags where ancestor0 = ?1 and class in (0, 1) order by uid desc",
  },
  {
    path: "/registry/v2/tags",
    items: "tags",
    query: { include_referrers: "true", updated_since: "1970-01-01T00:00:00Z" },
    wanted: "from tags where ancestor0 = ?1 and class in (0, 1) order by uid",
  },
  {
    path: "/registry/v2/tags",
    items: "tags",
    query: { name: "v1.3" },
    wanted: "from tags where ancestor0 = ?1 and name = 'v1.3' order by uid",
  },
];

describe("a list over three hundred grants", () => {
  for (const [some, tier] of tiers(walks, ({ path }) => path))
    test.for(some)("is in order, complete and counted: $path $query", tier, async (walk) => {
      const { path, items, query, wanted } = walk;
      const all = await sql<{ uid: string }>(`select uid ${wanted}`, organization.uid);
      const found = await walkPages(path, items, { ...query, page_size: "97" }, viewer);
      expect(all.length).toBeGreaterThan(20);
      expect(found.uids).toEqual(all.map(({ uid }) => uid));
      const total = "name_prefix" in query ? undefined : String(all.length);
      expect(new Set(found.totals)).toEqual(new Set([total]));
    });

  test("skips rows, but not far, because several statements read them", async () => {
    const ask = (query: string) => callRest(`/registry/v2/repos?${query}`, { token: viewer });
    const [first, skipped] = await Promise.all([ask("page_size=200"), ask("skip=150")]);
    expect(skipped.body.repos).toEqual(first.body.repos.slice(150));
    expect(skipped.body.skipped).toBe(150);
    const repo = first.body.repos[0].uid;
    await sql(
      `insert into tags (uid, name, digest, create_time, update_time)
       select ?1 || '/' || ${step("1000000 + a.value * 110 + b.value")}, 'n' || a.value || '-' || b.value, 'sha256:', 1, 1
       from json_each(?2) a, json_each(?2) b`,
      repo,
      JSON.stringify(Array.from({ length: 110 }, (_, at) => at)),
    );
    const far = await callRest("/registry/v2/tags?skip=10001", { token: viewer });
    expect([far.status, far.body.details[1].fieldViolations[0].field]).toEqual([400, "skip"]);
  });
});
