/** Plans the changes of an import of tag moves from the current data about their tags. */
import { create } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  type ImportTagMovesResponse,
  ImportTagMovesResponseSchema,
  type TagMove,
} from "../../../schema/gen/platform/registry/v2/tag_moves_pb.js";
import { type FieldViolation, invalidArgument, invalidArguments } from "../../aip/errors.ts";
import { newUid } from "../../aip/uid_path.ts";

/** The current data about the moves' repositories and tags. Times are in milliseconds. */
export interface StoredMoves {
  repos: { uid: string; name: string }[];
  tags: {
    repo: string;
    repoUid: string;
    tag: string;
    tagUid: string | null;
    digest: string | null;
    updateTime: number | null;
    lastTime: number | null;
    lastDigest: string | null;
  }[];
  /**
   * For each move of a known repository: the digest recorded at exactly that time, and the records before and
   * after it.
   */
  recorded: {
    index: number;
    digest: string | null;
    before: string | null;
    beforeTime: number | null;
    after: string | null;
    afterTime: number | null;
  }[];
}

/** The rows to write. Digests have no `sha256:` prefix. */
export interface MovePlan {
  /** uid, name, time. */
  createdRepos: [string, string, number][];
  /** uid, name, digest, create time, update time. */
  changedTags: [string, string, string, number, number][];
  /** uid of the repository, tag, time, digest, name of the repository in the request. */
  moves: [string, string, number, string, string][];
  /**
   * uid of the repository, tag and time of each record to delete, because a move to its digest now comes
   * directly before it.
   */
  redundant: [string, string, number][];
  /** The moves and the deleted records, for the events. */
  movesWithEvents: MoveWithEvent[];
  response: ImportTagMovesResponse;
}

/** A recorded move as its event shows it, or a record that is deleted. */
export interface MoveWithEvent {
  repoUid: string;
  name: string;
  time: number;
  /** Empty for a record that is deleted. */
  digest: string;
  /** The digest before the move. Empty if there was none. */
  previousDigest: string;
  /** The uid of the tag that points to the digest since the import. Otherwise empty. */
  tagUid: string;
}

interface TagState {
  repoUid: string;
  repo: string;
  uid: string;
  name: string;
  isNew: boolean;
  changed: boolean;
  createTime: number;
  updateTime: number;
  digest: string;
  lastTime: number;
  lastDigest: string | undefined;
  /** The last move of this import. */
  applied?: { time: number; digest: string };
  /** The moves of this import that change the tag, oldest first. */
  moves: {
    time: number;
    digest: string;
    previousDigest: string;
    next: StoredMoves["recorded"][number] | undefined;
  }[];
}

/** The most repositories that one import creates. Each takes as many rows as fifty moves. */
const maxNewRepos = 2_000;

const withoutAlgorithm = (digest: string) => digest.slice("sha256:".length);

/**
 * Applies the moves in the order of their times. A move to the current digest changes nothing. A move that
 * history already contains is unchanged. A record is deleted if a move to the same digest now comes directly
 * before it. Throws INVALID_ARGUMENT for each `moves[i]` after `now` (milliseconds), and for each that
 * contradicts history: another digest of the same tag at the same millisecond.
 */
export function planMoves(
  parent: string,
  moves: TagMove[],
  stored: StoredMoves,
  now: number,
): MovePlan {
  const repos = new Map(stored.repos.map(({ name, uid }) => [name, uid]));
  const states = new Map(stored.tags.map((row) => [`${row.repo}\n${row.tag}`, stateOf(row)]));
  const recorded = new Map(stored.recorded.map((row) => [Number(row.index), row]));
  const planned: MovePlan = {
    createdRepos: [],
    changedTags: [],
    moves: [],
    redundant: [],
    movesWithEvents: [],
    response: create(ImportTagMovesResponseSchema),
  };
  const violations: FieldViolation[] = [];
  refuseFuture(moves, now);
  const order = moves.map((move, index) => ({
    move,
    index,
    time: move.updateTime ? timestampMs(move.updateTime) : 0,
  }));
  order.sort((a, b) => a.time - b.time || a.index - b.index);
  for (const { move, index, time } of order) {
    const repoUid = repos.get(move.repo) ?? newUid(parent);
    if (!repos.has(move.repo)) {
      repos.set(move.repo, repoUid);
      planned.createdRepos.push([repoUid, move.repo, time]);
    }
    const key = `${move.repo}\n${move.tag}`;
    const state = states.get(key) ?? newState(repoUid, move.repo, move.tag, time);
    states.set(key, state);
    const row = recorded.get(index);
    const previousDigest = digestBefore(state, time, row) ?? "";
    const verdict = applyMove(state, move, time, row);
    if (verdict !== "contradicted") state.applied = { time, digest: move.digest };
    if (verdict === "contradicted") violations.push(contradictionViolation(index, move));
    else if (verdict === "unchanged") planned.response.unchangedMoves += 1;
    else state.moves.push({ time, digest: move.digest, previousDigest, next: row });
  }
  if (violations.length > 0) throw invalidArguments(violations);
  if (planned.createdRepos.length > maxNewRepos) {
    const text = `moves create more than ${maxNewRepos} repositories; send fewer moves in one call`;
    throw invalidArgument("moves", text);
  }
  return finishPlan(planned, states);
}

