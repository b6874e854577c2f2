import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { beforeEach, describe, expect, test } from "vitest";
import { TagMovesService } from "../../../schema/gen/platform/registry/v2/tag_moves_pb.js";
import { plantedDigest } from "../../paging/tree.ts";
import { createResource, newOrganization, type Organization } from "../../world/personas.ts";
import { callRest, clientOf, sql } from "../../world/platform.ts";
import { long } from "../../world/tiers.ts";

let organization: Organization;
beforeEach(async () => {
  organization = await newOrganization();
});

const at = (seconds: number) => new Date(Date.UTC(2025, 0, 1) + seconds * 1000).toISOString();
const move = (seconds: number, digest: number, tag = "latest", repo = "python") => ({
  updateTime: at(seconds),
  repo,
  tag,
  digest: plantedDigest(digest),
});
type Move = ReturnType<typeof move>;

const load = (moves: unknown[], token = organization.owner.token) =>
  callRest(`/registry/v2/tagMoves/${organization.uid}:import`, { token, body: { moves } });

const history = (tag = "latest", repo = "python") =>
  sql<{ time: string; digest: string }>(
    `select strftime('%Y-%m-%dT%H:%M:%fZ', m.update_time / 1000.0, 'unixepoch') as time, m.digest
     from tag_moves as m join repos as r on r.uid = m.repo_uid
     where r.parent = ? and r.name = ? and m.tag = ? order by m.update_time`,
    organization.uid,
    repo,
    tag,
  );
const toTimes = (moves: Move[]) => moves.map(({ updateTime: time, digest }) => ({ time, digest }));

const tagOf = async (name: string) => {
  const { body } = await callRest(
    `/registry/v2/tags?uidp.descendants_of=${organization.uid}&name=${name}`,
    { token: organization.owner.token },
  );
  return body.tags?.[0];
};
const events = async () => {
  const [row] = await sql<{ n: number }>(
    "select count(*) as n from events where type like '%tag_moves.imported.v1' and subject = ?",
    organization.uid,
  );
  return row?.n;
};

const three = [move(1, 1), move(2, 2), move(3, 1)];

test("moves are recorded at their own times, and repositories and tags are created on first mention", async () => {
  const moves = [...three, move(2, 5, "3.12"), move(4, 6, "1", "team/go")];
  const { status, body } = await load(moves);
  expect(status).toBe(200);
  expect(body).toEqual({ createdRepos: 2, createdTags: 3, recordedMoves: 5, unchangedMoves: 0 });
  expect(await history()).toEqual(toTimes(three));
  expect(await history("1", "team/go")).toEqual(toTimes([move(4, 6)]));
  expect(await tagOf("latest")).toMatchObject({
    digest: plantedDigest(1),
    createTime: at(1),
    updateTime: at(3),
    deprecated: false,
  });
  const repos = await callRest("/registry/v2/repos?order_by=name", {
    token: organization.owner.token,
  });
  expect(repos.body.repos.map((repo: { name: string }) => repo.name)).toEqual([
    "python",
    "team/go",
  ]);
  expect(repos.body.repos[0]).toMatchObject({ createTime: at(1), updateTime: at(1) });
  const totals = await callRest(`/registry/v2/tags?uidp.descendants_of=${organization.uid}`, {
    token: organization.owner.token,
  });
  expect(totals.body.totalCount).toBe("3");
  expect(await events()).toBe(1);
});

test("moves in any order within one call are applied in the order of their times", async () => {
  const [one, two, last] = three as [Move, Move, Move];
  expect((await load([last, one, two])).body.recordedMoves).toBe(3);
  expect(await history()).toEqual(toTimes(three));
  expect((await tagOf("latest")).digest).toBe(plantedDigest(1));
});

