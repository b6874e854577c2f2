import { beforeAll, describe, expect, test } from "vitest";
import { createResource, newIdentity, newOrganization, roleUid } from "../world/personas.ts";
import { callRest, sql } from "../world/platform.ts";
import { tiers } from "../world/tiers.ts";
import { belowUidSql, type ListingTree, makeListingTree, walkPages } from "./tree.ts";

interface Resource {
  path: string;
  plural: string;
  table: string;
  orders: Record<string, string>;
  query?: Record<string, string>;
}

const named = {
  uid: "uid",
  name: "name",
  create_time: "create_time",
  updateTime: "update_time",
};
const everyTag = { includeReferrers: "true", include_dates: "true", includeEpochs: "true" };

const resources: Resource[] = [
  { path: "/iam/v2/groups", plural: "groups", table: "groups", orders: named },
  { path: "/iam/v2/identities", plural: "identities", table: "identities", orders: named },
  { path: "/iam/v2/roles", plural: "roles", table: "roles", orders: named },
  {
    path: "/iam/v2/roleBindings",
    plural: "roleBindings",
    table: "role_bindings",
    orders: {
      uid: "uid",
      created_at: "create_time",
      update_time: "update_time",
      identity: "identity_uid",
      role: "role_uid",
    },
  },
  { path: "/registry/v2/repos", plural: "repos", table: "repos", orders: named },
  { path: "/registry/v2/tags", plural: "tags", table: "tags", orders: named, query: everyTag },
];

let tree: ListingTree;
/** A viewer at a/b, at a/b/c (nested in it) and at e: two scopes. */
let scattered: string;

beforeAll(async () => {
  tree = await makeListingTree();
  const { groups, organization } = tree;
  const one = await newIdentity(organization, "viewer", {
    group: organization.uid,
    bindAt: groups.b,
  });
  const viewer = await roleUid("viewer");
  for (const group of [groups.c, groups.e]) {
    await createResource(`/iam/v2/roleBindings/${group}`, organization.owner.token, {
      identityUid: one.uid,
      roleUid: viewer,
    });
  }
  scattered = one.token;
});

const atOrBelow = (uid: string) => `(uid = '${uid}' or ${belowUidSql("uid", uid)})`;

/** The rows that a caller with grants at the groups sees. For roles, the built-in ones too. */
const visible = (resource: Resource, scopes: string[]) =>
  `(${[...scopes.map(atOrBelow), ...(resource.table === "roles" ? ["length(uid) = 40"] : [])].join(" or ")})`;

interface Filter {
  query: [string, string][];
  where: string;
}

async function expected(
  resource: Resource,
  scopes: string[],
  { where }: Filter,
  column: string,
  direction: string,
): Promise<string[]> {
  // Rows with the same value are in the order of the last step of their uids.
  const tie = "iif(length(uid) > 40, substr(uid, -16), uid)";
  const order =
    column === "uid" ? `uid ${direction}` : `${column} ${direction}, ${tie} ${direction}`;
  const rows = await sql<{ uid: string }>(
    `select uid from ${resource.table} where ${visible(resource, scopes)} and ${where} order by ${order}`,
  );
  return rows.map((row) => row.uid);
}

async function idsFilter(resource: Resource, foreign: string): Promise<Filter> {
  const rows = await sql<{ uid: string }>(
    `select uid from ${resource.table} where ${belowUidSql("uid", tree.organization.uid)} order by substr(uid, -3) limit 7`,
  );
  const ids = [...rows.map((row) => row.uid), foreign, `${tree.groups.f}/0000000000000000`];
  const quoted = ids.map((uid) => `'${uid}'`).join(", ");
  return {
    query: [...ids, ids[0] ?? ""].map((uid): [string, string] => ["uidp.ids", uid]),
    where: `uid in (${quoted})`,
  };
}

