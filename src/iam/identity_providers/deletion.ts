/** Deletes identity providers with everything in them: at once, or in batches if there are many rows. */
import { and, eq, inArray, isNull, type SQL, sql } from "drizzle-orm";
import { externalGroupRoleMappings } from "../../../schema/tables/iam/external_group_role_mappings.ts";
import { identityProviders } from "../../../schema/tables/iam/identity_providers.ts";
import { scimGroupMembers, scimGroups } from "../../../schema/tables/iam/scim_groups.ts";
import { scimUsers } from "../../../schema/tables/iam/scim_users.ts";
import { refreshTokens } from "../../../schema/tables/issuer/refresh_tokens.ts";
import { signIns } from "../../../schema/tables/issuer/sign_ins.ts";
import type { Call } from "../../auth/call.ts";
import type { Caller } from "../../auth/grants.ts";
import { leaveTotals, markDeleted, selectIsLarge } from "../../resource/deletion_in_batches.ts";

/**
 * The statements that delete the role mappings, the provisioned users and groups, and the login records of providers (a
 * subquery of uids). They also revoke the refresh tokens of the people in those records.
 */
export function deleteProviderDependents({ db, now }: Call, providers: SQL) {
  const signedIn = db
    .select({ uid: signIns.identityUid })
    .from(signIns)
    .where(inArray(signIns.identityProviderUid, providers));
  const groups = db
    .select({ uid: scimGroups.uid })
    .from(scimGroups)
    .where(inArray(scimGroups.parent, providers));
  return [
    db
      .delete(externalGroupRoleMappings)
      .where(inArray(externalGroupRoleMappings.parent, providers)),
    db.delete(scimGroupMembers).where(inArray(scimGroupMembers.groupUid, groups)),
    db.delete(scimGroups).where(inArray(scimGroups.parent, providers)),
    db.delete(scimUsers).where(inArray(scimUsers.parent, providers)),
    // The statement starts from the people who logged in, because tokens are indexed by their identity.
    db
      .update(refreshTokens)
      .set({ revokeTime: now })
      .where(
        and(
          inArray(refreshTokens.identityUid, signedIn),
          inArray(refreshTokens.identityProviderUid, providers),
          isNull(refreshTokens.revokeTime),
        ),
      ),
    db.delete(signIns).where(inArray(signIns.identityProviderUid, providers)),
  ];
}

/** The rows of providers (a subquery of uids) that no totals count. */
export const partsOfProviders = (providers: SQL): Parameters<typeof selectIsLarge>[2] => [
  [signIns, sql`${signIns.identityProviderUid} in ${providers}`],
  [
    scimGroupMembers,
    sql`${scimGroupMembers.groupUid} in (select ${scimGroups.uid} from ${scimGroups}
      where ${scimGroups.parent} in ${providers})`,
  ],
];

/** The statement that reads whether a provider has more rows than one batch deletes: `[{ isLarge }]`. */
export const selectHasManyRows = ({ db }: Call, uid: string) =>
  selectIsLarge(db, uid, partsOfProviders(sql`(${uid})`));

/** The statements after the deletion of the row of a provider. */
export const deletionAtOnce = (call: Call, _: Caller, uid: string) => ({
  before: [],
  extraWrites: deleteProviderDependents(call, sql`(${uid})`),
});

/** The statements before and after it, if the schedule removes what is in the provider (src/iam/groups/removal.ts). */
export const deletionInBatches = (call: Call, caller: Caller, uid: string) => ({
  before: [markDeleted(call, caller, identityProviders, eq(identityProviders.uid, uid))],
  extraWrites: leaveTotals(call.db, uid),
});