test("an import of the same moves again changes nothing and writes no event", async () => {
  await load(three);
  const tag = await tagOf("latest");
  expect((await load(three)).body).toEqual({
    createdRepos: 0,
    createdTags: 0,
    recordedMoves: 0,
    unchangedMoves: 3,
  });
  expect(await history()).toEqual(toTimes(three));
  expect(await tagOf("latest")).toEqual(tag);
  expect(await events()).toBe(1);
});

test("older moves are inserted into the past, and the tag does not move", async () => {
  await load([move(5, 5)]);
  const { body } = await load([move(3, 3), move(4, 4)]);
  expect(body).toMatchObject({ recordedMoves: 2, createdTags: 0 });
  expect(await history()).toEqual(toTimes([move(3, 3), move(4, 4), move(5, 5)]));
  expect(await tagOf("latest")).toMatchObject({ digest: plantedDigest(5), updateTime: at(5) });
});

test("a move to the digest that the tag already has is not recorded", async () => {
  await load([move(1, 1)]);
  expect((await load([move(2, 1), move(3, 2), move(4, 2)])).body).toMatchObject({
    recordedMoves: 1,
    unchangedMoves: 2,
  });
  expect(await history()).toEqual(toTimes([move(1, 1), move(3, 2)]));
});

describe("another digest of the same tag at the same millisecond", () => {
  test("is rejected with the position of the move, against stored records", async () => {
    await load(three);
    const answer = await load([move(4, 4), move(2, 9), move(3, 8)]);
    expect([answer.status, answer.body.code]).toEqual([400, 3]);
    expect(
      answer.body.details[1].fieldViolations.map((one: { field: string }) => one.field),
    ).toEqual(["moves[1].digest", "moves[2].digest"]);
    expect(await history()).toEqual(toTimes(three));
    expect(await events()).toBe(1);
  });

  test("is rejected within one call, and not even the repository is created", async () => {
    const answer = await load([move(1, 1), move(1, 2)]);
    expect(answer.body.details[1].fieldViolations[0].field).toBe("moves[1].digest");
    expect(await sql("select uid from repos where parent = ?", organization.uid)).toEqual([]);
  });

  test("is rejected within one call among older moves too", async () => {
    await load([move(9, 9)]);
    const answer = await load([move(1, 1), move(1, 2)]);
    expect([answer.status, answer.body.details?.[1].fieldViolations[0].field]).toEqual([
      400,
      "moves[1].digest",
    ]);
    expect(await history()).toEqual(toTimes([move(9, 9)]));
  });
});

test("the same move twice in one call counts once, among older moves too", async () => {
  expect((await load([move(1, 1), move(1, 1)])).body).toMatchObject({
    recordedMoves: 1,
    unchangedMoves: 1,
  });
  await load([move(9, 9)]);
  const past = await load([move(5, 5), move(5, 5)]);
  expect([past.status, past.body]).toMatchObject([200, { recordedMoves: 1, unchangedMoves: 1 }]);
  expect(await history()).toEqual(toTimes([move(1, 1), move(5, 5), move(9, 9)]));
});

test("the history never has two consecutive records with one digest, in any order of the imports", async () => {
  await load([move(1, 1), move(9, 9)]);
  await load([move(5, 5), move(6, 5), move(4, 1)]);
  expect(await history()).toEqual(toTimes([move(1, 1), move(5, 5), move(9, 9)]));
});

test("an earlier move to the digest of the next record replaces that record", async () => {
  await load([move(1, 1), move(9, 9), move(12, 3)]);
  const { body } = await load([move(5, 5), move(6, 9), move(10, 3)]);
  expect(body).toMatchObject({ recordedMoves: 3, unchangedMoves: 0 });
  expect(await history()).toEqual(toTimes([move(1, 1), move(5, 5), move(6, 9), move(10, 3)]));
  await load([move(7, 9), move(8, 2)]);
  const last = [move(6, 9), move(8, 2), move(10, 3)];
  expect(await history()).toEqual(toTimes([move(1, 1), move(5, 5), ...last]));
  expect((await tagOf("latest")).digest).toBe(plantedDigest(3));
});

