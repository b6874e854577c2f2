/** ListEndOfLifeTags: which tags are at the end of their life, and what replaces them. */
import { beforeEach, describe, expect, test } from "vitest";
import { plantedDigest } from "../../paging/tree.ts";
import { createResource, newOrganization, type Organization } from "../../world/personas.ts";
import { callRest, costOf, sql } from "../../world/platform.ts";
import { endOfLifeListOf, type Listed } from "./end_of_life_list.ts";

let organization: Organization;
let token: string;
let endOfLife: ReturnType<typeof endOfLifeListOf>;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
  endOfLife = endOfLifeListOf(organization);
});

const newRepo = async (name = "app", group = organization.uid) =>
  (await createResource(`/registry/v2/repos/${group}`, token, { name })).uid;
const put = (repo: string, name: string, more: Record<string, unknown> = {}) =>
  createResource(`/registry/v2/tags/${repo}`, token, { name, digest: plantedDigest(1), ...more });
const deprecate = (repo: string, name: string, more = {}) =>
  put(repo, name, { ...more, deprecated: true });

test("only deprecated tags are listed, with their repository, digest and the time of the deprecation", async () => {
  const repo = await newRepo();
  await put(repo, "3.13");
  const { uid, updateTime } = await deprecate(repo, "3.9");
  const [one, ...others] = await endOfLife.list();
  expect(others).toEqual([]);
  expect(one).toEqual({
    ...{ uid, repoUid: repo, repoName: "app", tag: "3.9", digest: plantedDigest(1) },
    deprecatedTime: updateTime,
    consumerCount: 0,
    replacement: expect.objectContaining({ tag: "3.13" }),
  });
});

describe("the time of a deprecation", () => {
  const timeOf = async () => (await endOfLife.list())[0]?.deprecatedTime;

  test("stays the same when the tag moves, and is new if the tag was in use in between", async () => {
    const repo = await newRepo();
    await put(repo, "3.9");
    const { updateTime } = await deprecate(repo, "3.9");
    expect(await timeOf()).toBe(updateTime);
    await deprecate(repo, "3.9", { digest: plantedDigest(2) });
    expect(await timeOf()).toBe(updateTime);
    await put(repo, "3.9");
    expect(await endOfLife.list()).toEqual([]);
    const again = await deprecate(repo, "3.9");
    expect(await timeOf()).toBe(again.updateTime);
    expect(again.updateTime).not.toBe(updateTime);
  });

  test("is recorded by version 1, and stays the same when the tag gets a new name", async () => {
    const repo = await newRepo();
    const { uid } = await put(repo, "3.9");
    await put(repo, "4.0");
    await put(repo, "4.0-slim");
    const change = async (body: object) => {
      const answer = await callRest(`/registry/v1/tags/${uid}`, { method: "PUT", token, body });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      return answer.body.lastUpdated;
    };
    const time = await change({ name: "3.9", deprecated: true });
    expect(await timeOf()).toBe(time);
    await change({ name: "3.9-slim", deprecated: true });
    const [one] = await endOfLife.list();
    expect(one).toMatchObject({ tag: "3.9-slim", deprecatedTime: time });
    // The line follows the name.
    expect(one?.replacement?.tag).toBe("4.0-slim");
  });

  test("is absent if the platform did not record it", async () => {
    const repo = await newRepo();
    const { uid } = await deprecate(repo, "3.9");
    await sql("update tags set deprecated_time = 0 where uid = ?", uid);
    expect(await timeOf()).toBeUndefined();
  });
});

/** A deprecated tag, the tags in use next to it, and the tag that replaces it. */
const replacements: [string, string[], string | undefined][] = [
  ["3.9-slim", ["3.10-slim", "3.13-slim", "3.13", "3.14-alpine", "latest"], "3.13-slim"],
  ["3.9-slim", ["3.13-slim", "3.13.7-slim", "3-slim"], "3.13-slim"],
  ["3.9.18-slim", ["3.13.7-slim", "3.14-slim"], "3.13.7-slim"],
  ["3.9.18-slim", ["3.13-slim", "4-slim"], "3.13-slim"],
  ["9.6.24", ["18.6", "19", "18.5"], "18.6"],
  ["3.9", ["3.13.7", "3.14.0"], undefined],
  ["3.13", ["3.9", "3.12"], undefined],
  ["3.9", ["3.14-rc", "3.15-rc1", "3.13"], "3.13"],
  ["3.9", ["3.14-rc"], undefined],
  ["3.14-rc", ["3.14", "3.15-rc"], "3.14"],
  ["3.14.0a1", ["3.14.0rc1", "3.13.7"], "3.14.0rc1"],
  ["3.14.0rc1", ["3.14.0", "3.13.7"], "3.14.0"],
  ["3.9-alpine3.18", ["3.9-alpine3.22", "3.13-alpine3.21"], "3.13-alpine3.21"],
  ["1.2.3-r1", ["1.2.3-r2", "1.2.3-r10"], "1.2.3-r10"],
  ["17-jdk11", ["21-jdk17", "21-jdk11"], "21-jdk11"],
  ["v1.2.3", ["1.9.0", "v1.3.0"], "v1.3.0"],
  ["20230101", ["1.0", "7", "20240101"], "20240101"],
  ["7", ["20240101", "8"], "8"],
  ["focal", ["jammy", "noble", "24.04"], undefined],
  ["latest", ["1.0"], undefined],
];

