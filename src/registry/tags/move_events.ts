/** The events of an import of tag moves, besides the event of the import itself. */
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { MovedTagsSchema } from "../../../schema/gen/platform/events/v2/occurrences_pb.js";
import { RepoSchema, ReposService } from "../../../schema/gen/platform/registry/v2/repos_pb.js";
import { chunksOf } from "../../aip/chunks.ts";
import { rootOf } from "../../aip/uid_path.ts";
import type { Call } from "../../auth/call.ts";
import type { Caller } from "../../auth/grants.ts";
import { insertCompleteEvents, insertEvents, sourcePath } from "../../outbox/outbox.ts";
import type { MovePlan, MoveWithEvent } from "./move_plan.ts";

/** The most moves in one event. */
const maxMoves = 100;

/** The moves of each event: all are of one repository, in the order of their times. */
function batchesOf(movesWithEvents: MoveWithEvent[]): MoveWithEvent[][] {
  const ofRepos = Map.groupBy(movesWithEvents, ({ repoUid }) => repoUid);
  return [...ofRepos.values()].flatMap((moves) => {
    const sorted = moves.toSorted((a, b) => a.time - b.time);
    return chunksOf(sorted, maxMoves);
  });
}

const bodyOf = (repoUid: string, moves: MoveWithEvent[]) => ({
  desc: MovedTagsSchema,
  message: {
    repoUid,
    moves: moves.map(({ name, digest, previousDigest, tagUid, time }) => ({
      name,
      digest,
      previousDigest,
      tagUid,
      updateTime: timestampFromMs(time),
    })),
  },
});

/** The statements that write the events of the created repositories and of all moves. */
export function insertMoveEvents(
  call: Call,
  caller: Caller,
  parent: string,
  { createdRepos, movesWithEvents }: MovePlan,
) {
  const created = createdRepos.map(([uid, name, time]) => {
    const timestamp = timestampFromMs(time);
    const message = { uid, name, createTime: timestamp, updateTime: timestamp };
    return {
      subject: uid,
      group: parent,
      image: { repo: uid },
      body: { desc: RepoSchema, message },
    };
  });
  const moved = batchesOf(movesWithEvents).map((moves) => {
    const [{ repoUid } = { repoUid: "" }] = moves;
    return {
      type: "api.platform.registry.tag.moved.batch.v1",
      path: sourcePath(call.method),
      audience: "customer" as const,
      actor: caller,
      subject: repoUid,
      group: rootOf(parent),
      image: { repo: repoUid },
      body: bodyOf(repoUid, moves),
    };
  });
  return [
    ...insertEvents(call, caller, ReposService.method.createRepo, created),
    ...insertCompleteEvents(call, moved),
  ];
}