test("a push after an import continues the history, and an import after a push goes before it", async () => {
  const { token } = organization.owner;
  await load(three);
  const [repo] = await sql<{ uid: string }>(
    "select uid from repos where parent = ?",
    organization.uid,
  );
  const pushed = await createResource(`/registry/v2/tags/${repo?.uid}`, token, {
    name: "latest",
    digest: plantedDigest(7),
  });
  await load([move(4, 4)]);
  expect((await history()).map((row) => row.digest)).toEqual([1, 2, 1, 4, 7].map(plantedDigest));
  expect((await tagOf("latest")).updateTime).toBe(pushed.updateTime);
});

test("a move at the time of a recorded deletion contradicts the history, by its position", async () => {
  const { token } = organization.owner;
  await load([move(1, 1)]);
  const { uid } = await tagOf("latest");
  expect((await callRest(`/registry/v2/tags/${uid}`, { token, method: "DELETE" })).status).toBe(
    200,
  );
  const [, deletion] = await history();
  expect(deletion?.digest).toBe("");
  const same = { ...move(0, 2), updateTime: deletion?.time };
  const { status, body } = await load([move(2, 2), same]);
  expect(status).toBe(400);
  expect(JSON.stringify(body)).toContain("moves[1].digest contradicts the tag history");
  expect((await load([move(2, 2)])).body).toMatchObject({ recordedMoves: 1 });
});

test("one call accepts ten thousand moves, in any order of their times", long, async () => {
  const client = clientOf(TagMovesService, organization.owner.token);
  const start = Date.UTC(2020, 0, 1);
  const moves = Array.from({ length: 10_000 }, (_, index) => ({
    updateTime: timestampFromMs(start + ((index * 7919) % 10_000) * 1000),
    repo: `r${index % 3}`,
    tag: "t",
    digest: `sha256:${index.toString(16).padStart(64, "0")}`,
  }));
  const answer = await client.importTagMoves({ parent: organization.uid, moves });
  expect(answer).toMatchObject({ createdRepos: 3, createdTags: 3, recordedMoves: 10_000 });
  const [row] = await sql<{ n: number; low: number; high: number }>(
    "select count(*) as n, min(m.update_time) as low, max(m.update_time) as high from tag_moves as m join repos on repos.uid = repo_uid where repos.parent = ?",
    organization.uid,
  );
  expect(row).toEqual({ n: 10_000, low: start, high: start + 9_999_000 });
  const again = await client.importTagMoves({ parent: organization.uid, moves });
  expect(again).toMatchObject({ recordedMoves: 0, unchangedMoves: 10_000 });
  const one = moves[0] as (typeof moves)[number];
  const more = client.importTagMoves({ parent: organization.uid, moves: [...moves, one] });
  await expect(more).rejects.toThrow(/moves/);
});

describe("a faulty import is rejected, and nothing is written", () => {
  const future = new Date(Date.now() + 3_600_000).toISOString();
  test.each([
    ["no moves", [], "moves"],
    ["no time", [{ ...move(1, 1), updateTime: undefined }], "moves[0].update_time"],
    ["a future time", [move(1, 1), { ...move(1, 1), updateTime: future }], "moves[1].update_time"],
    ["a repo that is not a name", [{ ...move(1, 1), repo: "UP" }], "moves[0].repo"],
    ["a tag that is not a name", [{ ...move(1, 1), tag: "-" }], "moves[0].tag"],
    ["an invalid digest", [move(1, 1), { ...move(2, 1), digest: "x" }], "moves[1].digest"],
  ])("an import is rejected and writes nothing for %s", async (_, moves, field) => {
    const { status, body } = await load(moves);
    expect([status, body.code]).toEqual([400, 3]);
    expect(body.details[1].fieldViolations[0].field).toBe(field);
    expect(await sql("select uid from repos where parent = ?", organization.uid)).toEqual([]);
    expect(await events()).toBe(0);
  });
});
