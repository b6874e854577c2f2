/**
 * Signs the platform's own verdicts about images, for trust policies with `sign_verdicts`. Triggers say which verdicts have
 * changed. Each is settled in one batch with a guard, so a run can end at any place, and two runs can overlap.
 */
import { and, asc, eq, lte, sql } from "drizzle-orm";
import {
  DeleteManifestRequestSchema,
  ManifestsService,
} from "../../../schema/gen/platform/registry/v2/manifests_pb.js";
import { ContentKind } from "../../../schema/tables/distribution/blobs.ts";
import { isPresent } from "../../../schema/tables/platform/deletions.ts";
import { manifests } from "../../../schema/tables/registry/manifests.ts";
import { signedVerdicts } from "../../../schema/tables/registry/signed_verdicts.ts";
import { StaleError } from "../../aip/stale.ts";
import { parentOf, rootOf } from "../../aip/uid_path.ts";
import { isWritable } from "../../auth/databases.ts";
import { type ByteSigner, byteSigner } from "../../auth/keys.ts";
import { commit, onlyIf, onlyIfChanged, type Statement } from "../../outbox/commit.ts";
import { insertEvent } from "../../outbox/outbox.ts";
import {
  type SigningVerdict,
  signedUntilSql,
  signsVerdictSql,
} from "../../registry/images/signed_verdicts.ts";
import { manifestUid, storeManifest } from "../../registry/images/stored_manifests.ts";
import { emptyConfig, signSummary, summaryManifest } from "../../signatures/summary.ts";
import { storeInline } from "../blobs/blob_state.ts";
import { createStorage, linkBlob, selectQuota } from "../blobs/rows.ts";
import { limitOf } from "../blobs/upload_rows.ts";
import type { RegistryContext } from "../context.ts";
import { digestOf } from "../digest.ts";
import { readManifest } from "../manifests/document.ts";
import { selectStoredManifest } from "../manifests/rows.ts";
import { contentStatements } from "../manifests/store.ts";
import { HeldMemory } from "../memory.ts";
import { mirrorCall, mirrorCaller } from "../mirror/store_manifest.ts";

/** The verdicts of one turn. */
const verdictsOfTurn = 8;

/** When a verdict is looked at again, in milliseconds: because of the key, and for an image that is not there or has no room. */
const again = { signed: 24 * 3600_000, waiting: 600_000 };

/** Settles the verdicts that are due, until `end` in milliseconds since 1970. Throws the first error at the end. */
export async function signVerdicts(context: RegistryContext, end: number): Promise<void> {
  const errors: unknown[] = [];
  while (Date.now() < end) {
    const now = Date.now();
    const due = await context.db
      .select()
      .from(signedVerdicts)
      .where(and(lte(signedVerdicts.dueTime, now), isWritable(sql`${signedVerdicts.uid}`)))
      .orderBy(asc(signedVerdicts.dueTime))
      .limit(verdictsOfTurn);
    for (const row of due) {
      try {
        await settle({ ...context, now }, row);
      } catch (thrown) {
        if (thrown instanceof StaleError) continue;
        errors.push(thrown);
        await context.db
          .update(signedVerdicts)
          .set({ dueTime: now + again.waiting })
          .where(isRow(row));
      }
    }
    if (due.length < verdictsOfTurn) break;
  }
  if (errors.length > 0) throw errors[0];
}

type Row = typeof signedVerdicts.$inferSelect;

const isRow = ({ uid, policyUid }: Row) =>
  and(eq(signedVerdicts.uid, uid), eq(signedVerdicts.policyUid, policyUid));

