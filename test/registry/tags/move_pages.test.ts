/** Pages of ListTagMoves in every scope: each record once, in order, and a bounded number of rows. */
import { beforeAll, describe, expect, test } from "vitest";
import {
  newIdentity,
  newOrganization,
  type Organization,
  type Persona,
} from "../../world/personas.ts";
import { callRest, costOf, sql } from "../../world/platform.ts";
import { below, hex } from "../../world/uids.ts";

const start = Date.UTC(2024, 0, 1);
const minute = 60_000;

interface Planted {
  repoUid: string;
  tag: string;
  time: number;
  previousDigest: string;
  isWarned: boolean;
}

let organization: Organization;
let viewer: Persona;
/** A group with five repositories, one that has more than are merged, and one without repositories. */
let team: string;
let wide: string;
let empty: string;
let planted: Planted[];

/** Plants moves of a release tag: the second to fourth of them have a warning. */
async function plant(repo: string, count: number, timeOf: (at: number) => number) {
  const name = repo.slice(-16);
  const rows = Array.from({ length: count }, (_, at) => ({
    repo_uid: repo,
    tag: at % 2 === 0 ? "1.0.0" : `latest-${at}`,
    update_time: timeOf(at),
    digest: `sha256:${hex(`${name} ${at}`, 64)}`,
  }));
  await sql(
    `insert into tag_moves (repo_uid, tag, update_time, digest) select value ->> 'repo_uid', value ->> 'tag',
      value ->> 'update_time', value ->> 'digest' from json_each(?)`,
    JSON.stringify(rows),
  );
}

beforeAll(async () => {
  organization = await newOrganization();
  const { uid, owner } = organization;
  const groupOf = async (name: string) => {
    const body = { name };
    return (await callRest(`/iam/v2/groups/${uid}`, { token: owner.token, body })).body.uid;
  };
  team = await groupOf("team");
  wide = await groupOf("wide");
  empty = await groupOf("empty");
  // Records of different repositories have the same time, and the repositories are not written in the order of uids.
  for (const n of [3, 1, 5, 2, 4]) {
    await plant(below(team, `team ${n}`), 12, (at) => start + (at * n + at) * minute);
  }
  for (let n = 0; n < 203; n++) {
    await plant(below(wide, `wide ${n}`), 2, (at) => start + at * (n % 7) * minute + at);
  }
  await plant(below(uid, "busy"), 2500, (at) => start + at * 1000);
  viewer = await newIdentity(organization, "viewer", { bindAt: team });
  await newIdentityBinding(viewer.uid, wide);
  const rows = await sql<{
    repo_uid: string;
    tag: string;
    update_time: number;
    previous_digest: string;
    warnings: number;
  }>(
    "select repo_uid, tag, update_time, previous_digest, warnings from tag_moves where repo_uid > ? and repo_uid < ?",
    `${uid}/`,
    `${uid}0`,
  );
  planted = rows.map((row) => ({
    ...{ repoUid: row.repo_uid, tag: row.tag, time: row.update_time },
    previousDigest: row.previous_digest,
    isWarned: row.warnings !== 0,
  }));
});

/** Gives the viewer its role on another group too. */
async function newIdentityBinding(identity: string, group: string) {
  const [bound] = await sql<{ role_uid: string }>(
    "select role_uid from role_bindings where identity_uid = ?",
    identity,
  );
  const body = { identityUid: identity, roleUid: bound?.role_uid };
  const { token } = organization.owner;
  const answer = await callRest(`/iam/v2/roleBindings/${group}`, { token, body });
  expect(answer.status).toBe(200);
}

/** Reads all pages. Returns the records, and the pages with the rows that each read. */
async function walk(query: string, token = organization.owner.token) {
  const found: Omit<Planted, "isWarned">[] = [];
  const pages: { size: number; rowsRead: number }[] = [];
  for (let pageToken = "", page = 0; page === 0 || pageToken !== ""; page++) {
    const answer = await callRest(`/registry/v2/tagMoves?${query}&page_token=${pageToken}`, {
      token,
    });
    const { status, body } = answer;
    expect(status, JSON.stringify(body)).toBe(200);
    const moves: Record<"repoUid" | "tag" | "updateTime" | "previousDigest", string>[] =
      body.tagMoves ?? [];
    found.push(
      ...moves.map(({ repoUid, tag, updateTime, previousDigest = "" }) => ({
        ...{ repoUid, tag, time: Date.parse(updateTime), previousDigest },
      })),
    );
    const { rowsRead } = costOf(answer);
    pages.push({ size: moves.length, rowsRead });
    pageToken = body.nextPageToken ?? "";
  }
  return { found, pages };
}

const keyOf = ({ repoUid, tag, time, previousDigest }: Omit<Planted, "isWarned">) =>
  `${time} ${repoUid} ${tag} ${previousDigest}`;
const sorted = (rows: Omit<Planted, "isWarned">[]) => rows.map(keyOf).sort();

/** The scopes by name, each with its query and the uids that the repositories begin with. */
const scopes: Record<string, () => [query: string, within: string[], by?: string]> = {
  "the organization": () => [`uidp.descendants_of=${organization.uid}`, [organization.uid]],
  "a group with few repositories": () => [`uidp.descendants_of=${team}`, [team]],
  "a group with many repositories": () => [`uidp.descendants_of=${wide}`, [wide]],
  "a group without repositories": () => [`uidp.descendants_of=${empty}`, [empty]],
  "a repository": () => [`uidp.children_of=${below(team, "team 5")}`, [below(team, "team 5")]],
  "what is below a repository": () => {
    const repo = below(team, "team 5");
    return [`uidp.descendants_of=${repo}`, [repo]];
  },
  "everything that a viewer of two groups sees": () => ["", [team, wide], viewer.token],
};

