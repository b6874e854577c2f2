/** The verdicts that the platform signs, for trust policies with `sign_verdicts` (src/distribution/signatures). */
import { create } from "@bufbuild/protobuf";
import { and, asc, eq, ne, type SQL, sql } from "drizzle-orm";
import {
  type SignedVerdict,
  SignedVerdictSchema,
} from "../../../schema/gen/platform/registry/v2/manifests_pb.js";
import { signedVerdicts } from "../../../schema/tables/registry/signed_verdicts.ts";
import { trustPolicies } from "../../../schema/tables/registry/trust_policies.ts";
import type { Database } from "../../auth/call.ts";
import { countsNow, verdictTables } from "./verdicts.ts";

/** The most signed verdicts of a manifest that are shown. */
const maxShown = 20;

/** A verdict that the platform signs or has signed. */
export interface SigningVerdict {
  repo: string;
  digest: string;
  policyUid: string;
}

/** SQL: the signatures of an image that count by a policy whose verdicts are signed. */
const signedNow = ({ repo, digest, policyUid }: Record<keyof SigningVerdict, string | SQL>): SQL =>
  sql`from ${verdictTables("one", "by")} where "one"."parent" = ${repo} and "one"."digest" = ${digest}
    and "one"."policy_uid" = ${policyUid} and "one"."predicate_type" = '' and "by"."sign_verdicts"
    and ${countsNow("one", "by")}`;

/** SQL: whether the platform signs a verdict now. */
export const signsVerdictSql = (verdict: SigningVerdict) =>
  sql<number>`exists (select 1 ${signedNow(verdict)})`;

/** SQL: when the first of the signatures expires that a signed verdict is about. Null if none does. */
export const signedUntilSql = (verdict: SigningVerdict) =>
  sql<number | null>`(select min("one"."expire_time") ${signedNow(verdict)})`;

/**
 * The statement that reads the signed verdicts about a manifest that are still right. {@link toSignedVerdict} converts a
 * row.
 */
export const selectSignedVerdicts = (db: Database, manifest: string) =>
  db
    .select({
      trustPolicyUid: signedVerdicts.policyUid,
      trustPolicy: sql<string>`${trustPolicies.name}`.as("trust_policy"),
      digest: signedVerdicts.manifest,
      keyId: signedVerdicts.keyId,
    })
    .from(signedVerdicts)
    .innerJoin(trustPolicies, eq(trustPolicies.uid, signedVerdicts.policyUid))
    .where(
      and(
        eq(signedVerdicts.uid, manifest),
        ne(signedVerdicts.manifest, ""),
        sql`exists (select 1 ${signedNow({
          repo: sql`${signedVerdicts.parent}`,
          digest: sql`${signedVerdicts.digest}`,
          policyUid: sql`${signedVerdicts.policyUid}`,
        })})`,
      ),
    )
    .orderBy(asc(signedVerdicts.policyUid))
    .limit(maxShown);

/** The message of a row of {@link selectSignedVerdicts}. */
export const toSignedVerdict = (
  row: Awaited<ReturnType<typeof selectSignedVerdicts>>[number],
): SignedVerdict => create(SignedVerdictSchema, row);
