import { timestampMs } from "@bufbuild/protobuf/wkt";
import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { TagMoveMethod } from "../../../schema/gen/platform/registry/history/v2/tag_history_pb.js";
import {
  ImportTagMovesResponseSchema,
  type TagMove,
  TagMovesService,
} from "../../../schema/gen/platform/registry/v2/tag_moves_pb.js";
import { rootKeySql } from "../../../schema/tables/list_indexes.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { tagNames, tagRecords, tagRepos } from "../../../schema/tables/registry/tag_records.ts";
import { tagRules } from "../../../schema/tables/registry/tag_rules.ts";
import { isInRepo, tags } from "../../../schema/tables/registry/tags.ts";
import { tagMoves } from "../../../schema/views/tag_moves.ts";
import { valuesSubselect } from "../../aip/any_of.ts";
import { chunksOf } from "../../aip/chunks.ts";
import { insertFrom } from "../../aip/insert_from.ts";
import { StaleError } from "../../aip/stale.ts";
import { parentOf } from "../../aip/uid_path.ts";
import type { Call } from "../../auth/call.ts";
import type { Caller } from "../../auth/grants.ts";
import { commit, onlyIf } from "../../outbox/commit.ts";
import { insertEvent } from "../../outbox/outbox.ts";
import { tagLineOf } from "../../packages/tag_lines.ts";
import { find, parentGroup } from "../../resource/find.ts";
import { service } from "../../rpc/service.ts";
import {
  type ImportedChange,
  type ImportedMove,
  type Permit,
  permitImport,
} from "../tag_rules/permits.ts";
import { isAboutRepo, selectRulesWhere } from "../tag_rules/stored_rules.ts";
import { insertMoveEvents } from "./move_events.ts";
import { type MovePlan, planMoves, type StoredMoves } from "./move_plan.ts";
import { moverOf } from "./tag_writes.ts";

/** The rows of one JSON parameter. D1 accepts texts of at most 2 MB. */
const chunkSize = 4000;

/** Rows of tags are longer, because they contain their lines. */
const tagChunkSize = 2500;

const chunkRows = <T>(rows: T[]) => chunksOf(rows, chunkSize);

const each = (rows: unknown[]) => sql`json_each(${JSON.stringify(rows)})`;

/** The existing repositories of the moves. */
const selectRepos = (call: Call, parent: string, moves: TagMove[]) =>
  call.db
    .select({ uid: repos.uid, name: repos.name })
    .from(repos)
    .where(
      and(
        eq(repos.parent, parent),
        inArray(repos.name, valuesSubselect([...new Set(moves.map((move) => move.repo))])),
      ),
    );

/**
 * SQL: the time and the digest of a record of a tag, as JSON. One subquery, because SQLite does not look up a record of
 * the view behind an outer join.
 */
const record = (tag: SQL, rest: SQL) =>
  sql<string | null>`(select json_array(m.update_time, m.digest) from ${tagMoves} as m
    where m.repo_uid = ${repos.uid} and m.tag = ${tag} ${rest} limit 1)`;

/** The result of {@link record}. */
const readRecord = (json: string | null) =>
  json === null ? [null, null] : (JSON.parse(json) as [number, string]);

/** The tags of the moves: their current digests, and their last recorded moves. */
function selectTags(call: Call, parent: string, pairs: [string, string][]) {
  const name = sql`pair.value ->> 1`;
  return (
    call.db
      .select({
        repo: repos.name,
        repoUid: repos.uid,
        tag: sql<string>`${name}`,
        // Aliases, because D1 returns the rows of a batch by column name.
        tagUid: sql<string | null>`${tags.uid}`.as("tag_uid"),
        digest: tags.digest,
        updateTime: tags.updateTime,
        last: record(name, sql`order by m.update_time desc`).as("last"),
      })
      .from(sql`${each(pairs)} as pair`)
      // In this order, because SQLite would otherwise read every repository of the group for each pair.
      .crossJoin(repos)
      .leftJoin(tags, and(isInRepo(repos.uid), sql`${tags.name} = pair.value ->> 1`))
      .where(and(eq(repos.parent, parent), sql`${repos.name} = pair.value ->> 0`))
  );
}

