import { create } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { and, desc, eq, gt, type SQL, sql } from "drizzle-orm";
import { TagMoveMethod } from "../../../schema/gen/platform/registry/history/v2/tag_history_pb.js";
import {
  type ListTagsRequest,
  type Tag,
  TagSchema,
  TagsService,
} from "../../../schema/gen/platform/registry/v2/tags_pb.js";
import { hasUid, type RowOf } from "../../../schema/tables/list_indexes.ts";
import { deletions, isPresent } from "../../../schema/tables/platform/deletions.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { TagClass } from "../../../schema/tables/registry/tag_class.ts";
import { isInRepo, tags } from "../../../schema/tables/registry/tags.ts";
import { tagMoves } from "../../../schema/views/tag_moves.ts";
import { insertFrom } from "../../aip/insert_from.ts";
import { StaleError, updateAsRead } from "../../aip/stale.ts";
import { newUid, parentOf, rootOf } from "../../aip/uid_path.ts";
import { wholeMessage } from "../../aip/whole_message.ts";
import type { Call, Database, EventDraft } from "../../auth/call.ts";
import type { Caller } from "../../auth/grants.ts";
import { commit, nextTime, onlyIf, onlyIfChanged, type Statement } from "../../outbox/commit.ts";
import { insertEvent } from "../../outbox/outbox.ts";
import { tagLineOf } from "../../packages/tag_lines.ts";
import { list } from "../../paging/list.ts";
import { defineListing } from "../../paging/listing.ts";
import { readOrder } from "../../paging/order.ts";
import { createdMessage, creation, newMessage } from "../../resource/create.ts";
import { writeDelete } from "../../resource/delete.ts";
import { eventAbout, eventOf } from "../../resource/event.ts";
import { find } from "../../resource/find.ts";
import { resource } from "../../resource/resource.ts";
import { updatedRow } from "../../resource/stored_row.ts";
import { changedColumns } from "../../resource/update.ts";
import { service } from "../../rpc/service.ts";
import { parentRepo } from "../repos/parent_repo.ts";
import { hasManifest, rollbackDigest, selectHistory } from "./rollback.ts";

/** The columns that are read of a tag. */
export const tagColumns = {
  uid: tags.uid,
  parent: tags.parent,
  name: tags.name,
  digest: tags.digest,
  deprecated: tags.deprecated,
  bundles: tags.bundles,
  createTime: tags.createTime,
  updateTime: tags.updateTime,
};

export type TagRow = Pick<RowOf<typeof tags>, keyof typeof tagColumns>;

export const tagListing = defineListing({
  table: tags,
  select: (db, from) => db.select(tagColumns).from(from),
  classColumn: tags.class,
  leafOf: repos,
  mayBeLeft: true,
  hasCapitals: true,
});

/** Converts a stored row to a message. */
export function toTag(row: Omit<TagRow, "parent">): Tag {
  return wholeMessage(TagSchema, {
    uid: row.uid,
    name: row.name,
    digest: row.digest,
    deprecated: row.deprecated,
    bundles: row.bundles,
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.updateTime),
  });
}

export const tag = resource({
  type: "registry/Tag",
  schema: TagSchema,
  table: tags,
  // The limit ends the lookup at the first class with such a tag.
  select: (db: Database, uid: string) =>
    db
      .select(tagColumns)
      .from(tags)
      .where(and(hasUid(tags, uid), isPresent(tags.parent)))
      .limit(1),
  toMessage: toTag,
  toColumns: ({ name, digest, deprecated, bundles, updateTime }: Tag) => ({
    name,
    digest,
    deprecated,
    bundles,
    deprecatedTime: deprecated && updateTime ? timestampMs(updateTime) : 0,
    ...tagLineOf(name),
  }),
  groupOf: rootOf,
  imageOf: (uid, message) => ({
    repo: parentOf(uid),
    ...(message && { tag: message.name, digest: message.digest }),
  }),
  unique: ({ name }) => name,
});

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
 * grown since `last` was read.
 */
export function moveStatements(
  call: Call,
  caller: Caller,
  { uid, name, digest, updateTime }: Tag,
  last?: LastMove,
  method = TagMoveMethod.API,
) {
  const repoUid = parentOf(uid);
  const newest = sql`(select ${tagMoves.updateTime} || ' ' || ${tagMoves.digest} from ${tagMoves}
    where ${and(eq(tagMoves.repoUid, repoUid), eq(tagMoves.tag, name))}
    order by ${tagMoves.updateTime} desc limit 1)`;
  const guard = onlyIf(
    call.db,
    sql`${newest} is ${last ? `${last.updateTime} ${last.digest}` : null}`,
  );
  if (digest === "" || last?.digest === digest) return [guard];
  const time = updateTime ? timestampMs(updateTime) : call.now;
  const by = moverOf(caller, method);
  const row = { tag: name, updateTime: time, digest, ...by };
  return [guard, call.db.insert(tagMoves).values({ repoUid, repo: nameOfRepo(repoUid), ...row })];
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
const nameOfRepo = (uid: string | SQL) =>
  sql`ifnull((select repo.name from ${repos} as repo where repo.uid = ${uid}),
    (select gone.name from ${deletions} as gone where gone.uid = ${uid}))`;

/**
 * The statement that records the deletion of the tags that meet the condition. Put it before the deletion. A
 * tag without a digest has no record to end.
 */
export const recordDeletions = (
  { db, now }: Pick<Call, "db" | "now">,
  caller: Pick<Caller, "identity" | "name">,
  condition: SQL | undefined,
  method = TagMoveMethod.API,
) =>
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
  );

