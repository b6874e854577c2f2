/** Copies an image to another repository of the platform. Its bytes are linked, because each is stored once. */
import { and, eq, sql } from "drizzle-orm";
import {
  blobLinks,
  blobs,
  ContentKind,
  manifestReferences,
} from "../../../schema/tables/distribution/blobs.ts";
import { digestBytes } from "../../../schema/tables/distribution/digest_column.ts";
import { repoStorage } from "../../../schema/tables/distribution/storage.ts";
import { manifests } from "../../../schema/tables/registry/manifests.ts";
import { insertFrom } from "../../aip/insert_from.ts";
import { StaleError } from "../../aip/stale.ts";
import type { Call, Database } from "../../auth/call.ts";
import { commit } from "../../outbox/commit.ts";
import { openContent } from "../blobs/contents.ts";
import {
  blobColumns,
  blobIdOf,
  createStorage,
  isWithinLimit,
  repoIdOf,
  selectQuota,
} from "../blobs/rows.ts";
import { limitOf } from "../blobs/upload_rows.ts";
import type { RegistryContext } from "../context.ts";
import { storageLimitReached } from "../errors.ts";
import { type ManifestDocument, readManifest } from "../manifests/document.ts";
import { isAmong, selectChildren } from "../manifests/rows.ts";
import { storeMirrored } from "../mirror/store_manifest.ts";

/** The most manifests that one image can consist of. */
const mostManifests = 200;

/** Why an image was not copied. */
export class NotCopied extends Error {}

/** A copy from one repository to another. `guards` undo each batch if the access or the settings have changed. */
export interface Copy {
  source: string;
  target: string;
  guards: Call["guards"];
}

/** The statement that reads a manifest of a repository, with its bytes and the configuration of the image. */
const selectStored = (db: Database, repo: string, digest: string) =>
  db
    .select({
      ...blobColumns,
      mediaType: manifests.mediaType,
      architecture: manifests.architecture,
      os: manifests.os,
      imageTime: manifests.imageTime,
      config: manifests.config,
    })
    .from(manifests)
    .crossJoin(repoStorage)
    .crossJoin(blobs)
    .crossJoin(blobLinks)
    .where(
      and(
        eq(manifests.parent, repo),
        eq(manifests.digest, digest),
        eq(repoStorage.uid, manifests.parent),
        eq(blobs.digest, digestBytes(sql`${manifests.digest}`)),
        eq(blobLinks.repo, repoStorage.id),
        eq(blobLinks.kind, ContentKind.manifest),
        eq(blobLinks.blob, blobs.id),
      ),
    );

/**
 * Copies the image and moves the tag to it. Returns the reason if a tag rule refuses the move, and otherwise an empty text.
 * Throws NotCopied if the source does not have all of it, DENIED over the limit of bytes, and Stale if the access or the
 * settings have changed.
 */
export async function copyTag(
  context: RegistryContext,
  copy: Copy,
  tag: string,
  digest: string,
): Promise<string> {
  return copyManifest(context, copy, { tag, digest }, new Set());
}

async function copyManifest(
  context: RegistryContext,
  copy: Copy,
  { tag, digest }: { tag: string | undefined; digest: string },
  seen: Set<string>,
): Promise<string> {
  const { db } = context;
  const { source, target, guards } = copy;
  const [[stored], present] = await db.batch([
    selectStored(db, source, digest),
    db
      .select({ uid: manifests.uid })
      .from(manifests)
      .where(and(eq(manifests.parent, target), eq(manifests.digest, digest))),
  ]);
  const image = { repo: target, tag, digest };
  if (present.length > 0)
    return storeMirrored(context, guards, { ...image, fetched: undefined, image: undefined });
  if (!stored) throw new NotCopied(`the source does not have the manifest ${digest}`);
  const body = await openContent(context, stored);
  if (typeof body === "string") throw new NotCopied(`the bytes of ${digest} are ${body}`);
  const bytes = new Uint8Array(await new Response(body).arrayBuffer());
  const document = readManifest(bytes, stored.mediaType);
  seen.add(digest);
  if (seen.size > mostManifests)
    throw new NotCopied(`an image with more than ${mostManifests} manifests is not copied`);
  await copyParts(context, copy, digest, document, seen);
  const { architecture, os, imageTime, config } = stored;
  // A cast, because the database has the configuration as JSON.
  const known =
    config === null ? undefined : { architecture, os, imageTime, config: config as never };
  return storeMirrored(context, guards, {
    ...image,
    fetched: { bytes, digest, document },
    image: known,
  });
}

/** Links the layers, and copies the manifests of an index that the source has. */
async function copyParts(
  context: RegistryContext,
  copy: Copy,
  digest: string,
  { children }: ManifestDocument,
  seen: Set<string>,
): Promise<void> {
  const { db } = context;
  const { source, target } = copy;
  const [has, [used]] = await db.batch([
    selectChildren(db, source, children),
    selectQuota(db, target),
  ]);
  const isHere = isAmong(has);
  const missing = children.find((child) => !child.isManifest && !child.isForeign && !isHere(child));
  if (missing) throw new NotCopied(`the source does not have ${missing.digest} of ${digest}`);
  for (const child of children.filter((one) => one.isManifest && isHere(one))) {
    if (seen.has(child.digest)) continue;
    await copyManifest(context, copy, { tag: undefined, digest: child.digest }, seen);
  }
  if (children.every(({ isManifest }) => isManifest)) return;
  const limit = limitOf(context, used?.limit);
  const layers = children.filter(({ isManifest }) => !isManifest);
  const bytes = layers.reduce((sum, { size }) => sum + size, used?.bytes ?? 0);
  try {
    await linkLayers(context, copy, digest, limit);
  } catch (thrown) {
    const isFull = limit !== undefined && bytes > limit;
    throw thrown instanceof StaleError && isFull ? storageLimitReached(limit) : thrown;
  }
}

async function linkLayers(
  { db, now }: RegistryContext,
  { source, target, guards }: Copy,
  digest: string,
  limit: number | undefined,
): Promise<void> {
  const held = sql`from ${blobLinks} as "held" where "held"."repo_id" = ${repoIdOf(source)}
    and "held"."kind" = ${ContentKind.blob} and "held"."blob_id" in (
      select ${manifestReferences.blob} from ${manifestReferences}
      where ${manifestReferences.manifest} = ${blobIdOf(digest)})`;
  const link = {
    ...{ repo: repoIdOf(target), kind: ContentKind.blob },
    ...{ blob: sql`"held"."blob_id"`, idleTime: now },
  };
  const [first, ...rest] = [
    ...createStorage(db, target),
    insertFrom(db, blobLinks, link, held).onConflictDoUpdate({
      target: [blobLinks.repo, blobLinks.kind, blobLinks.blob],
      set: { idleTime: sql`max(${blobLinks.idleTime}, ${now})` },
      setWhere: sql`${blobLinks.idleTime} is not null`,
    }),
    ...(limit === undefined ? [] : [isWithinLimit(db, target, limit)]),
  ];
  if (first) await commit({ db, guards }, [first, ...rest]);
}
