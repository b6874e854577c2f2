/** Removes what is left of deleted repositories (`deletion.ts`). */
import { and, sql } from "drizzle-orm";
import { blobLinks } from "../../../schema/tables/distribution/blobs.ts";
import { referrers } from "../../../schema/tables/distribution/referrers.ts";
import { uploads } from "../../../schema/tables/distribution/uploads.ts";
import { roleBindings } from "../../../schema/tables/iam/role_bindings.ts";
import { announcedVulnerabilities } from "../../../schema/tables/registry/announced_vulnerabilities.ts";
import { expiryItems, isItemOf } from "../../../schema/tables/registry/expiry_plans.ts";
import { examinedImages, findings } from "../../../schema/tables/registry/findings.ts";
import { imageSignatures } from "../../../schema/tables/registry/image_signatures.ts";
import { indexEntries } from "../../../schema/tables/registry/index_entries.ts";
import { manifests } from "../../../schema/tables/registry/manifests.ts";
import { sbomPackages } from "../../../schema/tables/registry/sbom_packages.ts";
import { sboms } from "../../../schema/tables/registry/sboms.ts";
import { signedVerdicts } from "../../../schema/tables/registry/signed_verdicts.ts";
import { isInRepo, tags } from "../../../schema/tables/registry/tags.ts";
import {
  pushedSignatures,
  verifiedSignatures,
} from "../../../schema/tables/registry/verified_signatures.ts";
import { vulnReports } from "../../../schema/tables/registry/vuln_reports.ts";
import type { Database } from "../../auth/call.ts";
import type { Statement } from "../../outbox/commit.ts";
import { type Deletion, type Removal, stage } from "../../resource/removal.ts";
import { allowedBefore } from "../tag_rules/permits.ts";
import { recordDeletions } from "../tags/tag_writes.ts";

/** The tags of one batch. Each takes a record in its history. */
const tagsOfBatch = 1_000;

/** Each deletion of a tag is recorded with the time when the deletion of the repository was accepted. */
function removeTags(db: Database, { uid, time, identity, identityName }: Deletion): Statement[] {
  const isOfRepo = isInRepo(uid);
  const isOfBatch = and(
    isOfRepo,
    sql`${tags.name} <= (select max("name") from (
      select "name" from ${tags} where ${isOfRepo} order by "name" limit ${tagsOfBatch}))`,
  );
  const deleter = { identity, name: identityName };
  return [
    ...recordDeletions({ db, now: time }, deleter, isOfBatch, allowedBefore),
    db.delete(tags).where(isOfBatch),
  ];
}

/**
 * The tables in the order in which they are emptied. A row is removed after those that its triggers would delete with
 * it, so that the size of a batch bounds its work. Rows with documents are long, and an upload has many objects.
 */
export const removalOfRepos: Removal = {
  kinds: ["repos"],
  stages: [
    { table: tags, rows: (uid) => isInRepo(uid), remove: removeTags },
    stage(roleBindings, [roleBindings.uid], roleBindings.parent, 1_000),
    stage(expiryItems, [expiryItems.planUid, expiryItems.number], isItemOf, 2_000),
    stage(
      announcedVulnerabilities,
      [announcedVulnerabilities.imageUid, announcedVulnerabilities.vulnerability],
      (uid) => sql`${announcedVulnerabilities.imageUid} > ${uid} || '/'
        and ${announcedVulnerabilities.imageUid} < ${uid} || '0'`,
      2_000,
    ),
    stage(findings, [findings.uid], findings.parent, 2_000),
    stage(examinedImages, [examinedImages.uid], examinedImages.parent, 1_000),
    stage(vulnReports, [vulnReports.uid], vulnReports.parent, 20),
    stage(sbomPackages, [sbomPackages.uid], sbomPackages.parent, 2_000),
    stage(sboms, [sboms.uid], sboms.parent, 20),
    stage(indexEntries, [indexEntries.digest, indexEntries.indexUid], indexEntries.repo, 2_000),
    stage(
      imageSignatures,
      [
        imageSignatures.uid,
        imageSignatures.digest,
        imageSignatures.issuer,
        imageSignatures.subject,
      ],
      imageSignatures.parent,
      2_000,
    ),
    stage(
      verifiedSignatures,
      [
        ...[verifiedSignatures.uid, verifiedSignatures.layer, verifiedSignatures.policyUid],
        ...[verifiedSignatures.keyId, verifiedSignatures.issuer, verifiedSignatures.subject],
      ],
      verifiedSignatures.parent,
      2_000,
    ),
    stage(pushedSignatures, [pushedSignatures.uid], pushedSignatures.parent, 2_000),
    stage(
      signedVerdicts,
      [signedVerdicts.uid, signedVerdicts.policyUid],
      signedVerdicts.parent,
      2_000,
    ),
    stage(manifests, [manifests.uid], manifests.parent, 1_000),
    stage(referrers, [referrers.manifest], referrers.repo, 1_000, { byId: true }),
    stage(blobLinks, [blobLinks.kind, blobLinks.blob], blobLinks.repo, 1_000, { byId: true }),
    stage(uploads, [uploads.id], uploads.repo, 5, { byId: true }),
  ],
};
