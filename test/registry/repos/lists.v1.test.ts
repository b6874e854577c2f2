import { beforeEach, describe, expect, test } from "vitest";
import { createResource, newOrganization, type Organization } from "../../world/personas.ts";
import { callRest, costOf, sql } from "../../world/platform.ts";

const v1 = "/registry/v1/repos";
const v2 = "/registry/v2/repos";

let organization: Organization;
let token: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
});

const post = (body: unknown) => callRest(`${v1}/${organization.uid}`, { token, body });
const get = (path: string) => callRest(path, { token });
const items = async (query: string) => (await get(`${v1}?${query}`)).body.items;
const fieldOf = ({ body }: { body: { details: { fieldViolations: { field: string }[] }[] } }) =>
  body.details[1]?.fieldViolations[0]?.field;
describe("the list of repositories", () => {
  test("is complete, beyond the size of a page", async () => {
    await sql(
      `insert into repos (uid, name, readme, create_time, update_time)
       select ? || '/' || printf('%016x', value), 'r' || value, 'readme ' || value, 1, 1
       from json_each(?)`,
      organization.uid,
      JSON.stringify(Array.from({ length: 250 }, (_, index) => index)),
    );
    const all = await items(`uidp.childrenOf=${organization.uid}`);
    expect(all).toHaveLength(250);
    expect(all[249]).toMatchObject({ name: "r249", readme: "readme 249" });
    expect(await items("")).toHaveLength(250);
  });

  test("can be filtered by name, by group and by id, all together", async () => {
    const group = await createResource(`/iam/v2/groups/${organization.uid}`, token, { name: "g" });
    const [above, below] = await Promise.all([
      createResource(`${v1}/${organization.uid}`, token, { name: "twin" }),
      createResource(`${v1}/${group.uid}`, token, { name: "twin" }),
    ]);
    await post({ name: "other" });
    const ids = async (query: string) =>
      ((await items(query)) ?? []).map(({ id }: { id: string }) => id).sort();
    expect(await ids("name=twin")).toEqual([above.id, below.id].sort());
    expect(await ids(`name=twin&uidp.childrenOf=${group.uid}`)).toEqual([below.id]);
    expect(await ids(`id=${above.id}&uidp.childrenOf=${organization.uid}`)).toEqual([above.id]);
    expect(await ids(`id=${above.id}&uidp.childrenOf=${group.uid}`)).toEqual([]);
    expect(await ids(`id=${above.id}&name=other`)).toEqual([]);
    expect(await ids(`id=${organization.uid}/${"0".repeat(16)}`)).toEqual([]);
  });

  test("rejects an invalid id, and readmes that are too large for a Worker", async () => {
    const bad = await get(`${v1}?id=x`);
    expect([bad.status, fieldOf(bad)]).toEqual([400, "id"]);
    await sql(
      `insert into repos (uid, name, readme, create_time, update_time)
       select ? || '/' || printf('%016x', value), 'r' || value, replace(hex(zeroblob(250000)), '0', 'x'), 1, 1
       from json_each(?)`,
      organization.uid,
      JSON.stringify(Array.from({ length: 34 }, (_, index) => index)),
    );
    const scope = `uidp.childrenOf=${organization.uid}`;
    expect((await get(`${v1}?${scope}`)).body).toMatchObject({ code: 8 });
    expect(await items(`${scope}&name=r33`)).toHaveLength(1);
    expect((await get(`${v2}?${scope}`)).body.totalCount).toBe("34");
  });
});

describe("the count of copies", () => {
  test("is that of all repositories with this source, in any organization", async () => {
    const source = (await post({ name: "source" })).body;
    const count = async (id: string, as = token) =>
      (await callRest(`/registry/v1/repocountbysource/${id}`, { token: as })).body;
    expect(await count(source.id)).toEqual({ count: "0" });
    const sync_config = { source: source.id };
    for (const name of ["a", "b"]) await post({ name, sync_config });
    await post({ name: "c", sync_config: { source: (await post({ name: "d" })).body.id } });
    const other = await newOrganization();
    await sql(
      "insert into repos (uid, name, sync_config, create_time, update_time) values (?, 'r', ?, 1, 1)",
      `${other.uid}/${"0".repeat(16)}`,
      JSON.stringify(sync_config),
    );
    expect(await count(source.id)).toEqual({ count: "3" });
    expect(await count(source.id, other.owner.token)).toMatchObject({ code: 7 });
    expect(await count(`${organization.uid}/${"0".repeat(16)}`)).toEqual({ count: "0" });
  });

  test("uses an index, however many repositories there are", async () => {
    const { id } = (await post({ name: "source" })).body;
    const plan = await sql<{ detail: string }>(
      `explain query plan select count(*) from repos
       where "sync_config" ->> '$.source' = ? and sync_config is not null`,
      id,
    );
    expect(plan.map(({ detail }) => detail).join()).toContain("repos_by_source");
    const answer = await get(`/registry/v1/repocountbysource/${id}`);
    expect(costOf(answer).rowsRead).toBeLessThan(20);
  });
});
