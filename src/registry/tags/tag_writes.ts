import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import { TagMoveMethod } from "../../../schema/gen/platform/registry/history/v2/tag_history_pb.js";
import { type Tag, TagsService } from "../../../schema/gen/platform/registry/v2/tags_pb.js";
import { deletions } from "../../../schema/tables/platform/deletions.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { tags } from "../../../schema/tables/registry/tags.ts";
import { tagMoves } from "../../../schema/views/tag_moves.ts";
import { insertFrom } from "../../aip/insert_from.ts";
import { updateAsRead } from "../../aip/stale.ts";
import { newUid, parentOf } from "../../aip/uid_path.ts";
import type { Call, EventDraft } from "../../auth/call.ts";
import type { Caller } from "../../auth/grants.ts";
import { nextTime, onlyIf, onlyIfChanged, type Statement } from "../../outbox/commit.ts";
import { insertEvent } from "../../outbox/outbox.ts";
import { creation, newMessage } from "../../resource/create.ts";
import { eventAbout, eventOf } from "../../resource/event.ts";
import { updatedRow } from "../../resource/stored_row.ts";
import { changedColumns } from "../../resource/update.ts";
import type { Permit } from "../tag_rules/permits.ts";
import { type TagRow, tag, toTag } from "./tag_rows.ts";

/**
 * The columns of a deprecation if it changes. SQLite writes every index with a column that a statement names, even
 * if the value stays the same.
 */
export const changedDeprecation = (deprecated: boolean, updateTime: number, before: TagRow) =>
  deprecated === before.deprecated
    ? {}
    : { deprecated, deprecatedTime: deprecated ? updateTime : 0 };

/** The event of a tag that existed before. It says where the tag pointed then. */
export function tagEvent(message: Tag, before: TagRow): EventDraft {
  const event = eventOf(tag, message.uid, message);
  const image = { repo: before.parent, ...event.image, previousDigest: before.digest };
  return { ...event, image };
}

/** The newest record in the history of a tag. */
export const selectLastMove = ({ db }: Pick<Call, "db">, repo: string | SQL, name: string) =>
  db
    .select({ updateTime: tagMoves.updateTime, digest: tagMoves.digest })
    .from(tagMoves)
    .where(and(eq(tagMoves.repoUid, repo), eq(tagMoves.tag, name)))
    .orderBy(desc(tagMoves.updateTime))
    .limit(1);

/** The result of {@link selectLastMove}. */
type LastMove = { updateTime: number; digest: string };

/**
 * The statements that record the current digest of a tag. They write a record if the digest differs from the
 * newest one in history, and none if the tag points nowhere. They abort the whole batch if that history has
 * grown since `last` was read, or if the rules of the permit have changed.
 */
export function moveStatements(
  call: Call,
  caller: Caller,
  { uid, name, digest, updateTime }: Tag,
  last: LastMove | undefined,
  permit: Permit,
  method = TagMoveMethod.API,
): Statement[] {
  const repoUid = parentOf(uid);
  const newest = sql`(select ${tagMoves.updateTime} || ' ' || ${tagMoves.digest} from ${tagMoves}
    where ${and(eq(tagMoves.repoUid, repoUid), eq(tagMoves.tag, name))}
    order by ${tagMoves.updateTime} desc limit 1)`;
  const guard = onlyIf(
    call.db,
    sql`${newest} is ${last ? `${last.updateTime} ${last.digest}` : null}`,
  );
  const before = [...permit.before, guard];
  if (digest === "" || last?.digest === digest) return [...before, ...permit.events];
  const time = updateTime ? timestampMs(updateTime) : call.now;
  const by = moverOf(caller, method);
  const row = { tag: name, updateTime: time, digest, ...by };
  const record = call.db.insert(tagMoves).values({ repoUid, repo: nameOfRepo(repoUid), ...row });
  return [...before, record, ...permit.events, ...permit.marks];
}

/** The columns of a record that say who moved the tag, and how. */
export const moverOf = (
  { identity, name }: Pick<Caller, "identity" | "name">,
  method: TagMoveMethod,
) => ({
  identity,
  identityName: name,
  method,
});

/** SQL: the name of a repository, which its history keeps. */
export const nameOfRepo = (uid: string | SQL) =>
  sql`ifnull((select repo.name from ${repos} as repo where repo.uid = ${uid}),
    (select gone.name from ${deletions} as gone where gone.uid = ${uid}))`;

/**
 * The statements that record the deletion of the tags that meet the condition. Put them before the deletion. A
 * tag without a digest has no record to end.
 */
export const recordDeletions = (
  { db, now }: Pick<Call, "db" | "now">,
  caller: Pick<Caller, "identity" | "name">,
  condition: SQL | undefined,
  permit: Permit,
  method = TagMoveMethod.API,
): [Statement, ...Statement[]] => [
  insertFrom(
    db,
    tagMoves,
    {
      repoUid: sql`${tags.parent}`,
      tag: sql`${tags.name}`,
      updateTime: sql`max(${now}, 1 + ifnull((select max(m.update_time) from ${tagMoves} as m
        where m.repo_uid = ${tags}.parent and m.tag = ${tags}.name), 0))`,
      digest: sql`''`,
      repo: nameOfRepo(sql`${tags}.parent`),
      ...moverOf(caller, method),
    },
    sql`from ${tags} where ${and(condition, sql`${tags.digest} <> ''`)}`,
  ),
  ...permit.before,
  ...permit.events,
  ...permit.marks,
];

/** The stored data of a tag that is created or moved. */
interface StoredTag {
  before: TagRow | undefined;
  last: LastMove | undefined;
}

/**
 * The tag as it will be, and the statements that create it, or move the tag with that name, with its history
 * and its event. They abort the whole batch if the tag has changed since it was read. If a UNIQUE index
 * refuses the tag, another call has created it: run the call again.
 */
export function moveTag(
  call: Call,
  caller: Caller,
  parent: string,
  sentTag: Tag,
  { before, last }: StoredTag,
  permit: Permit,
  method = TagMoveMethod.API,
): { message: Tag; statements: [Statement, ...Statement[]] } {
  const wanted = newMessage(tag, sentTag);
  wanted.digest ||= before?.digest ?? "";
  const updateTime = nextTime(call, Math.max(before?.updateTime ?? 0, last?.updateTime ?? 0));
  wanted.updateTime = timestampFromMs(updateTime);
  if (!before) {
    const times = { createTime: call.now, updateTime };
    const row = { uid: newUid(parent), ...tag.toColumns(wanted), ...times };
    const { message, statements } = creation(call, tag, caller, row);
    const move = moveStatements(call, caller, message, last, permit, method);
    return { message, statements: [...statements, ...move] };
  }
  const { digest, deprecated, bundles } = wanted;
  const deprecation = changedDeprecation(deprecated, updateTime, before);
  const changes = { ...changedColumns(before, { digest, ...deprecation, bundles }), updateTime };
  const message = toTag(updatedRow(tags, before, changes));
  const move = moveStatements(call, caller, message, last, permit, method);
  const update = updateAsRead(call.db, tags, before, changes);
  const event = insertEvent(call, caller, tagEvent(message, before));
  return { message, statements: [update, onlyIfChanged(call.db), event, ...move] };
}

/** The event of a tag that is deleted. It says which digest the tag pointed to. */
export const tagDeletion = ({ uid, parent, name, digest }: TagRow): EventDraft => ({
  ...eventAbout(tag, uid),
  image: { repo: parent, tag: name, previousDigest: digest },
  body: { desc: TagsService.method.deleteTag.input, message: { uid } },
});
