/** The changes of an import, as they are planned from the stored data. */
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { TagMoveSchema } from "../../../schema/gen/platform/registry/v2/tag_moves_pb.js";
import { planMoves, type StoredMoves } from "../../../src/registry/tags/move_plan.ts";
import { fakeDigest, randomUid } from "../../world/personas.ts";

const org = randomUid();
const repoUid = `${org}/${"1".repeat(16)}`;
const tagUid = `${repoUid}/${"2".repeat(16)}`;
const [a, b, c] = ["a", "b", "c"].map(fakeDigest) as [string, string, string];
const bare = (digest: string) => digest.replace("sha256:", "");
const now = 1_000_000;

const move = (time: number, digest: string, tag = "t", repo = "r") =>
  create(TagMoveSchema, { repo, tag, digest, updateTime: timestampFromMs(time) });

type Tag = StoredMoves["tags"][number];
type Recorded = StoredMoves["recorded"][number];

const known = (more: Partial<Tag> = {}): Tag => ({
  ...{ repo: "r", repoUid, tag: "t", tagUid, digest: b, updateTime: 200 },
  ...{ lastTime: 200, lastDigest: b, ...more },
});
const at = (index: number, more: Partial<Recorded> = {}): Recorded => ({
  ...{ index, digest: null, before: null, beforeTime: null, after: null, afterTime: null },
  ...more,
});

const plan = (
  moves: ReturnType<typeof move>[],
  { tags = [known()], recorded = [] }: Partial<StoredMoves> = {},
) => {
  const repos = [{ uid: repoUid, name: "r" }];
  const { response, ...rows } = planMoves(org, moves, { repos, tags, recorded }, now);
  const { createdRepos, createdTags, recordedMoves, unchangedMoves } = response;
  return { ...rows, counts: [createdRepos, createdTags, recordedMoves, unchangedMoves] };
};

const moveWithEvent = (time: number, digest: string, previousDigest: string, uid: string) => ({
  ...{ repoUid, name: "t", time, digest, previousDigest, tagUid: uid },
});
const nothing = {
  createdRepos: [],
  changedTags: [],
  moves: [],
  redundant: [],
  movesWithEvents: [],
};

describe("a move of a known tag", () => {
  test("after its last record moves the tag", () => {
    expect(plan([move(300, c)])).toEqual({
      ...nothing,
      changedTags: [[tagUid, "t", bare(c), 0, 300]],
      moves: [[repoUid, "t", 300, bare(c), "r"]],
      movesWithEvents: [moveWithEvent(300, c, b, tagUid)],
      counts: [0, 0, 1, 0],
    });
  });

  test("into the past is recorded, and moves nothing", () => {
    const recorded = [at(0, { before: a, beforeTime: 50, after: b, afterTime: 200 })];
    expect(plan([move(100, c)], { recorded })).toEqual({
      ...nothing,
      moves: [[repoUid, "t", 100, bare(c), "r"]],
      movesWithEvents: [moveWithEvent(100, c, a, "")],
      counts: [0, 0, 1, 0],
    });
  });

  test("before every record has no digest before it", () => {
    const recorded = [at(0, { after: b, afterTime: 200 })];
    expect(plan([move(100, c)], { recorded }).movesWithEvents).toEqual([
      moveWithEvent(100, c, "", ""),
    ]);
  });

  test.each<[string, number, string, Partial<Recorded>]>([
    ["to the digest of its last record", 300, b, {}],
    ["at the time of its last record, with its digest", 200, b, {}],
    ["that is recorded", 100, a, { digest: a }],
    ["to the digest just before it", 100, a, { before: a, beforeTime: 50 }],
  ])("%s changes nothing", (_, time, digest, more) => {
    expect(plan([move(time, digest)], { recorded: [at(0, more)] })).toEqual({
      ...nothing,
      counts: [0, 0, 0, 1],
    });
  });

  test("to the digest of the next record replaces that record", () => {
    const recorded = [at(0, { before: a, beforeTime: 50, after: b, afterTime: 200 })];
    const { redundant, movesWithEvents: events } = plan([move(100, b)], { recorded });
    expect(redundant).toEqual([[repoUid, "t", 200]]);
    const removed = { ...moveWithEvent(200, "", "", ""), time: 200 };
    expect(events).toEqual([moveWithEvent(100, b, a, ""), removed]);
  });

  test("to the digest of the next record does not, if another move is between them", () => {
    const next = { after: b, afterTime: 200 };
    const recorded = [at(0, next), at(1, next)];
    const { redundant, moves } = plan([move(100, b), move(150, c)], { recorded });
    expect(redundant).toEqual([]);
    expect(moves.map(([, , time]) => time)).toEqual([100, 150]);
  });

  test("whose update time is later keeps that time", () => {
    const tags = [known({ updateTime: 500 })];
    expect(plan([move(300, c)], { tags }).changedTags).toEqual([[tagUid, "t", bare(c), 0, 500]]);
  });
});