/** For the moves: the record at exactly their time, and the records before and after it. */
function selectRecorded(call: Call, parent: string, rows: [number, string, string, number][]) {
  const [tag, time] = [sql`move.value ->> 2`, sql`move.value ->> 3`];
  return (
    call.db
      .select({
        index: sql<number>`move.value ->> 0`,
        same: record(tag, sql`and m.update_time = ${time}`).as("same"),
        before: record(tag, sql`and m.update_time < ${time} order by m.update_time desc`).as(
          "before",
        ),
        after: record(tag, sql`and m.update_time > ${time} order by m.update_time`).as("after"),
      })
      .from(sql`${each(rows)} as move`)
      // In this order, for the same reason.
      .crossJoin(repos)
      .where(and(eq(repos.parent, parent), sql`${repos.name} = move.value ->> 1`))
  );
}

type FoundTag = Awaited<ReturnType<typeof selectTags>>[number];
type FoundRecords = Awaited<ReturnType<typeof selectRecorded>>[number];

function toStoredTag({ last, ...tag }: FoundTag): StoredMoves["tags"][number] {
  const [lastTime, lastDigest] = readRecord(last);
  return { ...tag, lastTime, lastDigest };
}

function toRecorded({ index, ...records }: FoundRecords): StoredMoves["recorded"][number] {
  const [, digest] = readRecord(records.same);
  const [beforeTime, before] = readRecord(records.before);
  const [afterTime, after] = readRecord(records.after);
  return { index, digest, before, beforeTime, after, afterTime };
}

/** The condition that a rule is about a repository of the group with one of the names. */
const isAboutMoves = (parent: string, names: string[]) =>
  // An organization without rules reads no repository.
  sql`${tagRules.key0} = ${rootKeySql(parent)} and (${isAboutRepo(parent)}
    or ${tagRules.parent} in (select ${repos.uid} from ${repos}
      where ${repos.parent} = ${parent} and ${repos.name} in ${valuesSubselect(names)}))`;

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
  const condition = isAboutMoves(parent, [...new Set(moves.map(({ repo }) => repo))]);
  const { caller, extraReads } = await find(call, parentGroup, parent, {
    extraReads: [
      selectRepos(call, parent, moves),
      selectRulesWhere(call.db, parent, condition),
      ...ofTags,
      ...ofMoves,
    ],
  });
  const [repoRows, rules, ...rest] = extraReads;
  const stored: StoredMoves = {
    repos: repoRows,
    tags: (rest.slice(0, ofTags.length).flat() as FoundTag[]).map(toStoredTag),
    recorded: (rest.slice(ofTags.length).flat() as FoundRecords[]).map(toRecorded),
  };
  return { caller, known: stored, ruled: { rules, condition } };
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
  const readValue = (index: number) => sql`"read"."value" ->> ${sql.raw(String(index))}`;
  const recorded = (which: string) =>
    sql`(select ${sql.raw(which)} from ${tagMoves} where repo_uid = ${readValue(0)} and tag = ${readValue(1)}`;
  const tag = sql`(select uid || '@' || update_time from ${tags} where ${isInRepo(readValue(0))} and name = ${readValue(1)})`;
  const isOther = sql`not exists (select 1 from ${repos} where uid = ${readValue(0)})
    or ${tag} is not ${readValue(2)} or ${recorded("max(update_time)")}) is not ${readValue(3)}`;
  const isElsewhere = sql`${recorded("max(update_time)")} and update_time < ${readValue(2)}) is not ${readValue(3)}
    or ${recorded("min(update_time)")} and update_time > ${readValue(2)}) is not ${readValue(4)}
    or ${recorded("count(*)")} and update_time = ${readValue(2)}) is not ${readValue(5)}`;
  const none = (rows: unknown[][], condition: SQL) =>
    chunkRows(rows).map((chunk) =>
      onlyIf(call.db, sql`not exists (select 1 from ${each(chunk)} as "read" where ${condition})`),
    );
  return [...none(ofTags, isOther), ...none(past, isElsewhere)];
}

const valueAt = (index: number) => sql`value ->> ${sql.raw(String(index))}`;
const digestAt = (index: number) => sql`'sha256:' || (${valueAt(index)})`;