/** Signs one verdict or takes it back, if it is not as it should be. Throws Stale if it has changed in between. */
async function settle(context: RegistryContext, row: Row): Promise<void> {
  const { db } = context;
  const verdict: SigningVerdict = { ...row, repo: parentOf(row.uid) };
  const { repo, digest } = verdict;
  const [[state], [image], [old], contents, [quota]] = await db.batch([
    db
      .select({
        isSigned: signsVerdictSql(verdict).as("is_signed"),
        until: signedUntilSql(verdict).as("until"),
      })
      .from(signedVerdicts)
      .where(isRow(row)),
    db.select({ mediaType: manifests.mediaType }).from(manifests).where(isStored(row.uid)),
    db
      .select({ uid: manifests.uid, digest: manifests.digest })
      .from(manifests)
      .where(isStored(manifestUid(repo, row.manifest))),
    selectStoredManifest(db, repo, digest),
    selectQuota(db, repo),
  ]);
  if (!state) return;
  const size = contents[0]?.size ?? undefined;
  const guards = [
    onlyIf(db, sql`${signsVerdictSql(verdict)} = ${state.isSigned}`),
    onlyIf(
      db,
      sql`exists (select 1 from ${signedVerdicts} where ${and(isRow(row), eq(signedVerdicts.manifest, row.manifest))})`,
    ),
  ] as [Statement, Statement];
  const waiting = { dueTime: context.now + again.waiting };
  const change = (set: Partial<Row>) => db.update(signedVerdicts).set(set).where(isRow(row));
  const gone = old ? deletion(context, repo, old) : [];
  if (!state.isSigned)
    return commit({ db }, [...guards, ...gone, db.delete(signedVerdicts).where(isRow(row))]);
  if (!image || size === undefined) return commit({ db }, [...guards, change(waiting)]);
  const next = Math.min(context.now + again.signed, state.until ?? Number.POSITIVE_INFINITY);
  const signer = await byteSigner(context.config);
  if (old && row.keyId === signer.keyId)
    return commit({ db }, [...guards, change({ dueTime: next })]);
  const signed = await newVerdict(context, verdict, { ...image, digest, size }, signer);
  const limit = limitOf(context, quota?.limit);
  if (limit !== undefined && (quota?.bytes ?? 0) + signed.size > limit)
    return commit({ db }, [...guards, ...gone, change({ ...waiting, manifest: "", keyId: "" })]);
  await commit({ db }, [
    ...guards,
    ...gone,
    ...(await signed.statements()),
    change({ dueTime: next, manifest: signed.digest, keyId: signer.keyId }),
  ]);
}

const isStored = (uid: string) => and(eq(manifests.uid, uid), isPresent(manifests.parent));

/** The statements that delete the manifest of a verdict, with the event. */
function deletion(
  context: RegistryContext,
  repo: string,
  { uid, digest }: { uid: string; digest: string },
): Statement[] {
  const call = mirrorCall(context, new Map(), ManifestsService.method.deleteManifest);
  return [
    context.db.delete(manifests).where(eq(manifests.uid, uid)),
    onlyIfChanged(context.db),
    insertEvent(call, mirrorCaller, {
      subject: uid,
      group: parentOf(repo),
      image: { repo, digest },
      body: { desc: DeleteManifestRequestSchema, message: { uid } },
    }),
  ];
}

/** Signs a verdict. `statements` stores it. */
async function newVerdict(
  context: RegistryContext,
  { repo, policyUid }: SigningVerdict,
  subject: { mediaType: string; digest: string; size: number },
  signer: ByteSigner,
) {
  const { db, config, now } = context;
  const bundle = await signSummary(
    {
      digest: subject.digest,
      verifier: config.baseUrl,
      resource: `${config.baseUrl}/registry/v2/repos/${repo}`,
      policy: `${config.baseUrl}/registry/v2/trustPolicies/${policyUid}`,
      time: now,
    },
    signer,
  );
  const bytes = new TextEncoder().encode(await summaryManifest(bundle, subject, now));
  const digest = await digestOf(bytes, "sha256");
  const statements = async (): Promise<Statement[]> => {
    const document = readManifest(bytes, null);
    const memory = new HeldMemory(config.uploadMemoryBytes, rootOf(repo));
    const image = { full: repo, namespace: rootOf(repo), image: [] };
    const push = { image, bytes, document, digest, tags: [], memory, documents: new Map() };
    const call = mirrorCall(context, new Map(), ManifestsService.method.createManifest);
    const { mediaType, content } = document;
    const described = { digest, mediaType, content, image: undefined };
    return [
      ...createStorage(db, repo),
      ...(await blobStatements(context, repo, emptyConfig)),
      ...(await blobStatements(context, repo, bundle)),
      ...(await contentStatements(context, { repo, push, state: undefined, limit: undefined })),
      ...storeManifest(call, mirrorCaller, repo, described, undefined).statements,
    ];
  };
  return { digest, size: bytes.length + bundle.length, statements };
}

/** The statements that store a small blob in D1, and link it to the repository. */
async function blobStatements(
  { db, now }: RegistryContext,
  repo: string,
  content: string,
): Promise<Statement[]> {
  const bytes = new TextEncoder().encode(content);
  const digest = await digestOf(bytes, "sha256");
  return [
    storeInline(db, { digest, size: bytes.length, content }),
    linkBlob(db, repo, ContentKind.blob, digest, now),
  ];
}