async function filtersOf(resource: Resource): Promise<Filter[]> {
  const { organization, groups, repos } = tree;
  const descend = (uid: string): Filter => ({
    query: [["uidp.descendants_of", uid]],
    where: belowUidSql("uid", uid),
  });
  const children = (uid: string): Filter => ({
    query: [["uidp.childrenOf", uid]],
    where: `parent = '${uid}'`,
  });
  const deep = `${groups.d}/0123456789abcdef/0123456789abcdef`;
  const path = [groups.d, groups.c, groups.b, groups.a, organization.uid, deep.slice(0, -17)];
  const foreign = await newOrganization();
  return [
    { query: [], where: "1" },
    descend(organization.uid),
    descend(groups.b),
    descend(groups.d),
    children(organization.uid),
    children(groups.c),
    ...(resource.table === "tags"
      ? [children(repos.at(0) ?? ""), descend(repos.at(3) ?? ""), children(repos.at(3) ?? "")]
      : []),
    {
      query: [["uidp.ancestors_of", deep]],
      where: `uid in (${path.map((uid) => `'${uid}'`).join(", ")})`,
    },
    { query: [["uidp.in_root", "true"]], where: "length(uid) = 40" },
    await idsFilter(resource, foreign.uid),
  ];
}

async function checkWalk(
  resource: Resource,
  filter: Filter,
  asked: { token: string; scopes: string[]; order: string; column: string; direction: string },
) {
  const order_by =
    asked.direction === "asc" && asked.column !== "uid"
      ? asked.order
      : `${asked.order} ${asked.direction}`;
  const query: [string, string][] = [
    ...filter.query,
    ...Object.entries(resource.query ?? {}),
    ["order_by", order_by],
    ["page_size", "3"],
  ];
  const [walked, wanted] = await Promise.all([
    walkPages(resource.path, resource.plural, query, asked.token),
    expected(resource, asked.scopes, filter, asked.column, asked.direction),
  ]);
  const title = `${resource.path}?${new URLSearchParams(query)}`;
  expect(walked.uids, title).toEqual(wanted);
  expect(new Set(walked.totals), title).toEqual(new Set([String(wanted.length)]));
  expect(
    walked.sizes.slice(0, -1).every((size) => size === 3),
    title,
  ).toBe(true);
  expect(new Set(walked.skipped), title).toEqual(new Set([0]));
  return wanted.length;
}

/** Every order and direction of a resource. */
const ways = (resource: Resource) =>
  Object.entries(resource.orders).flatMap(([order, column]) =>
    ["asc", "desc"].map((direction) => ({ order, column, direction })),
  );

/** Resources with a name are listed in the same way. */
const listedAs = ({ table, orders }: Resource) => (orders === named ? "named" : table);

