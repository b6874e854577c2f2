/**
 * The batches that carry out a plan. Each checks its tags or manifests again, in the transaction that deletes them.
 * One that was pulled, moved, tagged or referred to since the plan was made stays.
 */
import { type SQL, sql } from "drizzle-orm";
import { TagMoveMethod } from "../../../schema/gen/platform/registry/history/v2/tag_history_pb.js";
import {
  ExpiryOutcome,
  ExpiryPlanState,
} from "../../../schema/gen/platform/registry/v2/expiry_plans_pb.js";
import {
  DeleteManifestRequestSchema,
  ManifestsService,
} from "../../../schema/gen/platform/registry/v2/manifests_pb.js";
import { TagsService } from "../../../schema/gen/platform/registry/v2/tags_pb.js";
import {
  blobLinks,
  blobs,
  ContentKind,
  manifestReferences,
} from "../../../schema/tables/distribution/blobs.ts";
import { digestBytes, digestText } from "../../../schema/tables/distribution/digest_column.ts";
import { referrers } from "../../../schema/tables/distribution/referrers.ts";
import { hasUidOf } from "../../../schema/tables/list_indexes.ts";
import { expiryItems } from "../../../schema/tables/registry/expiry_plans.ts";
import { indexEntries } from "../../../schema/tables/registry/index_entries.ts";
import { manifests } from "../../../schema/tables/registry/manifests.ts";
import { tagPulls } from "../../../schema/tables/registry/tag_pulls.ts";
import { isInRepo, pointsTo, tags } from "../../../schema/tables/registry/tags.ts";
import { valuesSubselect } from "../../aip/any_of.ts";
import { insertFrom } from "../../aip/insert_from.ts";
import { parentOf, rootOf } from "../../aip/uid_path.ts";
import type { Call, Database } from "../../auth/call.ts";
import type { Caller } from "../../auth/grants.ts";
import { onlyIf, type Statement } from "../../outbox/commit.ts";
import { insertEvents } from "../../outbox/outbox.ts";
import type { Permit } from "../tag_rules/permits.ts";
import { recordDeletions } from "../tags/tag_writes.ts";
import { isHeld } from "./protected_digests.ts";
import { blobOf, manifestSnapshot, storageOf, tagSnapshot } from "./snapshots.ts";
import { moveItems, type Note, requireState } from "./stored_plans.ts";

/** A tag or a manifest to delete, as it was read. */
export interface Due {
  number: number;
  uid: string;
  /** Empty for a manifest. */
  tag: string;
  digest: string;
  /** Of the row of a tag. */
  updateTime: number;
  /** The end of the last day with a known pull. */
  pullTime: number;
  /** For the tag of a signature: the image that goes before it. */
  subject?: string | undefined;
}

/** One batch of a plan. */
export interface Batch {
  /** The uid of the plan. */
  plan: string;
  due: Due[];
  /** The digests of referrers, and the names of the tags of signatures, that the plan deletes later. */
  later: string[];
  /** Until when it can be undone, in milliseconds since 1970. */
  undoUntil: number;
}

const item = (place: number) => sql`"item"."value" ->> ${sql.raw(String(place))}`;
const number = item(0);
const name = item(1);
const digest = item(2);
const updateTime = item(3);
const pullTime = item(4);
const subjectOfTag = item(5);

const toParameter = (due: Due[]) =>
  JSON.stringify(
    due.map((one) => [
      one.number,
      one.tag,
      one.digest,
      one.updateTime,
      one.pullTime,
      one.subject ?? "",
    ]),
  );

/** SQL: the numbers and notes of those of the batch that must stay. */
function failingSql({ plan, due, later }: Batch): SQL {
  const repo = parentOf(plan);
  const note = due[0]?.tag ? tagNote(repo) : manifestNote(repo, due, later);
  return sql`select "number", "note" from (select ${number} as "number", ${note} as "note"
    from json_each(${toParameter(due)}) as "item") where "note" is not null`;
}