describe("several moves", () => {
  test("apply in the order of their times, and know the digests before them", () => {
    expect(plan([move(500, a), move(300, c)])).toEqual({
      ...nothing,
      changedTags: [[tagUid, "t", bare(a), 0, 500]],
      moves: [
        [repoUid, "t", 300, bare(c), "r"],
        [repoUid, "t", 500, bare(a), "r"],
      ],
      movesWithEvents: [moveWithEvent(300, c, b, ""), moveWithEvent(500, a, c, tagUid)],
      counts: [0, 0, 2, 0],
    });
  });

  test("into the past know each other", () => {
    const recorded = [0, 1, 2].map((index) => at(index, { before: a, beforeTime: 50 }));
    const result = plan([move(100, c), move(110, c), move(120, a)], { recorded });
    expect(result.movesWithEvents).toEqual([
      moveWithEvent(100, c, a, ""),
      moveWithEvent(120, a, c, ""),
    ]);
    expect(result.counts).toEqual([0, 0, 2, 1]);
  });

  test("into the past count the records between them", () => {
    const recorded = [
      at(0, { after: b, afterTime: 110 }),
      at(1, { before: b, beforeTime: 110, after: c, afterTime: 200 }),
    ];
    const result = plan([move(100, c), move(150, a)], { recorded });
    expect(result.movesWithEvents).toEqual([
      moveWithEvent(100, c, "", ""),
      moveWithEvent(150, a, b, ""),
    ]);
  });

  test("at one time are unchanged if they agree", () => {
    expect(plan([move(300, c), move(300, c)]).counts).toEqual([0, 0, 1, 1]);
  });
});

describe("a new tag", () => {
  test("of a known repository has the times of its first and its last move", () => {
    const tags = [
      known({ tagUid: null, digest: null, updateTime: null, lastTime: null, lastDigest: null }),
    ];
    const result = plan([move(100, a), move(300, c)], { tags });
    const uid = result.changedTags[0]?.[0] ?? "";
    expect(uid).toMatch(new RegExp(`^${repoUid}/[0-9a-f]{16}$`));
    expect(result).toEqual({
      ...nothing,
      changedTags: [[uid, "t", bare(c), 100, 300]],
      moves: [
        [repoUid, "t", 100, bare(a), "r"],
        [repoUid, "t", 300, bare(c), "r"],
      ],
      movesWithEvents: [moveWithEvent(100, a, "", ""), moveWithEvent(300, c, a, uid)],
      counts: [0, 1, 2, 0],
    });
  });

  test("of a new repository creates that too, once, at its first move", () => {
    const result = plan([move(300, c, "t", "new"), move(100, a, "u", "new")]);
    const [[created = ""] = []] = result.createdRepos;
    expect(created).toMatch(new RegExp(`^${org}/[0-9a-f]{16}$`));
    expect(result.createdRepos).toEqual([[created, "new", 100]]);
    expect(result.moves).toEqual([
      [created, "u", 100, bare(a), "new"],
      [created, "t", 300, bare(c), "new"],
    ]);
    expect(result.changedTags.map(([uid, ...rest]) => [uid.slice(0, -17), ...rest])).toEqual([
      [created, "u", bare(a), 100, 100],
      [created, "t", bare(c), 300, 300],
    ]);
    expect(result.counts).toEqual([1, 2, 2, 0]);
  });

  test("whose history ends with a deletion follows an empty digest", () => {
    const tags = [known({ tagUid: null, digest: null, updateTime: null, lastDigest: "" })];
    expect(plan([move(300, c)], { tags }).movesWithEvents).toMatchObject([{ previousDigest: "" }]);
  });
});

describe("an import is refused", () => {
  test("with a move more than a minute ahead of the clock, and says which", () => {
    expect(plan([move(now + 60_000, c)]).counts).toEqual([0, 0, 1, 0]);
    expect(() => plan([move(300, a), move(now + 60_001, c)])).toThrow(
      "moves[1].update_time must not be in the future",
    );
  });

  test.each<[string, number, Partial<Recorded>]>([
    ["its last record", 200, {}],
    ["another record", 100, { digest: a }],
    ["a deletion", 100, { digest: "" }],
  ])("with a move that contradicts %s", (_, time, more) => {
    expect(() => plan([move(time, c)], { recorded: [at(0, more)] })).toThrow(
      "moves[0].digest contradicts the tag history, where r:t has another digest at that time",
    );
  });

  test("with moves that contradict each other", () => {
    expect(() => plan([move(300, a), move(300, c)])).toThrow("moves[1].digest contradicts");
  });
});
