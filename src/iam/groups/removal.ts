/** Removes what is left of deleted groups (`deletion.ts`) and identity providers. */
import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import { externalGroupRoleMappings } from "../../../schema/tables/iam/external_group_role_mappings.ts";
import { groupAccessRequests } from "../../../schema/tables/iam/group_access_requests.ts";
import { roleBindings } from "../../../schema/tables/iam/role_bindings.ts";
import { scimGroupMembers, scimGroups } from "../../../schema/tables/iam/scim_groups.ts";
import { scimUsers } from "../../../schema/tables/iam/scim_users.ts";
import { refreshTokens } from "../../../schema/tables/issuer/refresh_tokens.ts";
import { signIns } from "../../../schema/tables/issuer/sign_ins.ts";
import type { Database } from "../../auth/call.ts";
import type { Statement } from "../../outbox/commit.ts";
import { type Deletion, type Removal, stage } from "../../resource/removal.ts";

/** The people who logged in. A person can have a refresh token for each hour of a month. */
const peopleOfBatch = 50;

/** The records of logins, together with their refresh tokens, which are revoked at the time of the deletion. */
function removeSignIns(db: Database, { uid, time }: Deletion): Statement[] {
  const isLeft = eq(signIns.identityProviderUid, uid);
  const people = db
    .select({ uid: signIns.identityUid })
    .from(signIns)
    .where(isLeft)
    .orderBy(signIns.identityUid)
    .limit(peopleOfBatch);
  return [
    db
      .update(refreshTokens)
      .set({ revokeTime: time })
      .where(
        and(
          inArray(refreshTokens.identityUid, people),
          eq(refreshTokens.identityProviderUid, uid),
          isNull(refreshTokens.revokeTime),
        ),
      ),
    db.delete(signIns).where(and(isLeft, inArray(signIns.identityUid, people))),
  ];
}

/** A row is removed after those that refer to it. */
export const removalOfGroups: Removal = {
  kinds: ["groups", "identity_providers"],
  stages: [
    stage(roleBindings, [roleBindings.uid], roleBindings.parent, 1_000),
    stage(
      groupAccessRequests,
      [groupAccessRequests.identityUid],
      groupAccessRequests.groupUid,
      2_000,
    ),
    stage(
      externalGroupRoleMappings,
      [externalGroupRoleMappings.uid],
      externalGroupRoleMappings.parent,
      1_000,
    ),
    stage(
      scimGroupMembers,
      [scimGroupMembers.groupUid, scimGroupMembers.userUid],
      (uid) =>
        sql`${scimGroupMembers.groupUid} > ${uid} || '/' and ${scimGroupMembers.groupUid} < ${uid} || '0'`,
      2_000,
    ),
    stage(scimGroups, [scimGroups.uid], scimGroups.parent, 1_000),
    stage(scimUsers, [scimUsers.uid], scimUsers.parent, 1_000),
    {
      table: signIns,
      rows: (uid) => sql`${signIns.identityProviderUid} = ${uid}`,
      remove: removeSignIns,
    },
  ],
};
