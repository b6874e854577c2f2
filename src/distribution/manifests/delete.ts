/** `DELETE /v2/<name>/manifests/<reference>` (OCI distribution, "Deleting manifests" and "Deleting tags"). */
import { and, eq } from "drizzle-orm";
import { TagMoveMethod } from "../../../schema/gen/platform/registry/history/v2/tag_history_pb.js";
import { ManifestsService } from "../../../schema/gen/platform/registry/v2/manifests_pb.js";
import { TagsService } from "../../../schema/gen/platform/registry/v2/tags_pb.js";
import { hasUid } from "../../../schema/tables/list_indexes.ts";
import { pointsTo, tags } from "../../../schema/tables/registry/tags.ts";
import { retryStale } from "../../aip/stale.ts";
import { commit, onlyIfChanged } from "../../outbox/commit.ts";
import { insertEvent } from "../../outbox/outbox.ts";
import {
  manifestDeletion,
  maxDeletedTags,
  selectManifest,
} from "../../registry/images/manifests.ts";
import {
  recordDeletions,
  selectNamedTag,
  tagColumns,
  tagDeletion,
} from "../../registry/tags/tags.ts";
import { reachRepository } from "../access.ts";
import type { RegistryBearer } from "../bearer.ts";
import { callOf } from "../calls.ts";
import type { RegistryContext } from "../context.ts";
import { isDigest } from "../digest.ts";
import { manifestUnknown, nameUnknown } from "../errors.ts";
import { type ImageName, repoUidOf } from "../repository.ts";

/** Deletes a tag, or a manifest with the tags that point to it. */
export async function deleteManifest(
  context: RegistryContext,
  bearer: RegistryBearer,
  image: ImageName,
  reference: string,
): Promise<Response> {
  const remove = isDigest(reference) ? deleteByDigest : deleteTag;
  await retryStale(() => remove(context, bearer, image, reference));
  return new Response(null, { status: 202, headers: { "content-length": "0" } });
}

async function deleteTag(
  context: RegistryContext,
  bearer: RegistryBearer,
  image: ImageName,
  name: string,
): Promise<void> {
  const { db } = context;
  const reach = await reachRepository(context, bearer, image, "delete", [
    selectNamedTag({ db }, repoUidOf(db, image), name),
  ]);
  const [[row]] = reach.rows;
  const { caller, guards } = reach;
  if (reach.repositoryPath.repo === undefined || !caller) throw nameUnknown(image.full);
  if (!row) throw manifestUnknown(name);
  const call = callOf(context, bearer, reach, TagsService.method.deleteTag);
  // The event says which digest the tag pointed to until it was deleted.
  const isSame = and(hasUid(tags, row.uid), eq(tags.digest, row.digest));
  await commit({ db, guards }, [
    recordDeletions(call, caller, isSame, TagMoveMethod.REGISTRY),
    db.delete(tags).where(isSame),
    onlyIfChanged(db),
    insertEvent(call, caller, tagDeletion(row)),
  ]);
}

async function deleteByDigest(
  context: RegistryContext,
  bearer: RegistryBearer,
  image: ImageName,
  digest: string,
): Promise<void> {
  const { db } = context;
  const repo = repoUidOf(db, image);
  const pointing = db
    .select(tagColumns)
    .from(tags)
    .where(pointsTo(repo, digest))
    .limit(maxDeletedTags + 1);
  const reach = await reachRepository(context, bearer, image, "delete", [
    selectManifest({ db }, repo, digest),
    pointing,
  ]);
  const [[row], tagRows] = reach.rows;
  const { caller, guards } = reach;
  if (reach.repositoryPath.repo === undefined || !caller) throw nameUnknown(image.full);
  if (!row) throw manifestUnknown(digest);
  const call = callOf(context, bearer, reach, ManifestsService.method.deleteManifest);
  await commit(
    { db, guards },
    manifestDeletion(call, caller, row, tagRows, TagMoveMethod.REGISTRY),
  );
}