for (const [some, tier] of tiers(resources, listedAs))
  describe.each(some)("$path", tier, (resource) => {
    test("every order and filter, in pages of three, equals one ORDER BY over the rows", async () => {
      const { organization } = tree;
      let rows = 0;
      for (const filter of await filtersOf(resource)) {
        const found = await Promise.all(
          ways(resource).map((way) =>
            checkWalk(resource, filter, {
              ...way,
              token: organization.owner.token,
              scopes: [organization.uid],
            }),
          ),
        );
        rows += Math.max(...found);
      }
      expect(rows).toBeGreaterThan(15);
    });

    test("rows of several groups with grants are merged in order, and a nested group counts once", async () => {
      const { groups, organization } = tree;
      const { repos } = tree;
      const asked: Filter[] = [
        { query: [], where: "1" },
        {
          query: [["uidp.descendants_of", organization.uid]],
          where: belowUidSql("uid", organization.uid),
        },
        { query: [["uidp.descendants_of", groups.a]], where: belowUidSql("uid", groups.a) },
        { query: [["uidp.children_of", groups.c]], where: `parent = '${groups.c}'` },
        { query: [["uidp.children_of", groups.a]], where: `parent = '${groups.a}'` },
        {
          query: [
            ["uidp.ids", groups.b],
            ...repos.map((uid): [string, string] => ["uidp.ids", uid]),
          ],
          where: `uid in (${[groups.b, ...repos].map((uid) => `'${uid}'`).join(", ")})`,
        },
      ];
      for (const filter of asked) {
        await Promise.all(
          ways(resource).map((way) =>
            checkWalk(resource, filter, { ...way, token: scattered, scopes: [groups.b, groups.e] }),
          ),
        );
      }
    });

    test("two hierarchy filters at once are rejected", async () => {
      const { organization, groups } = tree;
      const pairs = [
        `uidp.descendants_of=${groups.a}&uidp.children_of=${groups.a}`,
        `uidp.in_root=true&uidp.ids=${groups.a}`,
        `uidp.ancestors_of=${groups.a}&uidp.descendantsOf=${groups.a}`,
      ];
      for (const pair of pairs) {
        const answer = await callRest(`${resource.path}?${pair}`, {
          token: organization.owner.token,
        });
        expect(answer.status).toBe(400);
        expect(answer.body.details[1].fieldViolations[0].field).toBe("uidp");
      }
    });

    test("skip counts from the start or from the cursor, and its sum continues", async () => {
      const { organization } = tree;
      const { token } = organization.owner;
      const filter: Filter = { query: [], where: "1" };
      const [order = "uid"] = Object.keys(resource.orders).slice(1);
      const column = resource.orders[order] ?? "uid";
      const all = await expected(resource, [organization.uid], filter, column, "desc");
      const query = new URLSearchParams({
        ...resource.query,
        order_by: `${order} desc`,
        page_size: "1",
        skip: "2",
      });
      const ask = async (more: Record<string, string>) => {
        const search = new URLSearchParams({ ...Object.fromEntries(query), ...more });
        const { body } = await callRest(`${resource.path}?${search}`, { token });
        return {
          ...body,
          uids: (body[resource.plural] ?? []).map((one: { uid: string }) => one.uid),
        };
      };
      const first = await ask({});
      expect(first.uids).toEqual(all.slice(2, 3));
      expect([first.skipped, first.totalCount]).toEqual([2, String(all.length)]);
      const second = await ask({ page_token: first.nextPageToken, skip: "1" });
      expect(second.uids).toEqual(all.slice(4, 5));
      expect([second.skipped, second.totalCount]).toEqual([3, String(all.length)]);
      const third = await ask({ page_token: second.nextPageToken, skip: "0", page_size: "5" });
      expect(third.uids).toEqual(all.slice(5, 10));
      expect(third.skipped).toBe(3);
      const past = await ask({ skip: "100000" });
      expect(past.uids).toEqual([]);
      expect([past.skipped, past.totalCount]).toEqual([100000, String(all.length)]);
      expect(past.nextPageToken).toBeUndefined();
      const merged = await callRest(`${resource.path}?${query}`, { token: scattered });
      const few = await expected(resource, [tree.groups.b, tree.groups.e], filter, column, "desc");
      expect(merged.body[resource.plural].map((one: { uid: string }) => one.uid)).toEqual(
        few.slice(2, 3),
      );
    });

    test("a page has 50 rows by default and at most 200, and larger and negative sizes are rejected", async () => {
      const { token } = tree.organization.owner;
      for (const bad of ["201", "-1", "2147483647", "-2147483647"]) {
        const { status, body } = await callRest(`${resource.path}?pageSize=${bad}`, { token });
        expect([status, body.code]).toEqual([400, 3]);
        expect(body.details[1].fieldViolations[0].field).toBe("page_size");
        expect(body.message).toMatch(/^Invalid argument: page_size: /);
      }
      const skip = await callRest(`${resource.path}?skip=-1`, { token });
      expect(skip.body.details[1].fieldViolations[0].field).toBe("skip");
      expect((await callRest(`${resource.path}?page_size=200`, { token })).status).toBe(200);
      const whole = await callRest(`${resource.path}?page_size=0`, { token });
      expect(whole.status).toBe(200);
      expect(whole.body[resource.plural].length).toBe(Math.min(50, Number(whole.body.totalCount)));
    });
  });

test("if there are more rows than a page, it has 50 without page_size and 200 with it", async () => {
  const { uid, owner } = await newOrganization();
  const rows = Array.from({ length: 205 }, (_, index) => ({
    uid: `${uid}/${index.toString(16).padStart(16, "0")}`,
    name: `repo${index}`,
  }));
  await sql(
    "insert into repos (uid, name, create_time, update_time) select value ->> 'uid', value ->> 'name', 1, 1 from json_each(?)",
    JSON.stringify(rows),
  );
  const sizes = async (query: string) => {
    const { body } = await callRest(`/registry/v2/repos${query}`, { token: owner.token });
    return [body.repos.length, body.totalCount, body.nextPageToken !== undefined];
  };
  expect(await sizes("")).toEqual([50, "205", true]);
  expect(await sizes("?page_size=200")).toEqual([200, "205", true]);
  expect(await sizes("?page_size=200&skip=5")).toEqual([200, "205", false]);
});
