import { beforeEach, describe, expect, test } from "vitest";
import { plantedDigest } from "../../paging/tree.ts";
import { createResource, newOrganization, type Organization } from "../../world/personas.ts";
import { callRest, registryAudience, sql, tokenFor } from "../../world/platform.ts";

const v1 = "/registry/v1/tags";
const v2 = "/registry/v2/tags";

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
const put = (id: string, body: unknown) => callRest(`${v1}/${id}`, { method: "PUT", token, body });
const items = async (query: string) => (await get(`${v1}?${query}`)).body.items ?? [];
const names = async (query: string) =>
  (await items(query)).map(({ name }: { name: string }) => name).sort();
const fieldOf = ({ body }: { body: { details: { fieldViolations: { field: string }[] }[] } }) =>
  body.details[1]?.fieldViolations[0]?.field;
const history = (tag: string) =>
  sql<{ update_time: number; digest: string }>(
    "select update_time, digest from tag_moves where repo_uid = ? and tag = ? order by update_time",
    repo,
    tag,
  );
const digests = async (tag: string) => (await history(tag)).map(({ digest }) => digest);

/** Inserts rows directly, because the API would write them one by one. */
const insertTags = (rows: { name: string; digest?: string; time?: number }[]) =>
  sql(
    `insert into tags (uid, name, digest, create_time, update_time)
     select ? || '/' || printf('%016x', key), value ->> 'name',
       coalesce(value ->> 'digest', ?), 1, coalesce(value ->> 'time', 1) from json_each(?)`,
    repo,
    plantedDigest(1),
    JSON.stringify(rows),
  );

const whole = {
  name: "3.12",
  digest: plantedDigest(1),
  deprecated: true,
  bundles: ["base", "emeritoss"],
};

test("tags that version 1 writes can be read by both versions, and the other way round", async () => {
  const { status, body } = await post(whole);
  expect(status).toBe(200);
  expect(body).toEqual({ ...whole, id: expect.any(String), lastUpdated: expect.any(String) });
  expect(await items(`id=${body.id}`)).toEqual([body]);
  const inV2 = (await get(`${v2}/${body.id}`)).body;
  expect(inV2).toMatchObject({ ...whole, uid: body.id, updateTime: body.lastUpdated });
  const other = await createResource(`${v2}/${repo}`, token, { ...whole, name: "other" });
  expect(await items(`id=${other.uid}`)).toEqual([
    { ...whole, name: "other", id: other.uid, lastUpdated: other.updateTime },
  ]);
});

describe("a PUT", () => {
  test("moves the tag, resets the fields that it leaves out, and keeps the create time", async () => {
    const { id } = (await post(whole)).body;
    const before = (await get(`${v2}/${id}`)).body;
    const { status, body } = await put(id, { name: whole.name, digest: plantedDigest(2) });
    expect(status).toBe(200);
    expect(body).toEqual({
      id,
      name: whole.name,
      digest: plantedDigest(2),
      deprecated: false,
      lastUpdated: expect.any(String),
    });
    expect(Date.parse(body.lastUpdated)).toBeGreaterThan(Date.parse(before.updateTime));
    const after = (await get(`${v2}/${id}`)).body;
    expect(after).toMatchObject({ createTime: before.createTime, updateTime: body.lastUpdated });
    expect(await history(whole.name)).toEqual([
      { update_time: Date.parse(before.updateTime), digest: plantedDigest(1) },
      { update_time: Date.parse(body.lastUpdated), digest: plantedDigest(2) },
    ]);
  });

  test("with the same digest does not change the history", async () => {
    const { id } = (await post({ name: "t", digest: plantedDigest(1) })).body;
    expect((await put(id, { ...whole, name: "t" })).body).toMatchObject({ deprecated: true });
    expect(await digests("t")).toEqual([plantedDigest(1)]);
  });

  test("with another name continues the history of that name", async () => {
    await post({ name: "new", digest: plantedDigest(9) });
    await callRest(`${v1}/${(await items("name=new"))[0].id}`, { method: "DELETE", token });
    const { id } = (await post({ name: "old", digest: plantedDigest(1) })).body;
    const { body } = await put(id, { name: "new", digest: plantedDigest(1) });
    expect(body).toMatchObject({ id, name: "new" });
    expect(await digests("old")).toEqual([plantedDigest(1), ""]);
    expect(await digests("new")).toEqual([plantedDigest(9), "", plantedDigest(1)]);
    expect(await names(`uidp.childrenOf=${repo}`)).toEqual(["new"]);
    const again = await post({ name: "old", digest: plantedDigest(1) });
    expect(again.body.id).not.toBe(id);
    expect(await digests("old")).toEqual([plantedDigest(1), "", plantedDigest(1)]);
  });

  test("with a name of another class moves it between the totals", async () => {
    const { id } = (await post({ name: "1.0", digest: plantedDigest(1) })).body;
    const total = async (query: string) =>
      (await get(`${v2}?uidp.descendants_of=${organization.uid}${query}`)).body.totalCount;
    expect(await total("")).toBe("1");
    await put(id, { name: "1.0-r7", digest: plantedDigest(1) });
    expect([await total(""), await total("&include_epochs=true")]).toEqual(["0", "1"]);
    await put(id, { name: "2.0", digest: plantedDigest(1) });
    expect([await total(""), await total("&include_dates=true")]).toEqual(["1", "1"]);
    await callRest(`${v1}/${id}`, { method: "DELETE", token });
    const left = await sql(
      "select * from counts where ancestor = ? and kind = 'tags' and descendants <> 0",
      repo,
    );
    expect(left).toEqual([]);
  });

  test.each([
    [{ name: "-x", digest: plantedDigest(1) }, "name"],
    [{ digest: plantedDigest(1) }, "name"],
    [{ name: "t", digest: "sha256:x" }, "digest"],
    [{ name: "t", digest: plantedDigest(1), bundles: ["x"] }, "bundles[0]"],
  ])("of %j names %s", async (body, field) => {
    const { id } = (await post(whole)).body;
    const refused = await put(id, body);
    expect([refused.status, fieldOf(refused)]).toEqual([400, field]);
  });
});