/** Those of the batch that must stay, and why. */
export const selectFailing = ({ db }: Call, batch: Batch): PromiseLike<Note[]> =>
  db
    .select({ number: sql<number>`"failing"."number"`, note: sql<string>`"failing"."note"` })
    .from(sql`(${failingSql(batch)}) as "failing"`)
    .then((rows) => rows.map(({ number: failing, note }): Note => [failing, note]));

const wasPulled = (repo: string, reference: SQL) => sql`exists (select 1 from ${tagPulls} as "pull"
  where "pull"."repo_id" = ${storageOf(repo)} and "pull"."reference" = ${reference} and "pull"."time" > ${pullTime})`;

/** SQL: why the tag of the item must stay, or null. */
const tagNote = (repo: string): SQL => sql`case
  when not exists (select 1 from ${tags} where ${isInRepo(repo)} and ${tags.name} = ${name}
    and ${tags.digest} = ${digest} and ${tags.updateTime} = ${updateTime}) then 'it has changed'
  when ${wasPulled(repo, name)} or ${wasPulled(repo, digest)} then 'it was pulled'
  when exists (select 1 from ${manifests} where ${manifests.parent} = ${repo}
    and ${manifests.digest} = ${subjectOfTag}) then 'its image stays' end`;

/** SQL: why the manifest of the item must stay, or null. Those that go with it, in this batch or later, do not count. */
function manifestNote(repo: string, due: Due[], later: string[]): SQL {
  const all = due.map((one) => one.digest);
  const isOf = (text: SQL, list: string[]) =>
    sql`${text} in (select "value" from json_each(${JSON.stringify(list)}))`;
  const storage = storageOf(repo);
  const parent = digestText(sql`"parent"."digest"`);
  const subject = digestText(sql`"own"."subject"`);
  const hasIndex = sql`exists (select 1 from ${manifestReferences} as "reference"
      cross join ${blobLinks} as "link" on "link"."repo_id" = ${storage}
        and "link"."kind" = ${ContentKind.manifest} and "link"."blob_id" = "reference"."manifest_id"
      cross join ${blobs} as "parent" on "parent"."id" = "reference"."manifest_id"
      where "reference"."blob_id" = ${blobOf(digest)} and not (${isOf(parent, all)}))
    or exists (select 1 from ${indexEntries} as "entry" where "entry"."repo_uid" = ${repo}
      and "entry"."digest" = ${digest} and not (${isOf(sql`"entry"."index_digest"`, all)}))`;
  const hasReferrer = sql`exists (select 1 from ${referrers} as "referrer"
    cross join ${blobs} as "parent" on "parent"."id" = "referrer"."manifest_id"
    where "referrer"."repo_id" = ${storage} and "referrer"."subject" = ${digestBytes(digest)}
      and not (${isOf(parent, [...all, ...later])}))`;
  const hasSubject = sql`exists (select 1 from ${referrers} as "own"
    cross join ${manifests} as "other" on "other"."parent" = ${repo} and "other"."digest" = ${subject}
    where "own"."repo_id" = ${storage} and "own"."manifest_id" = ${blobOf(digest)}
      and not (${isOf(subject, all)}))`;
  const followed = sql`replace(${digest}, ':', '-')`;
  // Names such as "sha256-….sig": the character after the dot ends the range.
  const hasFollower = sql`exists (select 1 from ${tags} where ${isInRepo(repo)}
    and ${tags.name} >= ${followed} and ${tags.name} < ${followed} || '/'
    and not (${isOf(sql`${tags.name}`, later)}))`;
  return sql`case
    when not exists (select 1 from ${manifests} where ${manifests.parent} = ${repo}
      and ${manifests.digest} = ${digest}) then 'it is gone'
    when exists (select 1 from ${tags} where ${pointsTo(repo, digest)}) then 'a tag points to it'
    when ${hasIndex} then 'an image index that stays needs it'
    when ${hasReferrer} or ${hasFollower} then 'something that stays refers to it'
    when ${hasSubject} then 'the image that it refers to stays'
    when ${isHeld(repo, digest)} then 'an image hold names it'
    when ${wasPulled(repo, digest)} then 'it was pulled' end`;
}

