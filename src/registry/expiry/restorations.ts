/** The batches that undo a plan. */
import { and, desc, eq, lt, sql } from "drizzle-orm";
import { TagMoveMethod } from "../../../schema/gen/platform/registry/history/v2/tag_history_pb.js";
import {
  ExpiryOutcome,
  ExpiryPlanState,
} from "../../../schema/gen/platform/registry/v2/expiry_plans_pb.js";
import {
  ManifestSchema,
  ManifestsService,
} from "../../../schema/gen/platform/registry/v2/manifests_pb.js";
import { TagSchema, TagsService } from "../../../schema/gen/platform/registry/v2/tags_pb.js";
import { blobLinks, blobs } from "../../../schema/tables/distribution/blobs.ts";
import { digestBytes } from "../../../schema/tables/distribution/digest_column.ts";
import { expiryItems } from "../../../schema/tables/registry/expiry_plans.ts";
import { manifests } from "../../../schema/tables/registry/manifests.ts";
import { isInRepo, tags } from "../../../schema/tables/registry/tags.ts";
import { tagMoves } from "../../../schema/views/tag_moves.ts";
import { insertFrom } from "../../aip/insert_from.ts";
import { parentOf, rootOf } from "../../aip/uid_path.ts";
import type { Call } from "../../auth/call.ts";
import type { Caller } from "../../auth/grants.ts";
import { commit, onlyIf, type Statement } from "../../outbox/commit.ts";
import { insertEvents } from "../../outbox/outbox.ts";
import { toManifest } from "../images/stored_manifests.ts";
import { permitAllowed } from "../tag_rules/permits.ts";
import { selectRules } from "../tag_rules/stored_rules.ts";
import { toTag } from "../tags/tag_rows.ts";
import { moverOf, nameOfRepo } from "../tags/tag_writes.ts";
import { blobOf, gapsOf, restoreManifests, storageOf, tagOfSnapshot } from "./snapshots.ts";
import { isItem, moveItems, type Note, noteItems, requireState } from "./stored_plans.ts";

/** The tags or manifests of one batch. */
const batchSize = 100;

/** An item to restore, with what stands against it. */
export interface Restorable {
  number: number;
  tag: string;
  digest: string;
  snapshot: string;
  /** Whether the repository has the tag or the manifest again. */
  isBack: number;
  /** Whether what the digest needs is there: for a manifest its bytes, for a tag the manifest that it had. */
  hasDigest: number;
  /** For a manifest: whether some of what it names is gone since its deletion. */
  hasGaps: number;
  /** The time of the last move of a tag. */
  lastTime: number;
}

/** The last items before a number that are still deleted: all are tags, or all are manifests. */
export async function readBatch({ db }: Call, plan: string, before: number): Promise<Restorable[]> {
  const repo = parentOf(plan);
  const [tag, digest] = [sql`${expiryItems}."tag"`, sql`${expiryItems}."digest"`];
  const hasManifest = sql`exists (select 1 from ${manifests}
    where ${manifests.parent} = ${repo} and ${manifests.digest} = ${digest})`;
  const hasTag = sql`exists (select 1 from ${tags} where ${isInRepo(repo)} and ${tags.name} = ${tag})`;
  // A manifest that only the API has created never had bytes.
  const hasBytes = sql`(exists (select 1 from ${blobs} as "held" join ${blobLinks} as "link"
      on "link"."repo_id" = ${storageOf(repo)} and "link"."blob_id" = "held"."id"
      where "held"."digest" = ${digestBytes(digest)} and "held"."size" is not null)
    or not exists (select 1 from ${blobs} as "held" where "held"."digest" = ${digestBytes(digest)}))`;
  const hasGaps = sql`${gapsOf(repo, digest)} > coalesce(${expiryItems.snapshot} ->> '$.gaps', 0)`;
  const rows = await db
    .select({
      number: expiryItems.number,
      tag: expiryItems.tag,
      digest: expiryItems.digest,
      snapshot: sql<string>`coalesce(${expiryItems.snapshot}, '')`,
      isBack: sql<number>`iif(${tag} = '', ${hasManifest}, ${hasTag})`,
      hasDigest: sql<number>`iif(${tag} = '', ${hasBytes},
        ${hasManifest} or not coalesce(${expiryItems.snapshot} ->> '$.hadManifest', 0))`,
      lastTime: sql<number>`iif(${tag} = '', 0, coalesce((select max(m.update_time) from ${tagMoves} as m
        where m.repo_uid = ${repo} and m.tag = ${tag}), 0))`,
      hasGaps: sql<number>`${tag} = '' and ${hasGaps}`,
    })
    .from(expiryItems)
    .where(
      and(
        eq(expiryItems.planUid, plan),
        lt(expiryItems.number, before),
        eq(expiryItems.outcome, ExpiryOutcome.DELETED),
      ),
    )
    .orderBy(desc(expiryItems.number))
    .limit(batchSize);
  // Not those after a row of the other kind: a tag comes back after its image.
  const isManifest = rows[0]?.tag === "";
  const end = rows.findIndex((row) => (row.tag === "") !== isManifest);
  return end === -1 ? rows : rows.slice(0, end);
}