/** The tags that the plan changes: where each points now, and where it will point. */
function changesOf({ changedTags, createdRepos }: MovePlan, stored: StoredMoves): ImportedChange[] {
  const names = new Map([
    ...stored.repos.map(({ uid, name }): [string, string] => [uid, name]),
    ...createdRepos.map(([uid, name]): [string, string] => [uid, name]),
  ]);
  const digests = new Map(stored.tags.map(({ tagUid, digest }) => [tagUid, digest]));
  return changedTags.map(([uid, tag, digest]) => {
    const repoUid = parentOf(uid);
    const from = digests.get(uid) ?? "";
    return { repoUid, repo: names.get(repoUid) ?? "", tag, from, to: `sha256:${digest}` };
  });
}

/** The moves that go into the history. */
const movesOf = ({ moves }: MovePlan): ImportedMove[] =>
  moves.map(([repoUid, tag, time, digest, repo]) => ({
    ...{ repoUid, repo, tag, time },
    digest: `sha256:${digest}`,
  }));

/** The statements of a plan. There are only a few, whatever the number of moves. */
function statementsOf(
  { db }: Call,
  caller: Caller,
  { createdRepos, changedTags, moves, redundant }: MovePlan,
  permit: Permit,
) {
  const insertRepos = chunkRows(createdRepos).map((chunk) =>
    insertFrom(
      db,
      repos,
      { uid: valueAt(0), name: valueAt(1), createTime: valueAt(2), updateTime: valueAt(2) },
      sql`from ${each(chunk)}`,
    ),
  );
  const of = { tag: valueAt(1), updateTime: valueAt(2) };
  const mover = moverOf(caller, TagMoveMethod.IMPORT);
  const insertMoves = chunkRows(moves).map((chunk) =>
    insertFrom(
      db,
      tagMoves,
      { repoUid: valueAt(0), repo: valueAt(4), ...of, digest: digestAt(3), ...mover },
      sql`from ${each(chunk)} where true`,
    ),
  );
  const deleteRedundant = chunkRows(redundant).map((chunk) =>
    db.delete(tagRecords).where(
      sql`(${tagRecords.tag}, ${tagRecords.updateTime}) in (select ${tagNames.id}, ${valueAt(2)} from ${each(chunk)}
        cross join ${tagRepos} on ${tagRepos.repoUid} = ${valueAt(0)}
        cross join ${tagNames} on ${tagNames.repo} = ${tagRepos.id} and ${tagNames.tag} = ${valueAt(1)})`,
    ),
  );
  return [
    ...insertRepos,
    ...upsertTags(db, changedTags, permit),
    ...insertMoves,
    ...deleteRedundant,
  ];
}

/** Creates the tags of a plan, or moves them, as the permit of its batch allows. */
function upsertTags(db: Call["db"], changedTags: MovePlan["changedTags"], _: Permit) {
  const withLines = changedTags.map((row) => {
    const { line, lineKey } = tagLineOf(row[1]);
    return [...row, line, lineKey];
  });
  const columns = {
    uid: valueAt(0),
    name: valueAt(1),
    digest: digestAt(2),
    createTime: valueAt(3),
    updateTime: valueAt(4),
    line: valueAt(5),
    lineKey: valueAt(6),
  };
  return chunksOf(withLines, tagChunkSize).map((chunk) =>
    insertFrom(db, tags, columns, sql`from ${each(chunk)} where true`).onConflictDoUpdate({
      target: [tags.parentKey, tags.name],
      set: {
        digest: sql`excluded.digest`,
        updateTime: sql`max(${tags.updateTime} + 1, excluded.update_time)`,
      },
    }),
  );
}

export const tagMovesService = service(TagMovesService, {
  async importTagMoves({ parent, moves }, call) {
    const { caller, known: stored, ruled } = await readStoredMoves(call, parent, moves);
    const planned = planMoves(parent, moves, stored, call.now);
    const message = planned.response;
    if (planned.moves.length === 0) return message;
    const changes = changesOf(planned, stored);
    const permit = await permitImport(call, caller, ruled, changes, movesOf(planned));
    const body = { desc: ImportTagMovesResponseSchema, message };
    const event = insertEvent(call, caller, { subject: parent, group: parent, body });
    const statements = [
      ...permit.before,
      ...guardsOf(call, moves, stored),
      ...statementsOf(call, caller, planned, permit),
      ...insertMoveEvents(call, caller, parent, planned),
    ];
    await commit(call, [event, ...statements], () => new StaleError());
    return message;
  },
});
