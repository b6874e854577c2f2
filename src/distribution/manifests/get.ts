/** Manifests of a repository (OCI distribution, "Pulling manifests"). */
import { rolesOf } from "../../registry/tag_rules/evidence.ts";
import { servedText } from "../../registry/tag_rules/serve.ts";
import { chooseForPull, readServing } from "../../registry/tag_rules/serving.ts";
import { type Reach, reachRepository } from "../access.ts";
import type { RegistryBearer } from "../bearer.ts";
import { contentHeaders, notModified } from "../blobs/blobs.ts";
import { openContent } from "../blobs/contents.ts";
import type { RegistryContext } from "../context.ts";
import { isDigest } from "../digest.ts";
import {
  contentDamaged,
  heldBack,
  manifestUnknown,
  nameUnknown,
  RegistryError,
} from "../errors.ts";
import { mirrored } from "../mirror/mirrored.ts";
import {
  cachedBytes,
  findPublic,
  keepPublic,
  type PublicRow,
  privateHeaders,
  publicHeaders,
} from "../public_cache.ts";
import { selectPublic } from "../public_content.ts";
import { anyone, countPull, recordPullNow, sendPulls } from "../pulls/count_pull.ts";
import type { ImageName } from "../repository.ts";
import { isTag } from "../tag.ts";
import { pullEvent } from "../traffic.ts";
import { type ReferencedRow, selectReferenced } from "./rows.ts";

/** Whether the text can be a tag or a digest. */
export const isReference = (text: string): boolean => isDigest(text) || isTag(text);

/** `GET` and `HEAD /v2/<name>/manifests/<reference>`. */
export async function getManifest(
  context: RegistryContext,
  bearer: RegistryBearer,
  image: ImageName,
  reference: string,
): Promise<Response> {
  const { db } = context;
  const isTag = !isDigest(reference);
  const reach = await reachRepository(
    context,
    bearer,
    image,
    "pull",
    [
      selectReferenced(db, image, reference, { withServing: servedImages.has(image.full) }),
      ...selectPublic(context, image, reference),
    ],
    { isPull: true },
  );
  const [[stored], [open] = []] = reach.rows;
  const { row, repo, warning } = await mirrored(context, reach, image, reference, stored);
  if (repo === undefined) throw nameUnknown(image.full);
  const pull = { image, repo, ...(isTag ? { tag: reference } : { digest: reference }) };
  try {
    const isHidden = reach.isPublicOnly && !open;
    if (!row || row.size === null || isHidden) throw manifestUnknown(reference);
    const served = await servedRow(context, image, { ...reach, repo }, row, reference);
    if (served.size === null) throw manifestUnknown(reference);
    const found = { ...served, ...(served === row ? {} : { tagDigest: row.digest }) };
    const isAnyone = !reach.caller && reach.isPublicOnly;
    const path = isAnyone ? pathOf(reference) : undefined;
    const response = await respond(context, found, path);
    if (warning !== undefined) response.headers.set("warning", warning);
    // A client that has the bytes gets 304 also if they are damaged here.
    else if (path !== undefined && !reach.repositoryPath.isAwaited && found.fault === null)
      keepPublic(context, image, path, { ...found, repoUid: repo });
    recordPull(context, reach, { ...pull, digest: served.digest });
    return response;
  } catch (thrown) {
    if (thrown instanceof RegistryError && reach.caller && !reach.isStranger) {
      const { status, code, message } = thrown;
      recordPull(context, reach, { ...pull, error: { status, code, message } });
    }
    throw thrown;
  }
}

/**
 * Images with a rule that chooses images, as far as this isolate has met them. A pull of another one needs a second round
 * trip if it has such a rule too.
 */
const servedImages = new Set<string>();

function rememberServed(image: string): void {
  if (servedImages.size >= 1_000) servedImages.clear();
  servedImages.add(image);
}

/**
 * The manifest that a pull of the tag gets, if a tag rule chooses one. That of an earlier digest takes a second round trip.
 * Throws MANIFEST_UNKNOWN if the rule allows none.
 */
async function servedRow(
  context: RegistryContext,
  image: ImageName,
  { caller, isStranger, repo }: Pick<Reach, "caller" | "isStranger"> & { repo: string },
  row: ReferencedRow,
  tag: string,
): Promise<ReferencedRow> {
  if (!row.isServed) return row;
  const serving = row.serving ?? (await readServing(context.db, repo, tag));
  rememberServed(image.full);
  const { digest, rule, reason } = await chooseForPull(context.db, serving, {
    repo,
    ...{ tag, digest: row.digest, now: context.now },
    roles: caller ? rolesOf(caller, repo) : new Set(),
    host: new URL(context.config.registryUrl).host,
  });
  if (digest === row.digest) return row;
  const [[served] = []] = digest
    ? await context.db.batch([selectReferenced(context.db, image, digest)])
    : [];
  // Anyone may pull a public image, or from an open mirror. They do not see the rules of its organization, nor what is known of its images.
  const text = rule && !isStranger ? servedText(tag, rule, reason) : `a rule holds ${tag} back`;
  if (!served) throw heldBack(text);
  return served;
}

/** The same as {@link getManifest}, for anyone and from the cache. Undefined if the cache does not know the reference. */
export async function getPublicManifest(
  context: RegistryContext,
  bearer: RegistryBearer,
  image: ImageName,
  reference: string,
): Promise<Response | undefined> {
  const path = pathOf(reference);
  const row = await findPublic(context, bearer, image, path);
  if (!row) return undefined;
  const tag = isDigest(reference) ? {} : { tag: reference };
  countPull(context, anyone, { repo: row.repoUid, digest: row.digest, ...tag });
  return respond(context, row, path);
}

const pathOf = (reference: string) => `manifests/${reference}`;

/** `path` is that of a public row. */
async function respond(
  context: RegistryContext,
  row: Omit<PublicRow, "repoUid">,
  path?: string,
): Promise<Response> {
  const { digest, tagDigest, mediaType, size, fault } = row;
  const caching = {
    ...(tagDigest === undefined ? {} : { "platform-tag-digest": tagDigest }),
    ...(path === undefined ? privateHeaders : publicHeaders(path)),
  };
  const unchanged = notModified(context, digest, caching);
  if (unchanged) return unchanged;
  const headers = { ...caching, ...contentHeaders(digest, mediaType, size ?? 0) };
  if (fault !== null) throw contentDamaged(digest, true, fault);
  if (context.request.method === "HEAD") return new Response(null, { headers });
  const cached = path === undefined ? undefined : await cachedBytes(context, row, undefined);
  const body = cached ?? (await openContent(context, row));
  if (typeof body === "string") throw contentDamaged(digest, true, body);
  return new Response(body, { headers });
}

/**
 * Counts a pull. It has an event if the caller has an identity and the organization a subscription for it. While the
 * repository has an open expiry plan, the pull is written at once, so that the plan knows of it.
 */
function recordPull(
  context: RegistryContext,
  { repositoryPath: { isHeard, isAwaited }, ...reach }: Reach,
  traffic: Parameters<typeof pullEvent>[2],
): void {
  const { repo, tag, digest = "", error } = traffic;
  const pull = { repo, digest, ...(tag === undefined ? {} : { tag }) };
  const events = isHeard && reach.caller ? [pullEvent(context, reach, traffic)] : [];
  if (isAwaited && !error) {
    recordPullNow(context, reach, pull, events);
    return;
  }
  if (!error) countPull(context, reach, pull);
  if (events.length > 0) context.waitUntil(sendPulls(context, { sums: [], events }));
}
