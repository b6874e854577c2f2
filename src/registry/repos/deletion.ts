/**
 * Deletes a repository and everything in it, except its tag history. If it has few rows, one batch deletes them.
 * Otherwise the schedule removes what is in it (`removal.ts`).
 */
import { eq, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { counts } from "../../../schema/tables/counts.ts";
import { blobLinks } from "../../../schema/tables/distribution/blobs.ts";
import { repoStorage } from "../../../schema/tables/distribution/storage.ts";
import { roleBindings } from "../../../schema/tables/iam/role_bindings.ts";
import {
  expiryItems,
  expiryPlans,
  isItemOf,
} from "../../../schema/tables/registry/expiry_plans.ts";
import { findings } from "../../../schema/tables/registry/findings.ts";
import { imageHolds } from "../../../schema/tables/registry/image_holds.ts";
import { imageSignatures } from "../../../schema/tables/registry/image_signatures.ts";
import { manifests } from "../../../schema/tables/registry/manifests.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { sbomPackages } from "../../../schema/tables/registry/sbom_packages.ts";
import { sboms } from "../../../schema/tables/registry/sboms.ts";
import { signedVerdicts } from "../../../schema/tables/registry/signed_verdicts.ts";
import { tagRules } from "../../../schema/tables/registry/tag_rules.ts";
import { isInRepo, tags } from "../../../schema/tables/registry/tags.ts";
import { trustPolicies } from "../../../schema/tables/registry/trust_policies.ts";
import {
  pushedSignatures,
  verifiedSignatures,
} from "../../../schema/tables/registry/verified_signatures.ts";
import { vulnReports } from "../../../schema/tables/registry/vuln_reports.ts";
import type { Call, Database } from "../../auth/call.ts";
import type { Caller } from "../../auth/grants.ts";
import { leaveTotals, markDeleted, selectIsLarge } from "../../resource/deletion_in_batches.ts";
import type { Permit } from "../tag_rules/permits.ts";
import { recordDeletions } from "../tags/tag_writes.ts";

/** A document has the weight of many rows, because it can have 2 MB. */
const rowsOfDocument = 20;

/** The statement that reads whether the repository has more rows than one batch deletes: `[{ isLarge }]`. */
export function selectHasManyRows(db: Database, uid: string) {
  const weight = sql`iif(${counts.kind} in ('sboms', 'vuln_reports'), ${rowsOfDocument}, 1)`;
  const storage = sql`(select ${repoStorage.id} from ${repoStorage} where ${eq(repoStorage.uid, uid)})`;
  const parts = [
    ...[findings, sbomPackages, imageSignatures],
    ...[pushedSignatures, verifiedSignatures, signedVerdicts],
  ].map((table): [SQLiteTable, SQL] => [table, eq(table.parent, uid)]);
  const items: [SQLiteTable, SQL] = [expiryItems, isItemOf(uid)];
  return selectIsLarge(
    db,
    uid,
    [...parts, items, [blobLinks, eq(blobLinks.repo, storage)]],
    weight,
  );
}

/** The statements that delete the rules, trust policies, holds and expiry plans of a repository. It has few of them. */
const deleteSettings = (db: Database, uid: string) =>
  [tagRules, trustPolicies, imageHolds, expiryPlans].map((table) =>
    db.delete(table).where(eq(table.parent, uid)),
  );

/** The statements before and after the deletion of the row of a repository, which delete everything in it. */
export const deletionAtOnce = (call: Call, caller: Caller, uid: string, permit: Permit) => ({
  before: [
    ...recordDeletions(call, caller, isInRepo(uid), permit),
    call.db.delete(expiryItems).where(isItemOf(uid)),
    ...deleteSettings(call.db, uid),
  ],
  extraWrites: [
    call.db.delete(tags).where(isInRepo(uid)),
    ...[manifests, signedVerdicts, sboms, vulnReports, roleBindings].map((table) =>
      call.db.delete(table).where(eq(table.parent, uid)),
    ),
  ],
});

/** The statements before the deletion of the row of a repository, if the schedule removes what is in it. */
export const deletionInBatches = (call: Call, caller: Caller, uid: string, permit: Permit) => ({
  before: [
    ...permit.before,
    ...permit.events,
    ...deleteSettings(call.db, uid),
    markDeleted(call, caller, repos, eq(repos.uid, uid)),
    ...leaveTotals(call.db, uid),
  ],
});
