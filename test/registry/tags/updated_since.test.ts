/** Tags that were updated since a time, in other orders than that of the time. */
import { beforeAll, describe, expect, test } from "vitest";
import { walkPages } from "../../paging/tree.ts";
import { createResource, newOrganization, type Organization } from "../../world/personas.ts";
import { callRest, costOf, sql } from "../../world/platform.ts";

/** Two tags in a thousand have a time from 1,000 on, and half of them one from 500 on. */
const count = 20_000;
let organization: Organization;
let token: string;

beforeAll(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
  const parent = `/registry/v2/repos/${organization.uid}`;
  const { uid: repo } = await createResource(parent, token, { name: "many" });
  await sql(
    `insert into tags (uid, name, digest, create_time, update_time)
     with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ?2)
     select ?1 || '/' || printf('f0a9%012x', n * 7919 % 1000003), 'v' || (n * 31 % 20011) || '.x', 'sha256:', n % 13,
       iif(n % 500 = 0, 1000, iif(n % 2 = 0, 500, 1)) from numbers`,
    repo,
    count,
  );
});

const since = (ms: number) => new Date(ms).toISOString();
const wanted = (after: number, order: string) =>
  sql<{ uid: string }>(
    `select uid from tags where ancestor0 = ?1 and update_time > ?2 order by ${order}`,
    organization.uid,
    after,
  );

describe.each([
  { matches: "two in a thousand", after: 999, most: 6 * count * 0.002 + 100 },
  { matches: "half", after: 499, most: 4 * 2_001 + 100 + count / 2 },
  { matches: "none", after: 1000, most: 20 },
])("if $matches match", ({ after, most }) => {
  test.each([
    ["uid", "uid"],
    ["uid desc", "uid desc"],
    ["create_time desc", "create_time desc, substr(uid, -16) desc"],
    ["name", "name collate nocase, substr(uid, -16)"],
  ])("they are in order, complete and counted, by %s", async (order_by, order) => {
    const all = (await wanted(after, order)).map(({ uid }) => uid);
    const query = {
      "uidp.descendants_of": organization.uid,
      updated_since: since(after),
      order_by,
    };
    const { body, ...first } = await callRest(
      `/registry/v2/tags?${new URLSearchParams({ ...query, page_size: "30" })}`,
      { token },
    );
    expect((body.tags ?? []).map(({ uid }: { uid: string }) => uid)).toEqual(all.slice(0, 30));
    expect(body.totalCount).toBe(String(all.length));
    const cost = costOf(first);
    expect(cost.roundTrips).toBe(1);
    expect(cost.rowsRead).toBeLessThanOrEqual(most);
    if (all.length > 1_000) return;
    const { uids } = await walkPages(
      "/registry/v2/tags",
      "tags",
      { ...query, page_size: "30" },
      token,
    );
    expect(uids).toEqual(all);
  });
});
