/** Manifests of a repository (OCI distribution, "Pulling manifests"). */
import type { Statement } from "../../outbox/commit.ts";
import { rolesOf } from "../../registry/tag_rules/evidence.ts";
import { servedText } from "../../registry/tag_rules/serve.ts";
import { chooseForPull } from "../../registry/tag_rules/serving.ts";
import { logFailure } from "../../rpc/database_failure.ts";
import { type Reach, reachRepository } from "../access.ts";
import { countAnonymousPull } from "../anonymous_pulls.ts";
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
import { selectPublic } from "../public_content.ts";
import type { ImageName } from "../repository.ts";
import { isTag } from "../tag.ts";
import { recordTagPull } from "../tag_pulls.ts";
import { insertPull } from "../traffic.ts";
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
  const reach = await reachRepository(context, bearer, image, "pull", [
    selectReferenced(db, image, reference),
    selectPublic(context, image, reference),
  ]);
  const [[stored], [open]] = reach.rows;
  const { row, repo, warning } = await mirrored(context, reach, image, reference, stored);
  if (repo === undefined) throw nameUnknown(image.full);
  const pull = { image, repo, ...(isTag ? { tag: reference } : { digest: reference }) };
  try {
    const isHidden = reach.isPublicOnly && !open;
    if (!row || row.size === null || isHidden) throw manifestUnknown(reference);
    const served = await servedRow(context, image, { ...reach, repo }, row, reference);
    if (served.size === null) throw manifestUnknown(reference);
    const response = await respond(context, served, served.size);
    if (served !== row) response.headers.set("platform-tag-digest", row.digest);
    if (warning !== undefined) response.headers.set("warning", warning);
    recordPull(context, reach, { ...pull, digest: served.digest });
    return response;
  } catch (thrown) {
    if (thrown instanceof RegistryError && reach.caller && !reach.isPublicOnly) {
      const { status, code, message } = thrown;
      recordPull(context, reach, { ...pull, error: { status, code, message } });
    }
    throw thrown;
  }
}

/**
 * The manifest that a pull of the tag gets, if a tag rule chooses one. That of an earlier digest takes a second round trip.
 * Throws MANIFEST_UNKNOWN if the rule allows none.
 */
async function servedRow(
  context: RegistryContext,
  image: ImageName,
  { caller, isPublicOnly, repo }: Pick<Reach, "caller" | "isPublicOnly"> & { repo: string },
  row: ReferencedRow,
  tag: string,
): Promise<ReferencedRow> {
  if (row.serving === null) return row;
  const { digest, rule, reason } = await chooseForPull(context.db, row.serving, {
    repo,
    ...{ tag, digest: row.digest, now: context.now },
    roles: caller ? rolesOf(caller, repo) : new Set(),
    host: new URL(context.config.registryUrl).host,
  });
  if (digest === row.digest) return row;
  const [[served] = []] = digest
    ? await context.db.batch([selectReferenced(context.db, image, digest)])
    : [];
  // Anyone may pull a public image. They do not see the rules of its organization, nor what is known of its images.
  const text = rule && !isPublicOnly ? servedText(tag, rule, reason) : `a rule holds ${tag} back`;
  if (!served) throw heldBack(text);
  return served;
}

async function respond(
  context: RegistryContext,
  row: ReferencedRow,
  size: number,
): Promise<Response> {
  const unchanged = notModified(context, row.digest);
  if (unchanged) return unchanged;
  const headers = contentHeaders(row.digest, row.mediaType, size);
  if (row.fault !== null) throw contentDamaged(row.digest, true, row.fault);
  if (context.request.method === "HEAD") return new Response(null, { headers });
  const body = await openContent(context, row);
  if (typeof body === "string") throw contentDamaged(row.digest, true, body);
  return new Response(body, { headers });
}

/**
 * Records a pull after the response, for the share of pulls in the configuration. A pull of an identity writes an event.
 * Others are only counted.
 */
function recordPull(
  context: RegistryContext,
  reach: Pick<Reach, "caller" | "isPublicOnly">,
  traffic: Parameters<typeof insertPull>[2],
): void {
  if (Math.random() >= context.config.pullEvents) return;
  const { repo, tag, digest = "" } = traffic;
  const pull = { repo, digest, ...(tag === undefined ? {} : { tag }) };
  if (!reach.caller) {
    countAnonymousPull(context, pull);
    return;
  }
  const writes: [Statement, ...Statement[]] = [
    insertPull(context, reach, traffic),
    ...(traffic.error ? [] : [recordTagPull(context, reach, pull)]),
  ];
  const write = async () => {
    try {
      await context.db.batch(writes);
    } catch (thrown) {
      logFailure("the event of a pull was not written", thrown, { level: "warn" });
    }
  };
  context.waitUntil(write());
}