const until = start + 70 * minute;
const since = start + 5 * minute;
const iso = (time: number) => new Date(time).toISOString();

/** The filters by name, each with its query and its condition. */
const filters: Record<string, [query: string, isMatch: (one: Planted) => boolean]> = {
  "no filter": ["", () => true],
  "a span of time": [
    `&since=${iso(since)}&until=${iso(until)}`,
    ({ time }) => time >= since && time < until,
  ],
  warnings: ["&has_warnings=true", ({ isWarned }) => isWarned],
  "warnings in a span of time": [
    `&has_warnings=true&since=${iso(since)}&until=${iso(until)}`,
    ({ isWarned, time }) => isWarned && time >= since && time < until,
  ],
};

/** The rows of a page, of a group with many repositories in the worst case. Others read far fewer. */
const maxRowsRead = 8000;

describe.each(Object.keys(scopes))("the pages of %s", (scope) => {
  test.each(Object.keys(filters))("with %s have each record once, in both orders", async (name) => {
    const [query, within, token] = scopes[scope]?.() ?? ["", []];
    const [filter, isMatch] = filters[name] ?? ["", () => false];
    const expected = planted.filter(
      (one) => isMatch(one) && within.some((uid) => one.repoUid.startsWith(uid)),
    );
    for (const order of ["update_time desc", "update_time"]) {
      const asked = `${query}${filter}&page_size=100&order_by=${order}`;
      const { found, pages } = await walk(asked, token);
      expect(sorted(found)).toEqual(sorted(expected));
      const times = found.map(({ time }) => time);
      const sign = order.endsWith("desc") ? -1 : 1;
      expect(times).toEqual(times.toSorted((a, b) => sign * (a - b)));
      for (const { rowsRead } of pages) expect(rowsRead).toBeLessThan(maxRowsRead);
      const isWalk = within.includes(wide);
      if (!isWalk) {
        for (const { size, rowsRead } of pages.slice(0, -1)) {
          expect(size).toBe(100);
          expect(rowsRead).toBeLessThan(1000);
        }
      }
    }
  });
});

test("a page of a group with many repositories ends after 1,000 records of the organization, also without a match", async () => {
  const { pages } = await walk(`uidp.descendants_of=${wide}&page_size=200`);
  const short = pages.slice(0, -1).filter(({ size }) => size < 200);
  expect(short.length).toBeGreaterThan(0);
  expect(pages.length).toBeLessThan(8);
});

test("a page of a group shows no records of other groups, and neither does its token", async () => {
  const query = `uidp.descendants_of=${wide}&page_size=200`;
  const { body } = await callRest(`/registry/v2/tagMoves?${query}`, { token: viewer.token });
  expect(body.tagMoves ?? []).toEqual([]);
  const [, payload = ""] = body.nextPageToken.split(".");
  const text = Buffer.from(payload, "base64url").toString();
  expect(JSON.parse(text).cursor.after).toEqual([
    expect.any(Number),
    expect.stringMatching(/^\d{15}$/),
  ]);
});

test("skip leaves out the first records of a scope, and is refused beyond what a page examines", async () => {
  const { token } = organization.owner;
  for (const [scope, order] of [
    [team, "update_time desc"],
    [team, "update_time"],
    [wide, "update_time"],
    [organization.uid, "update_time desc"],
  ]) {
    const query = `uidp.descendants_of=${scope}&order_by=${order}&page_size=40`;
    const first = (await walk(query)).found;
    const { body } = await callRest(`/registry/v2/tagMoves?${query}&skip=7`, { token });
    const moves: { repoUid: string; tag: string }[] = body.tagMoves;
    const names = (rows: typeof moves) => rows.map((row) => `${row.repoUid} ${row.tag}`);
    expect(names(moves)).toEqual(names(first.slice(7, 47)));
    expect(body.skipped).toBe(7);
  }
  const far = `uidp.descendants_of=${wide}&skip=10000`;
  expect((await callRest(`/registry/v2/tagMoves?${far}`, { token })).body).toMatchObject({
    code: 3,
    message: expect.stringContaining("skip cannot reach so far"),
  });
});

test("a page shows its names whole, however long they are", async () => {
  const { uid, owner } = await newOrganization();
  const group = below(uid, "group");
  const long = "\u0001".repeat(2000);
  for (const [at, name] of ["short", long, "short"].entries()) {
    await sql(
      `insert into tag_moves (repo_uid, tag, update_time, digest, repo, identity, identity_name, method)
       values (?, ?, ?, ?, 'repo', ?, ?, 1)`,
      ...[below(group, "repo"), `tag-${at}`, start + at, `sha256:${hex(name, 64)}`, uid, name],
    );
  }
  for (const scope of [uid, group]) {
    const path = `/registry/v2/tagMoves?uidp.descendants_of=${scope}`;
    const { body } = await callRest(path, { token: owner.token });
    const moves: { tag: string; identityName: string }[] = body.tagMoves;
    expect(moves.map(({ tag, identityName }) => [tag, identityName])).toEqual([
      ["tag-2", "short"],
      ["tag-1", long],
      ["tag-0", "short"],
    ]);
  }
});

test("a page reads each record that it skips with its names, and no further ones", async () => {
  const { uid, owner } = organization;
  const read = async (skip: number) => {
    const query = `uidp.descendants_of=${uid}&page_size=1&skip=${skip}`;
    const answer = await callRest(`/registry/v2/tagMoves?${query}`, { token: owner.token });
    expect(answer.body.tagMoves).toHaveLength(1);
    return costOf(answer).rowsRead;
  };
  expect(planted.length).toBeGreaterThan(300);
  expect((await read(150)) - (await read(0))).toBeLessThanOrEqual(3 * 150 + 10);
});
