import { timestampMs } from "@bufbuild/protobuf/wkt";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { TagMoveMethod } from "../../../schema/gen/platform/registry/history/v2/tag_history_pb.js";
import {
  ImportTagMovesResponseSchema,
  type TagMove,
  TagMovesService,
} from "../../../schema/gen/platform/registry/v2/tag_moves_pb.js";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { tagMoves } from "../../../schema/tables/registry/tag_moves.ts";
import { isInRepo, tags } from "../../../schema/tables/registry/tags.ts";
import { chunksOf } from "../../aip/chunks.ts";
import { insertFrom } from "../../aip/insert_from.ts";
import { StaleError } from "../../aip/stale.ts";
import type { Call } from "../../auth/call.ts";
import type { Caller } from "../../auth/grants.ts";
import { commit, onlyIf } from "../../outbox/commit.ts";
import { insertEvent } from "../../outbox/outbox.ts";
import { tagLineOf } from "../../packages/tag_lines.ts";
import { find, parentGroup } from "../../resource/find.ts";
import { service } from "../../rpc/service.ts";
import { insertMoveEvents } from "./move_events.ts";
import { type MovePlan, planMoves, type StoredMoves } from "./move_plan.ts";
import { moverOf } from "./tags.ts";

/** The rows of one JSON parameter. D1 accepts texts of at most 2 MB. */
const chunkSize = 4000;

/** Rows of tags are longer, because they contain their lines. */
const tagChunkSize = 2500;

const chunkRows = <T>(rows: T[]) => chunksOf(rows, chunkSize);

/** The existing repositories of the moves. */
const selectRepos = (call: Call, parent: string, moves: TagMove[]) =>
  call.db
    .select({ uid: repos.uid, name: repos.name })
    .from(repos)
    .where(
      and(
        eq(repos.parent, parent),
        sql`${repos.name} in (select value from json_each(${JSON.stringify([...new Set(moves.map((one) => one.repo))])}))`,
      ),
    );

/** The tags of the moves: their current digests, and their last recorded moves. */
function selectTags(call: Call, parent: string, pairs: [string, string][]) {
  const last = sql`select max(${tagMoves.updateTime}) from ${tagMoves} where ${tagMoves.repoUid} = ${repos.uid} and ${tagMoves.tag} = pair.value ->> 1`;
  return (
    call.db
      .select({
        repo: repos.name,
        repoUid: repos.uid,
        tag: sql<string>`pair.value ->> 1`,
        // Aliases, because D1 returns the rows of a batch by column name.
        tagUid: sql<string | null>`${tags.uid}`.as("tag_uid"),
        digest: tags.digest,
        updateTime: tags.updateTime,
        lastTime: sql<number | null>`${tagMoves.updateTime}`.as("last_time"),
        lastDigest: sql<string | null>`${tagMoves.digest}`.as("last_digest"),
      })
      .from(sql`json_each(${JSON.stringify(pairs)}) as pair`)
      // In this order, because SQLite would otherwise read every repository of the group for each pair.
      .crossJoin(repos)
      .leftJoin(tags, and(isInRepo(repos.uid), sql`${tags.name} = pair.value ->> 1`))
      .leftJoin(
        tagMoves,
        and(
          eq(tagMoves.repoUid, repos.uid),
          sql`${tagMoves.tag} = pair.value ->> 1`,
          sql`${tagMoves.updateTime} = (${last})`,
        ),
      )
      .where(and(eq(repos.parent, parent), sql`${repos.name} = pair.value ->> 0`))
  );
}

