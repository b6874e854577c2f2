/** Blobs of a repository (OCI distribution, "Pulling blobs" and "Deleting blobs"). */
import { and, eq, lt, sql } from "drizzle-orm";
import {
  blobLinks,
  ContentKind,
  manifestReferences,
} from "../../../schema/tables/distribution/blobs.ts";
import { commitForResults } from "../../outbox/commit.ts";
import { reachRepository } from "../access.ts";
import type { RegistryBearer } from "../bearer.ts";
import type { RegistryContext } from "../context.ts";
import {
  blobInUse,
  blobUnknown,
  contentDamaged,
  nameUnknown,
  rangeNotSatisfiable,
} from "../errors.ts";
import { mirroredBlob } from "../mirror/blobs.ts";
import {
  cachedBytes,
  findPublic,
  forgetPublic,
  keepPublic,
  privateHeaders,
  publicHeaders,
} from "../public_cache.ts";
import { selectPublic } from "../public_content.ts";
import type { ImageName } from "../repository.ts";
import { readRange } from "./byte_range.ts";
import { openContent } from "./contents.ts";
import { beginEarly, type EarlyRead, rememberBlob } from "./early_read.ts";
import { presign } from "./presigned.ts";
import { type BlobRow, selectLinked } from "./rows.ts";
import type { Opened } from "./storage.ts";

/** How long a link may be idle before a client that finds it renews its time, in milliseconds. */
const renewAfter = 60 * 60 * 1000;

/** The headers of a blob or a manifest. Its digest is its entity tag. */
export const contentHeaders = (digest: string, mediaType: string, size: number) => ({
  "content-type": mediaType,
  "content-length": String(size),
  "docker-content-digest": digest,
  etag: `"${digest}"`,
});

/** 304 if the client already has the content. Undefined otherwise. */
export function notModified(
  { request }: RegistryContext,
  digest: string,
  otherHeaders: Record<string, string>,
): Response | undefined {
  const known = request.headers.get("if-none-match");
  const tags = known?.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  if (!tags?.some((tag) => tag === "*" || tag === `"${digest}"`)) return undefined;
  const headers = { ...otherHeaders, etag: `"${digest}"`, "docker-content-digest": digest };
  return new Response(null, { status: 304, headers });
}

/** `GET` and `HEAD /v2/<name>/blobs/<digest>`, with Range. */
export async function getBlob(
  context: RegistryContext,
  bearer: RegistryBearer,
  image: ImageName,
  digest: string,
): Promise<Response> {
  const early = beginEarly(context, bearer, image, digest);
  try {
    return await readBlob(context, bearer, image, digest, early);
  } catch (thrown) {
    early?.drop();
    throw thrown;
  }
}

async function readBlob(
  context: RegistryContext,
  bearer: RegistryBearer,
  image: ImageName,
  digest: string,
  early: EarlyRead | undefined,
): Promise<Response> {
  const { db } = context;
  const reach = await reachRepository(context, bearer, image, "pull", [
    selectLinked(db, image, ContentKind.blob, digest),
    ...selectPublic(context, image, digest),
  ]);
  const [[row], [open] = []] = reach.rows;
  const { repo } = reach.repositoryPath;
  if (repo === undefined) throw nameUnknown(image.full);
  const again = () => getBlob(context, bearer, image, digest);
  const isMissing = row?.size == null || row.fault !== null;
  const fetched = isMissing ? await mirroredBlob(context, reach, digest, again) : undefined;
  if (fetched) {
    early?.drop();
    return fetched;
  }
  if (!row || row.size === null || (reach.isPublicOnly && !open)) throw blobUnknown(digest);
  if (row.fault !== null) throw contentDamaged(digest, false, row.fault);
  if (!(await renewLink(context, row))) throw blobUnknown(digest);
  if (reach.caller || !reach.isPublicOnly) {
    rememberBlob(bearer, image, row);
    return respond(context, row, undefined, early?.take(row));
  }
  const path = pathOf(digest);
  keepPublic(context, image, path, { ...row, repoUid: repo, mediaType: "" });
  return respond(context, row, path);
}

/** The same as {@link getBlob}, for anyone and from the cache. Undefined if the cache does not know the digest. */
export async function getPublicBlob(
  context: RegistryContext,
  bearer: RegistryBearer,
  image: ImageName,
  digest: string,
): Promise<Response | undefined> {
  const path = pathOf(digest);
  const row = await findPublic(context, bearer, image, path);
  return row && respond(context, row, path);
}

const pathOf = (digest: string) => `blobs/${digest}`;