/** The times of the records to delete. */
const redundantTimes = ({ moves }: TagState) =>
  moves.flatMap(({ digest, next }, index) => {
    if (next?.after !== digest || next.afterTime === null) return [];
    const following = moves[index + 1]?.time ?? Infinity;
    return following < next.afterTime ? [] : [next.afterTime];
  });

/** A clock can be slightly ahead of ours, but a move cannot be in the future. In milliseconds. */
const clockTolerance = 60_000;

function refuseFuture(moves: TagMove[], now: number): void {
  const violations = moves.flatMap(({ updateTime }, index): FieldViolation[] => {
    if (!updateTime || timestampMs(updateTime) <= now + clockTolerance) return [];
    const field = `moves[${index}].update_time`;
    return [{ field, description: `${field} must not be in the future` }];
  });
  if (violations.length > 0) throw invalidArguments(violations);
}

const contradictionViolation = (index: number, move: TagMove): FieldViolation => ({
  field: `moves[${index}].digest`,
  description: `moves[${index}].digest contradicts the tag history, where ${move.repo}:${move.tag} has another digest at that time`,
});

function stateOf(row: StoredMoves["tags"][number]): TagState {
  return {
    repoUid: row.repoUid,
    repo: row.repo,
    uid: row.tagUid ?? newUid(row.repoUid),
    name: row.tag,
    isNew: row.tagUid === null,
    changed: false,
    createTime: 0,
    updateTime: row.updateTime ?? 0,
    digest: row.digest ?? "",
    lastTime: row.lastTime ?? -Infinity,
    lastDigest: row.lastDigest ?? undefined,
    moves: [],
  };
}

const newState = (repoUid: string, repo: string, name: string, createTime: number): TagState => ({
  repoUid,
  repo,
  uid: newUid(repoUid),
  name,
  isNew: true,
  changed: false,
  createTime,
  updateTime: createTime,
  digest: "",
  lastTime: -Infinity,
  lastDigest: undefined,
  moves: [],
});

type MoveOutcome = "moved" | "unchanged" | "contradicted";

function applyMove(
  state: TagState,
  move: TagMove,
  time: number,
  row: StoredMoves["recorded"][number] | undefined,
): MoveOutcome {
  const { applied } = state;
  const atOnce = applied?.time === time ? applied.digest : undefined;
  // A recorded deletion has an empty digest, which every move at its time contradicts.
  const there = atOnce ?? row?.digest ?? (time === state.lastTime ? state.lastDigest : undefined);
  if (there !== undefined) return there === move.digest ? "unchanged" : "contradicted";
  if (time > state.lastTime) return applyLatestMove(state, move, time);
  return digestBefore(state, time, row) === move.digest ? "unchanged" : "moved";
}

/** The digest that the tag pointed to just before that time, after all moves before it. */
function digestBefore(
  { lastTime, lastDigest, applied }: TagState,
  time: number,
  row: StoredMoves["recorded"][number] | undefined,
): string | undefined {
  if (time > lastTime) return lastDigest;
  const sincePlayed = applied !== undefined && applied.time > (row?.beforeTime ?? -Infinity);
  return (sincePlayed ? applied.digest : row?.before) ?? undefined;
}

/** A move after every recorded one. The tag now points there. */
function applyLatestMove(state: TagState, { digest }: TagMove, time: number): MoveOutcome {
  if (state.lastDigest === digest) return "unchanged";
  if (state.isNew && !state.changed) state.createTime = time;
  Object.assign(state, { changed: true, digest, lastTime: time, lastDigest: digest });
  state.updateTime = Math.max(state.updateTime, time);
  return "moved";
}

function finishPlan(planned: MovePlan, states: Map<string, TagState>): MovePlan {
  for (const state of states.values()) {
    const { repoUid, repo, name, uid, changed } = state;
    const none = { digest: "", previousDigest: "", tagUid: "" };
    for (const { time, digest, previousDigest } of state.moves) {
      planned.moves.push([repoUid, name, time, withoutAlgorithm(digest), repo]);
      const tagUid = changed && time === state.lastTime ? uid : "";
      planned.movesWithEvents.push({ repoUid, name, time, digest, previousDigest, tagUid });
    }
    for (const time of redundantTimes(state)) {
      planned.redundant.push([repoUid, name, time]);
      planned.movesWithEvents.push({ repoUid, name, time, ...none });
    }
    if (!changed) continue;
    const { digest, createTime, updateTime } = state;
    planned.changedTags.push([uid, name, withoutAlgorithm(digest), createTime, updateTime]);
    if (state.isNew) planned.response.createdTags += 1;
  }
  planned.response.createdRepos = planned.createdRepos.length;
  planned.response.recordedMoves = planned.moves.length;
  return planned;
}