describe("a tag without a digest", () => {
  const readAll = async (id: string) => [
    (await items(`id=${id}`))[0].digest,
    (await get(`${v2}/${id}`)).body.digest,
  ];

  test("points to no image, and has no history until it does", async () => {
    const made = await post({ name: "new", bundles: ["base"] });
    expect(made.status).toBe(200);
    const { id } = made.body;
    expect(made.body).toEqual({
      ...{ id, name: "new", deprecated: false, bundles: ["base"] },
      lastUpdated: expect.any(String),
    });
    expect(await readAll(id)).toEqual([undefined, undefined]);
    expect(await names(`digest=${plantedDigest(1)}`)).toEqual([]);
    expect(await digests("new")).toEqual([]);
    const past = await get(`${v1}/${id}/history`);
    expect([past.status, past.body]).toEqual([200, {}]);
    expect((await put(id, { name: "new", digest: plantedDigest(1) })).status).toBe(200);
    expect(await readAll(id)).toEqual([plantedDigest(1), plantedDigest(1)]);
    expect(await digests("new")).toEqual([plantedDigest(1)]);
  });

  test("does not clear the digest of an existing tag, by a create or a PUT", async () => {
    const { id } = (await post(whole)).body;
    const again = await post({ name: whole.name });
    expect([again.status, again.body.id, again.body.digest]).toEqual([200, id, plantedDigest(1)]);
    const updated = await put(id, { name: whole.name, deprecated: true });
    expect([updated.status, updated.body.digest]).toEqual([200, plantedDigest(1)]);
    expect(updated.body).toMatchObject({ deprecated: true });
    expect(await digests(whole.name)).toEqual([plantedDigest(1)]);
  });

  test("a renamed tag keeps its digest", async () => {
    const { id } = (await post({ name: "old", digest: plantedDigest(1) })).body;
    expect((await put(id, { name: "new" })).body).toMatchObject({ digest: plantedDigest(1) });
    expect(await digests("new")).toEqual([plantedDigest(1)]);
    const { id: nowhere } = (await post({ name: "a" })).body;
    expect((await put(nowhere, { name: "b" })).status).toBe(200);
    expect([await digests("a"), await digests("b")]).toEqual([[], []]);
  });

  test("a tag that is deleted and created again points to no image, and its history continues", async () => {
    const { id } = (await post(whole)).body;
    await callRest(`${v1}/${id}`, { method: "DELETE", token });
    const { body } = await post({ name: whole.name });
    expect([body.id === id, body.digest]).toEqual([false, undefined]);
    await put(body.id, { name: whole.name, digest: plantedDigest(1) });
    await put(body.id, { name: whole.name, digest: plantedDigest(2) });
    const [one, two] = [plantedDigest(1), plantedDigest(2)];
    expect(await digests(whole.name)).toEqual([one, "", one, two]);
  });

  test("an import of moves makes it point to the last of them", async () => {
    const { id } = (await post({ name: "imported" })).body;
    const moves = [1, 2].map((day) => ({
      ...{ repo: "r", tag: "imported", digest: plantedDigest(day) },
      updateTime: `2024-01-0${day}T00:00:00Z`,
    }));
    const path = `/registry/v2/tagMoves/${organization.uid}:import`;
    const { status, body } = await callRest(path, { token, body: { moves } });
    expect([status, body.createdTags, body.recordedMoves]).toEqual([200, 0, 2]);
    expect(await readAll(id)).toEqual([plantedDigest(2), plantedDigest(2)]);
    expect(await digests("imported")).toEqual([plantedDigest(1), plantedDigest(2)]);
  });

  test("is rejected by version 2, and the registry knows no history of it", async () => {
    await post({ name: "new" });
    const refused = await callRest(`${v2}/${repo}`, { token, body: { name: "new" } });
    expect([refused.status, fieldOf(refused)]).toEqual([400, "digest"]);
    const pull = await tokenFor(organization.owner.uid, { aud: registryAudience });
    const answer = await callRest(`/v2/${organization.uid}/r/_vendor/history/new`, { token: pull });
    expect([answer.status, answer.body.errors[0].code]).toEqual([404, "MANIFEST_UNKNOWN"]);
  });

  test("has no digest in its event either", async () => {
    const { body } = await post({ name: "new" });
    const [event] = await sql<{ data: string }>(
      "select data from events where subject = ? and type like '%tag.created.v1'",
      body.id,
    );
    expect(JSON.parse(event?.data ?? "").body).toEqual(body);
  });
});

