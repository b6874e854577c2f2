/** Deletes rows together with identity providers. */
import { and, inArray, isNull, type SQL } from "drizzle-orm";
import { externalGroupRoleMappings } from "../../../schema/tables/iam/external_group_role_mappings.ts";
import { scimGroupMembers, scimGroups } from "../../../schema/tables/iam/scim_groups.ts";
import { scimUsers } from "../../../schema/tables/iam/scim_users.ts";
import { refreshTokens } from "../../../schema/tables/issuer/refresh_tokens.ts";
import { signIns } from "../../../schema/tables/issuer/sign_ins.ts";
import type { Call } from "../../auth/call.ts";

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