/** The condition that a tag has a name. The index of the names ignores their case. */
export const isNamed = (name: string): SQL =>
  sql`${tags.name} = ${name} collate nocase and ${tags.name} = ${name}`;

/** The condition that a tag points to a digest. */
const hasDigest = (digest: string): SQL =>
  sql`${tags.digestKey} = unhex(substr(${digest}, 8, 16)) and ${tags.digest} = ${digest}`;

/** The statement that reads the tag with a name. */
export const selectNamedTag = ({ db }: Pick<Call, "db">, repo: string | SQL, name: string) =>
  db
    .select(tagColumns)
    .from(tags)
    .where(and(isInRepo(repo), eq(tags.name, name)));

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
    const move = moveStatements(call, caller, message, last, method);
    return { message, statements: [...statements, ...move] };
  }
  const { digest, deprecated, bundles } = wanted;
  const deprecation = changedDeprecation(deprecated, updateTime, before);
  const changes = { ...changedColumns(before, { digest, ...deprecation, bundles }), updateTime };
  const message = toTag(updatedRow(tags, before, changes));
  const move = moveStatements(call, caller, message, last, method);
  const update = updateAsRead(call.db, tags, before, changes);
  const event = insertEvent(call, caller, tagEvent(message, before));
  return { message, statements: [update, onlyIfChanged(call.db), event, ...move] };
}

/**
 * Creates a tag, or moves the tag with that name. Without a digest, which version 1 allows, the tag keeps its
 * digest, and a new tag points nowhere. Throws NOT_FOUND if the repository does not exist.
 */
export async function createOrMoveTag(call: Call, parent: string, sentTag: Tag): Promise<Tag> {
  const { caller, extraReads } = await find(call, parentRepo, parent, {
    extraReads: [
      selectNamedTag(call, parent, sentTag.name),
      selectLastMove(call, parent, sentTag.name),
    ],
  });
  const [[before], [last]] = extraReads;
  const { message, statements } = moveTag(call, caller, parent, sentTag, { before, last });
  // Of two calls that create the tag, the slower one runs again and moves it.
  await commit(call, statements, () => new StaleError());
  return before ? message : createdMessage(call, message);
}

/** The event of a tag that is deleted. It says which digest the tag pointed to. */
export const tagDeletion = ({ uid, parent, name, digest }: TagRow): EventDraft => ({
  ...eventAbout(tag, uid),
  image: { repo: parent, tag: name, previousDigest: digest },
  body: { desc: TagsService.method.deleteTag.input, message: { uid } },
});

/** The index that has the rows of the filters. Those since a time are counted by the index of that time. */
function indexOf({ name, digest, updatedSince, orderBy, namePrefix }: ListTagsRequest) {
  if (digest !== "") return { index: "filter_index" } as const;
  if (name !== "") return { index: "scope_index" } as const;
  if (!updatedSince || namePrefix !== "") return {};
  const { field } = readOrder(orderBy, tagListing);
  return field === "update_time" ? {} : ({ index: "either_index", total: "scope_index" } as const);
}

export const tagsService = service(TagsService, {
  async getTag({ uid }, call) {
    return toTag((await find(call, tag, uid)).row);
  },

  async listTags(request, call) {
    const { name, digest, updatedSince, namePrefix } = request;
    const classes: number[] = [TagClass.plain];
    if (request.includeReferrers) classes.push(TagClass.referrer);
    if (request.includeDates) classes.push(TagClass.date);
    if (request.includeEpochs) classes.push(TagClass.epoch);
    const page = await list(call, request, tagListing, {
      classes,
      filters: [
        name === "" ? undefined : isNamed(name),
        digest === "" ? undefined : hasDigest(digest),
        updatedSince ? gt(tags.updateTime, timestampMs(updatedSince)) : undefined,
      ],
      ...indexOf(request),
      namePrefix,
    });
    return { tags: page.rows.map(toTag), ...page.envelope };
  },

  /** Creates the tag, or moves the tag with that name. */
  createTag: ({ parent, tag: sentTag = create(TagSchema) }, call) =>
    createOrMoveTag(call, parent, sentTag),

  async rollbackTag(request, call) {
    const { caller, row, extraReads } = await find(call, tag, request.uid, {
      extraReads: selectHistory(call.db, request),
    });
    const [moves, [atTime]] = extraReads;
    const digest = rollbackDigest(request, row.digest, moves, atTime);
    if (digest === row.digest) return toTag(row);
    const stored = { before: row, last: moves[0] };
    const sent = { ...toTag(row), digest };
    const { message, statements } = moveTag(call, caller, row.parent, sent, stored);
    const guard = onlyIf(call.db, hasManifest(row.parent, digest));
    await commit(call, [guard, ...statements], () => new StaleError());
    return message;
  },

  /** The history of the tag remains. */
  async deleteTag(request, call) {
    const { caller, row } = await find(call, tag, request.uid);
    const image = { repo: row.parent, tag: row.name, previousDigest: row.digest };
    // The event says which digest the tag pointed to until it was deleted.
    const condition = sql`(${tags.name}, ${tags.digest}) = (${row.name}, ${row.digest})`;
    const record = recordDeletions(call, caller, and(hasUid(tags, row.uid), condition));
    return writeDelete(call, tag, caller, request, { condition, image, before: [record] });
  },
});
