import { beforeEach, describe, expect, test } from "vitest";
import { plantedDigest } from "../../paging/tree.ts";
import { createResource, newOrganization, type Organization } from "../../world/personas.ts";
import { callRest, costOf, sql } from "../../world/platform.ts";

const path = "/registry/v1/eoltags";

let organization: Organization;
let token: string;
let repo: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
  repo = (await createResource(`/registry/v2/repos/${organization.uid}`, token, { name: "r" })).uid;
});

const list = (query = "", as = token) => callRest(`${path}?${query}`, { token: as });
const names = async (query = "") =>
  ((await list(query)).body.items ?? []).map(({ name }: { name: string }) => name).sort();
const fieldOf = ({ body }: { body: { details: { fieldViolations: { field: string }[] }[] } }) =>
  body.details[1]?.fieldViolations[0]?.field;

const insertTags = (rows: { name: string; deprecated: 0 | 1 }[], at = repo) =>
  sql(
    `insert into tags (uid, name, digest, deprecated, create_time, update_time)
     select ? || '/' || printf('%016x', key), value ->> 'name', ?, value ->> 'deprecated', 1, 1
     from json_each(?)`,
    at,
    plantedDigest(1),
    JSON.stringify(rows),
  );

test("a deprecated tag is listed, with its known facts, until it is no longer deprecated", async () => {
  const tag = { name: "2.7", digest: plantedDigest(1), deprecated: true };
  await createResource(`/registry/v1/tags/${repo}`, token, { name: "3", digest: plantedDigest(1) });
  const { id } = await createResource(`/registry/v1/tags/${repo}`, token, tag);
  const { status, body } = await list();
  expect(status).toBe(200);
  expect(body).toEqual({ items: [{ id, name: "2.7", tagStatus: "TAG_INACTIVE" }] });
  await callRest(`/registry/v1/tags/${id}`, {
    method: "PUT",
    token,
    body: { ...tag, deprecated: false },
  });
  expect((await list()).body).toEqual({});
});

describe("the filters of the list", () => {
  const all = ["1", "1-20260102", "1-r3", "sha256-aa.sig"];
  let other: string;
  beforeEach(async () => {
    await insertTags([
      ...all.map((name) => ({ name, deprecated: 1 as const })),
      { name: "2", deprecated: 0 },
    ]);
    const group = await createResource(`/iam/v2/groups/${organization.uid}`, token, { name: "g" });
    other = (await createResource(`/registry/v2/repos/${group.uid}`, token, { name: "s" })).uid;
    await insertTags([{ name: "1", deprecated: 1 }], other);
  });

  test.each([
    ["", all],
    ["&excludeDates=true", ["1", "1-r3", "sha256-aa.sig"]],
    ["&excludeEpochs=true", ["1", "1-20260102", "sha256-aa.sig"]],
    ["&excludeDates=true&excludeEpochs=true", ["1", "sha256-aa.sig"]],
    ["&name=1-r3", ["1-r3"]],
    ["&name=1-r3&excludeEpochs=true", []],
    ["&name=2", []],
  ])("filters are combined: %s", async (query, expected) => {
    expect(await names(`uidp.childrenOf=${repo}${query}`)).toEqual(expected);
  });

  test("for a group accept each of its members", async () => {
    expect(await names("name=1")).toEqual(["1", "1"]);
    expect(await names(`uidp.descendantsOf=${organization.uid}`)).toHaveLength(5);
    expect(await names(`uidp.descendantsOf=${other}`)).toEqual(["1"]);
    expect(await names(`uidp.childrenOf=${organization.uid}`)).toEqual([]);
    const { items } = (await list(`uidp.childrenOf=${other}`)).body;
    expect(await names(`uidp.ids=${items[0].id}`)).toEqual(["1"]);
  });
});

describe("the pages of the list", () => {
  const many = Array.from({ length: 23 }, (_, index) => `t${String(index).padStart(2, "0")}`);
  beforeEach(() => insertTags(many.map((name) => ({ name, deprecated: 1 }))));

  test.each(["", "uidp.childrenOf", "uidp.descendantsOf"])(
    "follow their tokens, each tag once: %s",
    async (filter) => {
      const scope = filter === "" ? "" : `&${filter}=${repo}`;
      const walked: string[] = [];
      let pageToken = "";
      do {
        const { body } = await list(`pageSize=10&pageToken=${pageToken}${scope}`);
        walked.push(...body.items.map(({ name }: { name: string }) => name));
        pageToken = body.nextPageToken ?? "";
      } while (pageToken !== "");
      expect(walked).toEqual(many);
    },
  );

  test("pages have 50 rows by default, and their tokens are for this list only", async () => {
    await insertTags(
      Array.from({ length: 60 }, (_, index) => ({ name: `x${index}`, deprecated: 1 })),
      (await createResource(`/registry/v2/repos/${organization.uid}`, token, { name: "s" })).uid,
    );
    const { body } = await list();
    expect(body.items).toHaveLength(50);
    const refusals = [
      await list(`excludeDates=true&pageToken=${body.nextPageToken}`),
      await list("pageToken=x"),
      await callRest(`/registry/v2/tags?page_token=${body.nextPageToken}`, { token }),
    ];
    for (const refused of refusals) {
      expect([refused.status, fieldOf(refused)]).toEqual([400, "page_token"]);
    }
  });

  test.each(["201", "-1", "99999999999"])("cannot be of %s", async (size) => {
    const refused = await list(`pageSize=${size}`);
    expect([refused.status, fieldOf(refused)]).toEqual([400, "page_size"]);
  });
});

test("cost depends on the rows of the page, not on the number of tags", async () => {
  const ofEach = (nameOf: (index: number) => string, deprecated: 0 | 1) =>
    Array.from({ length: 1000 }, (_, index) => ({ name: nameOf(index), deprecated }));
  await insertTags([
    ...ofEach((index) => `t${index}`, 0),
    ...ofEach((index) => `${index}-20260102`, 1),
    ...ofEach((index) => `${index}-r1`, 1),
    { name: "old", deprecated: 1 },
  ]);
  const scopes = ["", `uidp.childrenOf=${repo}&`, `uidp.descendantsOf=${organization.uid}&`];
  const queries = [
    "name=old",
    "name=old&excludeDates=true",
    "excludeDates=true&excludeEpochs=true",
    "excludeDates=true&pageSize=1",
    "pageSize=1",
  ];
  for (const query of scopes.flatMap((scope) => queries.map((one) => `${scope}${one}`))) {
    const answer = await list(query);
    expect(answer.body.items, query).toHaveLength(1);
    expect(costOf(answer).rowsRead, query).toBeLessThan(60);
  }
});
