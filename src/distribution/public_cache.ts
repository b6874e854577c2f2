/**
 * Public content in the cache of the data center (Cloudflare's Cache API). There are two kinds of entries. A row says for a
 * short time that anyone may pull a reference, and where its bytes are. The bytes of a digest never change, so they are
 * kept for long, and are only served after a row has led to them. So deleted content is gone when its row is.
 */
import { isNamed, isPublicImage } from "./access.ts";
import type { RegistryBearer } from "./bearer.ts";
import type { ByteRange } from "./blobs/byte_range.ts";
import { openContent } from "./blobs/contents.ts";
import type { BlobRow } from "./blobs/rows.ts";
import type { Fault } from "./blobs/storage.ts";
import type { RegistryContext } from "./context.ts";
import { isDigest } from "./digest.ts";
import type { ImageName } from "./repository.ts";

/** How long a row is kept, in seconds. An expiry plan waits longer than this before it deletes. */
export const lifetimes = { tag: 10, digest: 30 };

/** How long bytes are kept, in seconds: a year. */
const bytesLifetime = 31_536_000;

/** Larger content is read from R2 each time. Copying it takes too long after a response. */
const maxCachedSize = 128 * 1024 * 1024;

/** The content that a reference of a public image leads to. */
export interface PublicRow extends BlobRow {
  /** The uid of the repository. */
  repoUid: string;
  /** That of a manifest. */
  mediaType: string;
  /** The digest that the tag points to, if a rule serves another one. */
  tagDigest?: string;
}

/** A cast, because the type of a browser's `caches` has no default cache. */
const cache = () => (caches as unknown as { default: Cache }).default;

/** A path that the registry does not serve. Nothing but this file reads or writes the entries. */
const urlOf = ({ config }: Pick<RegistryContext, "config">, path: string) =>
  `${config.registryUrl}/_cache/${path}`;

/** `path` is the kind and the reference, such as `manifests/latest`. */
const rowUrl = (context: Pick<RegistryContext, "config">, image: ImageName, path: string) =>
  urlOf(context, `rows/${image.full}/${path}`);

const lifetimeOf = (path: string) =>
  isDigest(path.slice(path.indexOf("/") + 1)) ? lifetimes.digest : lifetimes.tag;

/**
 * The cached row of a request without an identity, whose token names the image. Undefined if there is none. It reads
 * nothing from D1 and R2.
 */
export async function findPublic(
  context: RegistryContext,
  bearer: RegistryBearer,
  image: ImageName,
  path: string,
): Promise<PublicRow | undefined> {
  if (bearer.credential || !isPublicImage(context, image)) return undefined;
  if (!isNamed(bearer, [image.full, image.asked], "pull")) return undefined;
  const found = await cache().match(rowUrl(context, image, path));
  return found && ((await found.json()) as PublicRow);
}

/** Keeps the row of a request without an identity, after the response. */
export function keepPublic(
  context: RegistryContext,
  image: ImageName,
  path: string,
  row: PublicRow,
): void {
  const headers = { "cache-control": `max-age=${lifetimeOf(path)}` };
  const entry = Response.json(row, { headers });
  context.waitUntil(
    cache()
      .put(rowUrl(context, image, path), entry)
      .catch(() => {}),
  );
}

/** Forgets rows of an image in this data center at once. In others they end by themselves. */
export function forgetPublic(context: RegistryContext, image: ImageName, paths: string[]): void {
  if (!isPublicImage(context, image)) return;
  const forget = async (path: string) => cache().delete(rowUrl(context, image, path));
  context.waitUntil(Promise.all(paths.map(forget)).catch(() => {}));
}

/** The headers of public content. A tag is asked for again each time, with its entity tag. */
export const publicHeaders = (path: string) => ({
  "cache-control": isDigest(path.slice(path.indexOf("/") + 1))
    ? `public, max-age=${lifetimes.digest}`
    : "public, no-cache",
  vary: "authorization",
});

/** The headers of content that only some may pull. A private cache asks again each time, because access can end. */
export const privateHeaders = { "cache-control": "private, no-cache" };

/** The bytes of public content from the cache. Undefined if it does not have them, and it then gets them. */
export async function cachedBytes(
  context: RegistryContext,
  row: BlobRow,
  range: ByteRange | undefined,
): Promise<ReadableStream | undefined> {
  const { content, digest, size } = row;
  if (content !== null || size === null || size > maxCachedSize) return undefined;
  const last = range && range.offset + range.length - 1;
  const headers: HeadersInit = range ? { range: `bytes=${range.offset}-${last}` } : {};
  const url = urlOf(context, `bytes/${digest}`);
  const found = await cache().match(new Request(url, { headers }));
  if (found?.body && found.status === (range ? 206 : 200)) return found.body;
  await found?.body?.cancel();
  if (!found) context.waitUntil(fill(context, url, row).catch(() => {}));
  return undefined;
}

const filling = new Set<string>();

/** A read of its own: a response that is read slowly would otherwise have to be held in memory. */
async function fill(context: RegistryContext, url: string, row: BlobRow): Promise<void> {
  if (filling.has(row.digest)) return;
  filling.add(row.digest);
  try {
    const body: ReadableStream | Uint8Array<ArrayBuffer> | Fault = await openContent(context, row);
    if (typeof body === "string") return;
    const headers = {
      "cache-control": `max-age=${bytesLifetime}`,
      "content-type": "application/octet-stream",
      "content-length": String(row.size),
    };
    await cache().put(url, new Response(body, { headers }));
  } finally {
    filling.delete(row.digest);
  }
}