describe("the list of tags", () => {
  const all = ["1", "1-20260102", "1-r3", "latest", "sha256-aa.sig"];
  beforeEach(() => insertTags(all.map((name, index) => ({ name, digest: plantedDigest(index) }))));

  test.each([
    ["", all],
    ["&excludeReferrers=true", ["1", "1-20260102", "1-r3", "latest"]],
    ["&excludeDates=true", ["1", "1-r3", "latest", "sha256-aa.sig"]],
    ["&excludeEpochs=true", ["1", "1-20260102", "latest", "sha256-aa.sig"]],
    ["&excludeReferrers=true&excludeDates=true&excludeEpochs=true", ["1", "latest"]],
    ["&name=1-r3", ["1-r3"]],
    ["&name=1-r3&excludeEpochs=true", []],
    [`&digest=${plantedDigest(1)}`, ["1-20260102"]],
    [`&digest=${plantedDigest(1)}&name=1`, []],
  ])("leaves out only the excluded tags: %s", async (query, expected) => {
    expect(await names(`uidp.childrenOf=${repo}${query}`)).toEqual(expected);
    expect(await names(`uidp.descendantsOf=${organization.uid}${query}`)).toEqual(expected);
  });

  test("can be filtered by id together with the rest, and by the time of the last change", async () => {
    const { id, lastUpdated } = (await post({ name: "moved", digest: plantedDigest(8) })).body;
    expect(await names(`id=${id}&uidp.childrenOf=${repo}`)).toEqual(["moved"]);
    expect(await names(`id=${id}&uidp.childrenOf=${organization.uid}`)).toEqual([]);
    expect(await names(`id=${id}&digest=${plantedDigest(1)}`)).toEqual([]);
    expect(await names("updatedSince=2026-01-01T00:00:00Z")).toEqual(["moved"]);
    expect(await names(`updatedSince=${lastUpdated}`)).toEqual([]);
    expect(await names(`id=${repo}/ffffffffffffffff`)).toEqual([]);
    const bad = await get(`${v1}?id=x`);
    expect([bad.status, fieldOf(bad)]).toEqual([400, "id"]);
    const digest = await get(`${v1}?digest=x`);
    expect([digest.status, fieldOf(digest)]).toEqual([400, "digest"]);
  });

  test("is complete, beyond the size of a page", async () => {
    await sql("delete from tags where parent = ?", repo);
    await insertTags(Array.from({ length: 300 }, (_, index) => ({ name: `t${index}` })));
    expect(await items(`uidp.childrenOf=${repo}`)).toHaveLength(300);
    expect(await items("")).toHaveLength(300);
  });
});