/** For the moves: the record at exactly their time, and the records before and after it. */
function selectRecorded(call: Call, parent: string, rows: [number, string, string, number][]) {
  const earlier = alias(tagMoves, "earlier");
  const later = alias(tagMoves, "later");
  const ofTag = sql`from ${tagMoves} as m where m.repo_uid = ${repos.uid} and m.tag = move.value ->> 2`;
  const before = sql`select max(m.update_time) ${ofTag} and m.update_time < move.value ->> 3`;
  const after = sql`select min(m.update_time) ${ofTag} and m.update_time > move.value ->> 3`;
  return (
    call.db
      .select({
        index: sql<number>`move.value ->> 0`,
        digest: tagMoves.digest,
        before: sql<string | null>`${earlier.digest}`.as("before"),
        beforeTime: sql<number | null>`${earlier.updateTime}`.as("before_time"),
        after: sql<string | null>`${later.digest}`.as("after"),
        afterTime: sql<number | null>`${later.updateTime}`.as("after_time"),
      })
      .from(sql`json_each(${JSON.stringify(rows)}) as move`)
      // In this order, for the same reason.
      .crossJoin(repos)
      .leftJoin(
        tagMoves,
        and(
          eq(tagMoves.repoUid, repos.uid),
          sql`${tagMoves.tag} = move.value ->> 2`,
          sql`${tagMoves.updateTime} = move.value ->> 3`,
        ),
      )
      .leftJoin(
        earlier,
        and(
          eq(earlier.repoUid, repos.uid),
          sql`${earlier.tag} = move.value ->> 2`,
          sql`${earlier.updateTime} = (${before})`,
        ),
      )
      .leftJoin(
        later,
        and(
          eq(later.repoUid, repos.uid),
          sql`${later.tag} = move.value ->> 2`,
          sql`${later.updateTime} = (${after})`,
        ),
      )
      .where(and(eq(repos.parent, parent), sql`${repos.name} = move.value ->> 1`))
  );
}

async function readStoredMoves(call: Call, parent: string, moves: TagMove[]) {
  const pairs = [
    ...new Map(
      moves.map(({ repo, tag }) => [`${repo}\n${tag}`, [repo, tag] as [string, string]]),
    ).values(),
  ];
  const times = moves.map((move, index): [number, string, string, number] => [
    index,
    move.repo,
    move.tag,
    move.updateTime ? timestampMs(move.updateTime) : 0,
  ]);
  const ofTags = chunkRows(pairs).map((chunk) => selectTags(call, parent, chunk));
  const ofMoves = chunkRows(times).map((chunk) => selectRecorded(call, parent, chunk));
  const { caller, also } = await find(call, parentGroup, parent, {
    also: [selectRepos(call, parent, moves), ...ofTags, ...ofMoves],
  });
  const [foundRepos, ...rest] = also;
  const stored: StoredMoves = {
    repos: foundRepos,
    tags: rest.slice(0, ofTags.length).flat() as StoredMoves["tags"],
    recorded: rest.slice(ofTags.length).flat() as StoredMoves["recorded"],
  };
  return { caller, known: stored };
}

/** The statements that abort the batch unless all data of the plan is still as it was read. */
function guardsOf(call: Call, moves: TagMove[], stored: StoredMoves) {
  const state = ({ tagUid, updateTime }: StoredMoves["tags"][number]) =>
    tagUid === null ? null : `${tagUid}@${updateTime}`;
  const lasts = new Map(stored.tags.map((row) => [`${row.repo}\n${row.tag}`, row]));
  const ofTags = stored.tags.map((row) => [row.repoUid, row.tag, state(row), row.lastTime]);
  const past = stored.recorded.flatMap((row) => {
    const move = moves[Number(row.index)];
    const tag = move && lasts.get(`${move.repo}\n${move.tag}`);
    const time = move?.updateTime ? timestampMs(move.updateTime) : 0;
    // A later move depends only on the last record.
    if (!tag || time > (tag.lastTime ?? -1)) return [];
    return [[tag.repoUid, tag.tag, time, row.beforeTime, row.afterTime, row.digest ? 1 : 0]];
  });
  const at = (index: number) => sql`"read"."value" ->> ${sql.raw(String(index))}`;
  const recorded = (which: string) =>
    sql`(select ${sql.raw(which)} from ${tagMoves} where repo_uid = ${at(0)} and tag = ${at(1)}`;
  const tag = sql`(select uid || '@' || update_time from ${tags} where ${isInRepo(at(0))} and name = ${at(1)})`;
  const isOther = sql`not exists (select 1 from ${repos} where uid = ${at(0)})
    or ${tag} is not ${at(2)} or ${recorded("max(update_time)")}) is not ${at(3)}`;
  const isElsewhere = sql`${recorded("max(update_time)")} and update_time < ${at(2)}) is not ${at(3)}
    or ${recorded("min(update_time)")} and update_time > ${at(2)}) is not ${at(4)}
    or ${recorded("count(*)")} and update_time = ${at(2)}) is not ${at(5)}`;
  const none = (rows: unknown[][], condition: SQL) =>
    chunkRows(rows).map((chunk) =>
      onlyIf(
        call.db,
        sql`not exists (select 1 from json_each(${JSON.stringify(chunk)}) as "read" where ${condition})`,
      ),
    );
  return [...none(ofTags, isOther), ...none(past, isElsewhere)];
}

