import { beforeEach, describe, expect, test } from "vitest";
import { plantedDigest } from "../../paging/tree.ts";
import { createResource, newOrganization, type Organization } from "../../world/personas.ts";
import { callRest, costOf, sql } from "../../world/platform.ts";
import { long } from "../../world/tiers.ts";

const v1 = "/registry/v1/tags";

let organization: Organization;
let token: string;
let repo: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
  repo = (await createResource(`/registry/v2/repos/${organization.uid}`, token, { name: "r" })).uid;
});

const get = (path: string) => callRest(path, { token });
const post = (body: unknown) => callRest(`${v1}/${repo}`, { token, body });
const fieldOf = ({ body }: { body: { details: { fieldViolations: { field: string }[] }[] } }) =>
  body.details[1]?.fieldViolations[0]?.field;
const history = (tag: string) =>
  sql<{ update_time: number; digest: string }>(
    "select update_time, digest from tag_moves where repo_uid = ? and tag = ? order by update_time",
    repo,
    tag,
  );

describe("the history of a tag", () => {
  const read = (id: string, query = "") => get(`${v1}/${id}/history${query}`);
  const record = (digest: number, time: number) => ({
    updateTimestamp: new Date(time).toISOString(),
    digest: plantedDigest(digest),
  });

  test("the history lists every digest of the tag, oldest first, in one round trip", async () => {
    const { id } = (await post({ name: "t", digest: plantedDigest(1) })).body;
    await post({ name: "other", digest: plantedDigest(7) });
    for (const digest of [2, 1]) await post({ name: "t", digest: plantedDigest(digest) });
    const moves = await history("t");
    const answer = await read(id);
    expect(answer.body.items).toEqual(
      [1, 2, 1].map((digest, index) => record(digest, moves[index]?.update_time ?? 0)),
    );
    expect(costOf(answer).roundTrips).toBe(1);
  });

  test("is complete, and can be limited by start and end, both inclusive", async () => {
    const { id } = (await post({ name: "t", digest: plantedDigest(1) })).body;
    const base = Date.UTC(2020, 0, 1);
    await sql(
      `insert into tag_moves (repo_uid, tag, update_time, digest)
       select ?, 't', value, ? from json_each(?)`,
      repo,
      plantedDigest(2),
      JSON.stringify(Array.from({ length: 1500 }, (_, index) => base + index)),
    );
    expect((await read(id)).body.items).toHaveLength(1501);
    const at = (offset: number) => new Date(base + offset).toISOString();
    expect((await read(id, `?start=${at(3)}&end=${at(5)}`)).body.items).toEqual(
      [3, 4, 5].map((offset) => record(2, base + offset)),
    );
    expect((await read(id, `?end=${at(1)}`)).body.items).toHaveLength(2);
    expect((await read(id, `?start=${at(1499)}`)).body.items).toHaveLength(2);
    const refused = await read(id, `?start=${at(5)}&end=${at(3)}`);
    expect([refused.status, fieldOf(refused)]).toEqual([400, "start"]);
    const unnamed = await read("nothing");
    expect([unnamed.status, fieldOf(unnamed)]).toEqual([400, "parent_id"]);
  });

  test(
    "of more records than a response can have is RESOURCE_EXHAUSTED, unless start and end limit it",
    long,
    async () => {
      const { id } = (await post({ name: "t", digest: plantedDigest(1) })).body;
      const base = Date.UTC(2020, 0, 1);
      // With the one of the post: one more than 20,000.
      await sql(
        `insert into tag_moves (repo_uid, tag, update_time, digest)
       with recursive n(i) as (select 0 union all select i + 1 from n where i < 19999)
       select ?, 't', ? + i, ? from n`,
        repo,
        base,
        plantedDigest(2),
      );
      const refused = await read(id);
      expect([refused.status, refused.body.code]).toEqual([429, 8]);
      expect(refused.body.message).toMatch(/more than 20000 records.* start and end/);
      const narrowed = await read(id, `?end=${new Date(base + 19_999).toISOString()}`);
      expect(narrowed.body.items).toHaveLength(20_000);
    },
  );

  test("is empty once the tag is deleted, and returns with its name", async () => {
    const { id } = (await post({ name: "t", digest: plantedDigest(1) })).body;
    await callRest(`${v1}/${id}`, { method: "DELETE", token });
    const gone = await read(id);
    expect([gone.status, gone.body]).toEqual([200, {}]);
    const again = (await post({ name: "t", digest: plantedDigest(2) })).body;
    expect((await read(again.id)).body.items).toHaveLength(2);
  });
});