/** Restores a batch of {@link readBatch}. Items that cannot be restored get a note that says why. */
export async function restoreBatch(
  call: Call,
  caller: Caller,
  plan: string,
  batch: Restorable[],
): Promise<void> {
  const { db, guards } = call;
  const failing = batch.flatMap((one): Note[] => {
    const reason = obstacleOf(one);
    return reason === undefined ? [] : [[one.number, reason]];
  });
  const failed = new Set(failing.map(([number]) => number));
  const rest = batch.filter(({ number }) => !failed.has(number));
  const isTags = batch[0]?.tag !== "";
  const written = isTags
    ? await tagStatements(call, caller, plan, rest)
    : { statements: manifestStatements(call, caller, plan, rest), refused: [] };
  const refused = new Set(written.refused.map(([number]) => number));
  const restored = rest.map(({ number }) => number).filter((number) => !refused.has(number));
  const notes = [...failing, ...written.refused];
  await commit({ db, guards }, [
    requireState(db, plan, ExpiryPlanState.UNDOING),
    ...(restored.length === 0 ? [] : written.statements),
    // After the rows are written from the snapshots.
    ...moveItems(call, plan, restored, [ExpiryOutcome.DELETED, ExpiryOutcome.RESTORED], {
      snapshot: null,
    }),
    ...(notes.length === 0
      ? []
      : noteItems(call, plan, notes, [ExpiryOutcome.DELETED, ExpiryOutcome.NOT_RESTORED])),
  ]);
}

/** Why an item cannot be restored. Undefined if it can. */
function obstacleOf({ tag, snapshot, isBack, hasDigest, hasGaps }: Restorable): string | undefined {
  if (tag !== "" && isBack) return "the tag exists again";
  if (snapshot === "") return "what it was is no longer kept";
  if (!hasDigest) return tag === "" ? "its bytes are gone" : "its image could not be restored";
  return hasGaps ? "a part of the image is gone" : undefined;
}

/** The statements that restore manifests. Their bytes need no longer be held. */
function manifestStatements(
  call: Call,
  caller: Caller,
  plan: string,
  batch: Restorable[],
): Statement[] {
  const { db, now } = call;
  const repo = parentOf(plan);
  const numbers = batch.map(({ number }) => number);
  const events = batch
    .filter(({ isBack }) => !isBack)
    .map(({ digest, snapshot }) => {
      const { manifest } = JSON.parse(snapshot);
      const message = toManifest({ ...manifest, entries: JSON.parse(manifest.entries) });
      return {
        subject: message.uid,
        group: parentOf(repo),
        image: { repo, digest },
        body: { desc: ManifestSchema, message },
      };
    });
  const held = sql`${blobLinks.repo} = ${storageOf(repo)} and ${blobLinks.kind} = 0
    and ${blobLinks.idleTime} > ${now} and ${blobLinks.blob} in (select ${blobOf(sql`${expiryItems}."digest"`)}
      from ${expiryItems} where ${isItem(plan, numbers)})`;
  return [
    ...restoreManifests(db, repo, plan, numbers),
    db.update(blobLinks).set({ idleTime: now }).where(held),
    ...insertEvents(call, caller, ManifestsService.method.createManifest, events),
  ];
}

/** The statements that restore tags, and why rules refuse some of them. */
async function tagStatements(
  call: Call,
  caller: Caller,
  plan: string,
  batch: Restorable[],
): Promise<{ statements: Statement[]; refused: Note[] }> {
  const { db, now } = call;
  const repo = parentOf(plan);
  const rules = await selectRules(db, repo);
  const changes = batch.map(({ tag, digest }) => ({ tag, from: "", to: digest }));
  const [permit, refusals] = await permitAllowed(call, caller, { repo, rules, changes });
  const allowed = batch.filter(({ tag }) => !refusals.has(tag));
  const refused = batch.flatMap(({ number, tag }): Note[] => {
    const text = refusals.get(tag);
    return text === undefined ? [] : [[number, text]];
  });
  const isOne = isItem(
    plan,
    allowed.map(({ number }) => number),
  );
  const tag = sql`${expiryItems}."tag"`;
  const time = sql`max(${now}, 1 + ifnull((select max(m.update_time) from ${tagMoves} as m
    where m.repo_uid = ${repo} and m.tag = ${tag}), 0))`;
  const events = allowed.map(({ tag: name, digest, snapshot, lastTime }) => {
    const row = JSON.parse(snapshot);
    const updateTime = Math.max(now, lastTime + 1);
    const message = toTag({ ...row, bundles: JSON.parse(row.bundles), updateTime });
    return {
      subject: message.uid,
      group: rootOf(repo),
      image: { repo, tag: name, digest },
      body: { desc: TagSchema, message },
    };
  });
  const nameIsFree = sql`not exists (select 1 from ${tags}, ${expiryItems} where ${isOne}
    and ${isInRepo(repo)} and ${tags.name} = ${tag})`;
  const statements = [
    onlyIf(db, nameIsFree),
    ...permit.before,
    insertFrom(
      db,
      tags,
      { ...tagOfSnapshot(), updateTime: time },
      sql`from ${expiryItems} where ${isOne}`,
    ),
    insertFrom(
      db,
      tagMoves,
      {
        ...{ repoUid: repo, tag, updateTime: time, digest: sql`${expiryItems}."digest"` },
        ...{ repo: nameOfRepo(repo), ...moverOf(caller, TagMoveMethod.EXPIRY) },
      },
      sql`from ${expiryItems} where ${isOne} and ${expiryItems}."digest" <> ''`,
    ),
    ...insertEvents(call, caller, TagsService.method.createTag, events),
  ];
  return { statements, refused };
}