/** The statements of a plan. There are only a few, whatever the number of moves. */
function statementsOf(
  call: Call,
  caller: Caller,
  { createdRepos, changedTags, moves, redundant }: MovePlan,
) {
  const { db } = call;
  const each = (rows: unknown[]) => sql`json_each(${JSON.stringify(rows)})`;
  const at = (index: number) => sql`value ->> ${sql.raw(String(index))}`;
  const digest = (index: number) => sql`'sha256:' || (${at(index)})`;
  const insertRepos = chunkRows(createdRepos).map((chunk) =>
    insertFrom(
      db,
      repos,
      { uid: at(0), name: at(1), createTime: at(2), updateTime: at(2) },
      sql`from ${each(chunk)}`,
    ),
  );
  const withLines = changedTags.map((row) => {
    const { line, lineKey } = tagLineOf(row[1]);
    return [...row, line, lineKey];
  });
  const ofLine = { line: at(5), lineKey: at(6) };
  const upsertTags = chunksOf(withLines, tagChunkSize).map((chunk) =>
    insertFrom(
      db,
      tags,
      {
        uid: at(0),
        name: at(1),
        digest: digest(2),
        createTime: at(3),
        updateTime: at(4),
        ...ofLine,
      },
      sql`from ${each(chunk)} where true`,
    ).onConflictDoUpdate({
      target: tags.uid,
      set: {
        digest: sql`excluded.digest`,
        updateTime: sql`max(${tags.updateTime} + 1, excluded.update_time)`,
      },
    }),
  );
  const of = { tag: at(1), updateTime: at(2) };
  const mover = moverOf(caller, TagMoveMethod.IMPORT);
  const insertMoves = chunkRows(moves).map((chunk) =>
    insertFrom(
      db,
      tagMoves,
      { repoUid: at(0), repo: at(4), ...of, digest: digest(3), ...mover },
      sql`from ${each(chunk)} where true`,
    ),
  );
  const deleteRedundant = chunkRows(redundant).map((chunk) =>
    db.delete(tagMoves).where(
      sql`(${tagMoves.repoUid}, ${tagMoves.tag}, ${tagMoves.updateTime}) in (
          select ${at(0)}, ${at(1)}, ${at(2)} from ${each(chunk)})`,
    ),
  );
  return [...insertRepos, ...upsertTags, ...insertMoves, ...deleteRedundant];
}

export const tagMovesService = service(TagMovesService, {
  async importTagMoves({ parent, moves }, call) {
    const { caller, known: stored } = await readStoredMoves(call, parent, moves);
    const planned = planMoves(parent, moves, stored, call.now);
    const message = planned.response;
    if (planned.moves.length === 0) return message;
    const body = { desc: ImportTagMovesResponseSchema, message };
    const event = insertEvent(call, caller, { subject: parent, group: parent, body });
    const statements = [
      ...guardsOf(call, moves, stored),
      ...statementsOf(call, caller, planned),
      ...insertMoveEvents(call, caller, parent, planned),
    ];
    await commit(call, [event, ...statements], () => new StaleError());
    return message;
  },
});