/** `path` is that of a public row, and `early` a read of the bytes that has begun. */
async function respond(
  context: RegistryContext,
  row: BlobRow,
  path?: string,
  early?: Promise<Opened>,
): Promise<Response> {
  const { request } = context;
  const { digest } = row;
  const size = row.size ?? 0;
  const caching = path === undefined ? privateHeaders : publicHeaders(path);
  const unchanged = notModified(context, digest, caching);
  if (unchanged) return unchanged;
  const headers = {
    ...caching,
    ...contentHeaders(digest, "application/octet-stream", size),
    "accept-ranges": "bytes",
  };
  if (request.method === "HEAD") return new Response(null, { headers });
  const range = readRange(request.headers, size, headers.etag);
  if (range === "unsatisfiable") throw rangeNotSatisfiable(size);
  const { offset, length } = range ?? { offset: 0, length: size };
  const cached = path === undefined ? undefined : await cachedBytes(context, row, range);
  // R2 has another entity tag for the object.
  const isConditional = request.headers.has("range") && request.headers.has("if-range");
  const elsewhere = cached || isConditional ? undefined : await redirect(context, row);
  if (elsewhere) return elsewhere;
  const body = cached ?? (await openContent(context, row, { offset, length }, early));
  if (typeof body === "string") throw contentDamaged(digest, false, body);
  if (!range) return new Response(body, { headers });
  const partial = {
    "content-length": String(length),
    "content-range": `bytes ${offset}-${offset + length - 1}/${size}`,
  };
  return new Response(body, { status: 206, headers: { ...headers, ...partial } });
}

/** A smaller blob is returned faster than a redirect. */
const minRedirectedSize = 1024 * 1024;

/** How long the URL of a redirect can be used, in seconds. */
const redirectLifetime = 15 * 60;

/** 307 to the object in R2, which reads the Range of the request itself. Undefined if there is no redirect. */
async function redirect(
  context: RegistryContext,
  { size, pieces: [piece, ...others] }: BlobRow,
): Promise<Response | undefined> {
  const { config, now, storage } = context;
  const { s3 } = config;
  if (!s3?.redirectsPulls || (size ?? 0) < minRedirectedSize) return undefined;
  // A blob that came in several requests is in several objects.
  if (!piece || others.length > 0) return undefined;
  const { key, etag } = piece;
  // R2 would send whatever is there.
  const stored = await storage.stat(key);
  if (stored?.size !== size || stored.etag !== etag) return undefined;
  const location = await presign(s3, { method: "GET", key, lifetime: redirectLifetime }, now);
  const headers = { location, "cache-control": "no-store", "content-length": "0" };
  return new Response(null, { status: 307, headers });
}

/**
 * A client that finds an idle link may push a manifest that needs the blob, and not the blob itself. The
 * time of the link is renewed, so that the clean-up does not delete it in between. False if it just has.
 */
export async function renewLink(
  { db, now }: RegistryContext,
  { linkIdle, repo, id }: { linkIdle: number | null; repo: number; id: number },
): Promise<boolean> {
  if (linkIdle === null || linkIdle > now - renewAfter) return true;
  const link = and(
    eq(blobLinks.repo, repo),
    eq(blobLinks.kind, ContentKind.blob),
    eq(blobLinks.blob, id),
  );
  const [, left] = await db.batch([
    db
      .update(blobLinks)
      .set({ idleTime: now })
      .where(and(link, lt(blobLinks.idleTime, now))),
    db.select({ blob: blobLinks.blob }).from(blobLinks).where(link),
  ]);
  return left.length > 0;
}

/** `DELETE /v2/<name>/blobs/<digest>`. Throws UNSUPPORTED while a manifest of the repository needs the blob. */
export async function deleteBlob(
  context: RegistryContext,
  bearer: RegistryBearer,
  image: ImageName,
  digest: string,
): Promise<Response> {
  const { db } = context;
  const reach = await reachRepository(context, bearer, image, "delete", [
    selectLinked(db, image, ContentKind.blob, digest),
  ]);
  const [[row]] = reach.rows;
  if (reach.repositoryPath.repo === undefined) throw nameUnknown(image.full);
  if (!row) throw blobUnknown(digest);
  const { repo, id } = row;
  const isUsed = sql`exists (select 1 from ${manifestReferences} as used join ${blobLinks} as holder
    on holder.repo_id = ${repo} and holder.kind = ${ContentKind.manifest} and holder.blob_id = used.manifest_id
    where used.blob_id = ${id})`;
  const results = await commitForResults({ db, guards: reach.guards }, [
    db
      .delete(blobLinks)
      .where(
        and(
          eq(blobLinks.repo, repo),
          eq(blobLinks.kind, ContentKind.blob),
          eq(blobLinks.blob, id),
          sql`not ${isUsed}`,
        ),
      ),
    db.select({ one: sql<number>`1` }).from(sql`(select 1) as used`).where(isUsed),
  ]);
  if ((results[1] as unknown[]).length > 0) throw blobInUse(digest);
  forgetPublic(context, image, [pathOf(digest)]);
  return new Response(null, { status: 202, headers: { "content-length": "0" } });
}
