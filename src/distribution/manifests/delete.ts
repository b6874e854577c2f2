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
import { manifestDeletion, maxDeletedTags } from "../../registry/images/manifest_deletion.ts";
import { selectManifest } from "../../registry/images/stored_manifests.ts";
import { permitManifestDeletion, selectHolders } from "../../registry/tag_rules/held_tags.ts";
import { permitChanges } from "../../registry/tag_rules/permits.ts";
import { type RuleRow, selectRules } from "../../registry/tag_rules/stored_rules.ts";
import { selectNamedTag, tagColumns } from "../../registry/tags/tag_rows.ts";
import { recordDeletions, tagDeletion } from "../../registry/tags/tag_writes.ts";
import { reachRepository } from "../access.ts";
import type { RegistryBearer } from "../bearer.ts";
import { callOf } from "../calls.ts";
import type { RegistryContext } from "../context.ts";
import { isDigest } from "../digest.ts";
import { manifestUnknown, nameUnknown, refusedByRule } from "../errors.ts";
import { overrideReasonOf } from "../override.ts";
import { forgetPublic } from "../public_cache.ts";
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
  forgetPublic(context, image, [`manifests/${reference}`]);
  return new Response(null, { status: 202, headers: { "content-length": "0" } });
}

async function deleteTag(
  context: RegistryContext,
  bearer: RegistryBearer,
  image: ImageName,
  name: string,
): Promise<void> {
  const { db } = context;
  const repo = repoUidOf(db, image);
  const reach = await reachRepository(context, bearer, image, "delete", [
    selectNamedTag({ db }, repo, name),
    selectRules(db, repo),
  ]);
  const [[row], rules] = reach.rows;
  const { caller, guards } = reach;
  if (reach.repositoryPath.repo === undefined || !caller) throw nameUnknown(image.full);
  if (!row) throw manifestUnknown(name);
  const call = callOf(context, bearer, reach, TagsService.method.deleteTag);
  const permit = await permitChanges(call, caller, {
    ...aboutOf(context, row.parent, rules),
    changes: [{ tag: row.name, from: row.digest, to: "" }],
  });
  // The event says which digest the tag pointed to until it was deleted.
  const isSame = and(hasUid(tags, row.uid), eq(tags.digest, row.digest));
  await commit({ db, guards }, [
    ...recordDeletions(call, caller, isSame, permit, TagMoveMethod.REGISTRY),
    db.delete(tags).where(isSame),
    onlyIfChanged(db),
    insertEvent(call, caller, tagDeletion(row)),
  ]);
}

/** The question to the rules of a repository, without the tags. */
const aboutOf = (context: RegistryContext, repo: string, rules: RuleRow[]) => ({
  repo,
  rules,
  overrideReason: overrideReasonOf(context),
  refuse: refusedByRule,
});

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
    selectRules(db, repo),
    selectHolders(db, repo, digest),
  ]);
  const [[row], tagRows, rules, holders] = reach.rows;
  const { caller, guards } = reach;
  if (reach.repositoryPath.repo === undefined || !caller) throw nameUnknown(image.full);
  if (!row) throw manifestUnknown(digest);
  const call = callOf(context, bearer, reach, ManifestsService.method.deleteManifest);
  const about = aboutOf(context, row.parent, rules);
  const permit = await permitManifestDeletion(call, caller, about, digest, tagRows, holders);
  await commit(
    { db, guards },
    manifestDeletion(call, caller, row, tagRows, permit, TagMoveMethod.REGISTRY),
  );
}