test.each(replacements)("%s, next to %j, is replaced by %s", async (tag, others, expected) => {
  const repo = await newRepo();
  for (const name of others) await put(repo, name);
  await deprecate(repo, tag);
  const [one] = await endOfLife.list("include_epochs=true&include_dates=true");
  expect(one?.replacement?.tag).toBe(expected);
});

test("a replacement is a tag in use of the same repository, as it is now", async () => {
  const repo = await newRepo();
  const other = await newRepo("other");
  await deprecate(repo, "1.0");
  await put(other, "9.0");
  const two = await put(repo, "2.0");
  await put(repo, "3.0");
  const replacement = async () => (await endOfLife.list("tag=1.0"))[0]?.replacement;
  expect((await replacement())?.tag).toBe("3.0");
  await deprecate(repo, "3.0");
  const { uid, digest, updateTime } = two;
  expect(await replacement()).toEqual({ uid, tag: "2.0", digest, updateTime });
  await callRest(`/registry/v2/tags/${two.uid}`, { method: "DELETE", token });
  expect(await replacement()).toBeUndefined();
  await put(repo, "3.0");
  expect((await replacement())?.tag).toBe("3.0");
});

test("an imported tag can replace another one", async () => {
  const move = (tag: string, digest: number) => ({
    ...{ repo: "app", tag, digest: plantedDigest(digest) },
    updateTime: "2026-01-01T00:00:00Z",
  });
  await createResource(`/registry/v2/tagMoves/${organization.uid}:import`, token, {
    moves: [move("1.0", 1), move("2.0", 2), move("10.0", 3)],
  });
  const [repo] = await sql<{ uid: string }>(
    "select uid from repos where parent = ?",
    organization.uid,
  );
  await deprecate(String(repo?.uid), "1.0");
  expect((await endOfLife.list())[0]?.replacement?.tag).toBe("10.0");
});

describe("filters and pages", () => {
  test("match patterns of repositories and tags, and both", async () => {
    const [app, base] = [await newRepo("team/app"), await newRepo("base")];
    for (const repo of [app, base]) {
      for (const tag of ["1.0", "1.1-slim", "stable"]) await deprecate(repo, tag);
    }
    expect(await endOfLife.names("tag=1.*")).toEqual(["1.0", "1.0", "1.1-slim", "1.1-slim"]);
    expect(await endOfLife.names("repo=team/*&tag=*slim")).toEqual(["1.1-slim"]);
    expect(await endOfLife.names("repo=team")).toEqual([]);
    expect(await endOfLife.names("tag=stable")).toEqual(["stable", "stable"]);
  });

  test("leave out referrer, date and epoch tags unless the request includes them", async () => {
    const repo = await newRepo();
    for (const tag of ["1.0", "sha256-abc", "1.0-20230101", "1.0-r3"]) await deprecate(repo, tag);
    expect(await endOfLife.names()).toEqual(["1.0"]);
    expect(await endOfLife.names("include_referrers=true")).toEqual(["1.0", "sha256-abc"]);
    expect(await endOfLife.names("include_dates=true&include_epochs=true")).toEqual([
      "1.0",
      "1.0-20230101",
      "1.0-r3",
    ]);
  });

  test("pages keep the order by time, each tag appears once, and skip leaves out the first tags", async () => {
    const repo = await newRepo();
    const tags = ["1.0", "1.1", "1.2", "1.3", "1.4"];
    for (const tag of tags) await deprecate(repo, tag);
    const seen: string[] = [];
    let page = "";
    do {
      const query = `page_size=2&order_by=deprecated_time%20desc&page_token=${page}`;
      const { body } = await endOfLife.ask(query);
      seen.push(...body.endOfLifeTags.map(({ tag }: Listed) => tag));
      page = body.nextPageToken ?? "";
    } while (page !== "");
    expect(seen).toEqual(tags.toReversed());
    const { body } = await endOfLife.ask("order_by=deprecated_time&skip=3");
    expect(body.endOfLifeTags.map(({ tag }: Listed) => tag)).toEqual(["1.3", "1.4"]);
    expect(body.skipped).toBe(3);
    expect(body.totalCount).toBeUndefined();
  });

  test.each([
    ["page_token=x", "page_token"],
    ["skip=-1", "skip"],
    ["pulled_since=yesterday", "pulled_since"],
  ])("%s is refused with the name of the field", async (query, field) => {
    const { status, body } = await endOfLife.ask(query);
    expect(status).toBe(400);
    expect(JSON.stringify(body.details)).toContain(field);
  });
});

test("a page costs the same with ten times as many tags in the repository", async () => {
  const repo = await newRepo();
  await put(repo, "9999.1");
  const fill = (from: number, to: number) =>
    sql(
      `with recursive n(i) as (select ? union all select i + 1 from n where i < ?)
       insert into tags (uid, name, digest, deprecated, line, line_key, create_time, update_time)
       select ? || '/' || printf('%016x', i), '3.' || i, 'sha256:' || printf('%064x', i), i % 2,
         '2r|', 'a3d' || printf('%04d', i) || '1', 1, 1 from n`,
      ...[from, to, repo],
    );
  await fill(1000, 1099);
  const rowsRead = async () => costOf(await endOfLife.ask("page_size=20")).rowsRead;
  const before = await rowsRead();
  await fill(1100, 1999);
  expect(await rowsRead()).toBe(before);
  expect(before).toBeLessThan(250);
});
