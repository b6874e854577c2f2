/** The earlier digests of a tag, and the one to which it moves back. */
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { and, desc, eq, lte, type SQL, sql } from "drizzle-orm";
import type { RollbackTagRequest } from "../../../schema/gen/platform/registry/v2/tags_pb.js";
import { hasUid } from "../../../schema/tables/list_indexes.ts";
import { manifests } from "../../../schema/tables/registry/manifests.ts";
import { tags } from "../../../schema/tables/registry/tags.ts";
import { tagMoves } from "../../../schema/views/tag_moves.ts";
import { failedPrecondition, invalidArgument } from "../../aip/errors.ts";
import { parentOf } from "../../aip/uid_path.ts";
import type { Database } from "../../auth/call.ts";

/** The newest moves of a tag that a rollback looks at. */
const maxMoves = 500;

/** The earlier digests that an error names. */
const maxNamed = 5;

/** SQL: whether the repository has the manifest of a digest. */
export const hasManifest = (repo: string, digest: string | SQL): SQL<number> =>
  sql`exists (select 1 from ${manifests} where ${manifests.parent} = ${repo} and ${manifests.digest} = ${digest})`;

/** A move of a tag. The digest is empty if the tag was deleted. */
interface Move {
  updateTime: number;
  digest: string;
  /** Whether the repository has the manifest: 1 or 0. */
  isThere: number;
}

/** The statement that reads moves of a tag, the newest first. */
function selectMoves(db: Database, uid: string, count: number, condition?: SQL) {
  const repo = parentOf(uid);
  const name = sql`(select ${tags.name} from ${tags} where ${hasUid(tags, uid)} limit 1)`;
  return db
    .select({
      updateTime: tagMoves.updateTime,
      digest: tagMoves.digest,
      isThere: hasManifest(repo, sql`${tagMoves.digest}`).as("is_there"),
    })
    .from(tagMoves)
    .where(and(eq(tagMoves.repoUid, repo), eq(tagMoves.tag, name), condition))
    .orderBy(desc(tagMoves.updateTime))
    .limit(count);
}

/** The statements that read the newest moves of a tag, and the one that was current at the time of the request. */
export const selectHistory = (db: Database, { uid, target }: RollbackTagRequest) =>
  [
    selectMoves(db, uid, maxMoves),
    target.case === "time"
      ? selectMoves(db, uid, 1, lte(tagMoves.updateTime, timestampMs(target.value)))
      : selectMoves(db, uid, 0),
  ] as const;

/**
 * The digest to which the tag moves. `moves` are the newest ones, and `atTime` the one at the time of the request. Throws
 * INVALID_ARGUMENT for a request by moves that does not say where they begin. Throws FAILED_PRECONDITION if the tag has
 * moved since, if there is no such digest, or if its manifest is gone.
 */
export function rollbackDigest(
  { target, currentDigest }: RollbackTagRequest,
  current: string,
  moves: Move[],
  atTime: Move | undefined,
): string {
  requireCurrent(target, currentDigest, current);
  const pointed = moves
    .filter(({ digest }) => digest !== "")
    .filter(({ digest }, at, all) => digest !== all[at - 1]?.digest);
  const earlier = pointed[0]?.digest === current ? pointed.slice(1) : pointed;
  if (target.case === "digest" && target.value === current) return current;
  const move = targetMove(target, earlier, atTime);
  if (move.digest === current || move.isThere) return move.digest;
  throw failedPrecondition("DIGEST_GONE", goneText(move.digest, current, earlier), move.digest);
}

/** Of two requests that go back by one move, the second must not return to where the first one came from. */
function requireCurrent(
  target: RollbackTagRequest["target"],
  asked: string,
  current: string,
): void {
  const isByMoves = target.case === undefined || target.case === "steps";
  if (asked === "" && isByMoves)
    throw invalidArgument("current_digest", "current_digest is required to go back by moves");
  if (asked !== "" && asked !== current)
    throw failedPrecondition("TAG_MOVED", `the tag points to ${current || "nothing"} now`, current);
}

function targetMove(
  target: RollbackTagRequest["target"],
  earlier: Move[],
  atTime: Move | undefined,
): Move {
  if (target.case === "time") {
    if (atTime && atTime.digest !== "") return atTime;
    const time = new Date(timestampMs(target.value)).toISOString();
    throw failedPrecondition("NO_SUCH_MOVE", `the tag did not exist at ${time}`);
  }
  if (target.case === "digest") {
    const move = earlier.find(({ digest }) => digest === target.value);
    if (move) return move;
    const text = `none of the newest ${maxMoves} moves of the tag led to ${target.value}`;
    throw failedPrecondition("NO_SUCH_MOVE", text, target.value);
  }
  const steps = target.value ?? 1;
  const move = earlier[steps - 1];
  if (move) return move;
  const known =
    earlier.length === 0 ? "no earlier digest" : `only ${earlier.length} earlier digests`;
  throw failedPrecondition("NO_SUCH_MOVE", `the tag has ${known}`);
}

function goneText(digest: string, current: string, earlier: Move[]): string {
  const there = earlier.filter((move) => move.isThere && move.digest !== current);
  const named = [...new Set(there.map((move) => move.digest))].slice(0, maxNamed);
  const rest =
    named.length === 0
      ? "and none of the earlier digests of the tag"
      : `but these earlier ones, the newest first: ${named.join(", ")}`;
  return `the repository no longer has ${digest}, ${rest}`;
}
