/**
 * Verifies signatures again after a trust policy has changed. A change leaves a mark for its group or repository. Each piece
 * verifies the next manifests below it and moves the cursor of the mark, in one batch. So a run can end at any place, and
 * two runs can overlap.
 */
import { and, asc, eq, gt, gte, sql } from "drizzle-orm";
import { isPresent } from "../../../schema/tables/platform/deletions.ts";
import { manifests } from "../../../schema/tables/registry/manifests.ts";
import { trustChanges } from "../../../schema/tables/registry/trust_policies.ts";
import { pushedSignatures } from "../../../schema/tables/registry/verified_signatures.ts";
import { StaleError } from "../../aip/stale.ts";
import { parentOf, rootOf } from "../../aip/uid_path.ts";
import { isWritable } from "../../auth/databases.ts";
import { commit, onlyIf, type Statement } from "../../outbox/commit.ts";
import {
  type CheckedSignatures,
  countedSql,
  recordVerdicts,
} from "../../registry/images/verdicts.ts";
import { verificationEvent } from "../../registry/images/verification_event.ts";
import {
  readPolicies,
  requireSamePolicies,
  selectPolicies,
} from "../../registry/trust_policies/stored_policies.ts";
import type { RegistryContext } from "../context.ts";
import { RegistryError } from "../errors.ts";
import { readManifest } from "../manifests/document.ts";
import { selectChildren } from "../manifests/rows.ts";
import { HeldMemory } from "../memory.ts";
import { readManifestBytes } from "./layers.ts";
import { readSignatures } from "./read_signatures.ts";

/** The actor of the events: no one. */
const noActor = { identity: "", act: {} };

/** The manifests of one piece. */
const manifestsOfPiece = 20;

/**
 * Works off the marks in turns, until `end` in milliseconds since 1970. The next run continues. A mark that fails holds up
 * no other: it is left to the next run, and the first error is thrown at the end.
 */
export async function recheckSignatures(context: RegistryContext, end: number): Promise<void> {
  const failed: string[] = [];
  const errors: unknown[] = [];
  while (Date.now() < end) {
    const [mark] = await context.db
      .select()
      .from(trustChanges)
      .where(
        and(
          isWritable(sql`${trustChanges.uid}`),
          sql`${trustChanges.uid} not in (select "value" from json_each(${JSON.stringify(failed)}))`,
        ),
      )
      .orderBy(asc(trustChanges.changeTime), asc(trustChanges.uid))
      .limit(1);
    if (!mark) break;
    try {
      await checkPiece({ ...context, now: Date.now() }, mark);
    } catch (thrown) {
      // A policy or the mark has changed in between, or another run was faster.
      if (thrown instanceof StaleError) continue;
      failed.push(mark.uid);
      errors.push(thrown);
    }
  }
  if (errors.length > 0) throw errors[0];
}

type Mark = typeof trustChanges.$inferSelect;

/** The next manifests below the scope of a mark. */
const selectNext = ({ db }: RegistryContext, { uid, cursor }: Mark) =>
  db
    .select({
      uid: pushedSignatures.uid,
      about: sql<string>`${pushedSignatures.digest}`.as("about"),
      receivedTime: pushedSignatures.createTime,
      counted: countedSql(sql`${pushedSignatures.uid}`).as("counted"),
      digest: manifests.digest,
      mediaType: manifests.mediaType,
    })
    .from(pushedSignatures)
    .innerJoin(manifests, eq(manifests.uid, pushedSignatures.uid))
    .where(
      and(
        // A mark can also be for one manifest. The character after the slash ends the uids below.
        cursor === "" ? gte(pushedSignatures.uid, uid) : gt(pushedSignatures.uid, cursor),
        sql`${pushedSignatures.uid} < ${`${uid}0`}`,
        isPresent(manifests.parent),
      ),
    )
    .orderBy(asc(pushedSignatures.uid))
    .limit(manifestsOfPiece);

type Next = Awaited<ReturnType<typeof selectNext>>[number];

/** Verifies the next manifests, and moves the cursor, or deletes the mark at the end. Throws Stale. */
async function checkPiece(context: RegistryContext, mark: Mark): Promise<void> {
  const { db, now } = context;
  const next = await selectNext(context, mark);
  const isMark = and(
    eq(trustChanges.uid, mark.uid),
    eq(trustChanges.changeTime, mark.changeTime),
    eq(trustChanges.cursor, mark.cursor),
  );
  const statements: Statement[] = [
    onlyIf(db, sql`exists (select 1 from ${trustChanges} where ${isMark})`),
  ];
  const byRepo = Map.groupBy(next, ({ uid }) => parentOf(uid));
  for (const [repo, signed] of byRepo) {
    const rows = await selectPolicies(db, repo);
    const policies = await readPolicies(rows);
    statements.push(requireSamePolicies(db, repo, rows));
    for (const one of signed)
      statements.push(...(await checkManifest(context, { repo, policies }, one)));
  }
  const last = next.at(-1);
  statements.push(
    last && next.length === manifestsOfPiece
      ? db
          .update(trustChanges)
          // Other marks come first then.
          .set({ cursor: last.uid, changeTime: Math.max(now, mark.changeTime + 1) })
          .where(eq(trustChanges.uid, mark.uid))
      : db.delete(trustChanges).where(eq(trustChanges.uid, mark.uid)),
  );
  await commit({ db }, statements as [Statement, ...Statement[]]);
}

/** Verifies one manifest again. A manifest that was deleted in the meantime has no statements. */
async function checkManifest(
  context: RegistryContext,
  { repo, policies }: { repo: string; policies: Awaited<ReturnType<typeof readPolicies>> },
  { uid, digest, mediaType, about, receivedTime, counted }: Next,
): Promise<Statement[]> {
  const memory = new HeldMemory(context.config.uploadMemoryBytes, rootOf(repo));
  let checked: CheckedSignatures = { about, fault: "its bytes cannot be read", verdicts: [] };
  try {
    const bytes = await readManifestBytes(context, { repo, memory }, digest);
    if (bytes && typeof bytes !== "string") {
      const document = readManifest(bytes, mediaType);
      const stored = await selectChildren(context.db, repo, document.children);
      const documents = new Map();
      const manifest = { repo, document, subject: about, stored, memory, documents };
      const found = await readSignatures({ context, manifest, policies, receivedTime });
      checked = found.checked ?? checked;
    }
  } catch (thrown) {
    if (!(thrown instanceof RegistryError && isAboutManifest(thrown))) throw thrown;
  } finally {
    memory.release();
  }
  const isThere = sql`exists (select 1 from ${manifests} where ${manifests.uid} = ${uid})`;
  const place = { repo, manifest: uid, receivedTime, counted: Boolean(counted) };
  const { headers } = context.request;
  return [
    onlyIf(context.db, isThere),
    ...recordVerdicts(context, place, checked),
    ...verificationEvent({ ...context, headers }, noActor, place, checked),
  ];
}

/** Whether an error is about the stored manifest, and comes again whenever it is read. */
const isAboutManifest = ({ code }: RegistryError) =>
  code === "MANIFEST_BLOB_UNKNOWN" || code === "MANIFEST_INVALID";