/** The guards of a batch: the state of the plan, the rules, and that nothing in it must stay. */
const guardsOf = ({ db }: Call, batch: Batch, permit: Permit): [Statement, ...Statement[]] => [
  requireState(db, batch.plan, ExpiryPlanState.RUNNING),
  ...permit.before,
  onlyIf(db, sql`not exists (${failingSql(batch)})`),
];

/** The statements that mark the items as deleted, with the rows that go. */
const markDeleted = (call: Call, batch: Batch, snapshot: SQL): Statement[] =>
  moveItems(
    call,
    batch.plan,
    batch.due.map((due) => due.number),
    [ExpiryOutcome.PLANNED, ExpiryOutcome.DELETED],
    { snapshot },
  );

/** The statements that delete the tags of a batch. */
export function tagDeletions(
  call: Call,
  caller: Caller,
  batch: Batch,
  permit: Permit,
): [Statement, ...Statement[]] {
  const { db } = call;
  const repo = parentOf(batch.plan);
  const isDue = hasUidOf(
    tags,
    batch.due.map(({ uid }) => uid),
  );
  const events = batch.due.map((due) => ({
    subject: due.uid,
    group: rootOf(repo),
    image: { repo, tag: due.tag, previousDigest: due.digest },
    body: { desc: TagsService.method.deleteTag.input, message: { uid: due.uid } },
  }));
  return [
    ...guardsOf(call, batch, permit),
    ...markDeleted(call, batch, tagSnapshot(repo)),
    ...recordDeletions(call, caller, isDue, permit, TagMoveMethod.EXPIRY),
    db.delete(tags).where(isDue),
    ...insertEvents(call, caller, TagsService.method.deleteTag, events),
  ];
}

/** The statement that holds the bytes of what a plan has deleted for longer, as far as they are still there. */
export function prolongHolds(
  db: Database,
  plan: string,
  { now, undoUntil }: { now: number; undoUntil: number },
): Statement {
  const deleted = sql`select ${blobOf(sql`${expiryItems}."digest"`)} from ${expiryItems}
    where ${expiryItems.planUid} = ${plan} and ${expiryItems.outcome} = ${ExpiryOutcome.DELETED} and ${expiryItems.tag} = ''`;
  return db
    .update(blobLinks)
    .set({ idleTime: undoUntil })
    .where(sql`${blobLinks.repo} = ${storageOf(parentOf(plan))} and ${blobLinks.kind} = ${ContentKind.blob}
      and ${blobLinks.idleTime} between ${now} and ${undoUntil} and ${blobLinks.blob} in (${deleted})`);
}

/**
 * The statements that delete the manifests of a batch. Their bytes stay as blobs of the repository until the end of the
 * undo, and hold what they name.
 */
export function manifestDeletions(
  call: Call,
  caller: Caller,
  batch: Batch,
  permit: Permit,
): [Statement, ...Statement[]] {
  const { db } = call;
  const repo = parentOf(batch.plan);
  const uids = batch.due.map(({ uid }) => uid);
  const events = batch.due.map((due) => ({
    subject: due.uid,
    group: parentOf(repo),
    image: { repo, digest: due.digest },
    body: { desc: DeleteManifestRequestSchema, message: { uid: due.uid } },
  }));
  const hold = insertFrom(
    db,
    blobLinks,
    {
      ...{ repo: storageOf(repo), kind: ContentKind.blob, blob: sql`"link"."blob_id"` },
      idleTime: batch.undoUntil,
    },
    sql`from json_each(${toParameter(batch.due)}) as "item" cross join ${blobLinks} as "link"
      where "link"."repo_id" = ${storageOf(repo)} and "link"."kind" = ${ContentKind.manifest}
        and "link"."blob_id" = ${blobOf(digest)}`,
  ).onConflictDoUpdate({
    target: [blobLinks.repo, blobLinks.kind, blobLinks.blob],
    set: { idleTime: sql`max(${blobLinks.idleTime}, ${batch.undoUntil})` },
  });
  return [
    ...guardsOf(call, batch, permit),
    ...markDeleted(call, batch, manifestSnapshot(repo)),
    hold,
    db.delete(manifests).where(sql`${manifests.uid} in ${valuesSubselect(uids)}`),
    ...insertEvents(call, caller, ManifestsService.method.deleteManifest, events),
  ];
}
