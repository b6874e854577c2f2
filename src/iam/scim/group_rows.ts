/** The rows of groups and of their members, and the resource that clients read (RFC 7643 section 4.2). */
import { eq, sql } from "drizzle-orm";
import { scimGroupMembers, scimGroups } from "../../../schema/tables/iam/scim_groups.ts";
import type { Database } from "../../auth/call.ts";
import { groupSchema } from "./attributes.ts";
import { badRequest } from "./errors.ts";
import type { ScimCall } from "./exchange.ts";
import { scimLimits } from "./limits.ts";
import type { Values } from "./values.ts";
import { versionOf } from "./versions.ts";

/** A group without its members. */
export type ScimGroupRow = Pick<
  typeof scimGroups.$inferSelect,
  "uid" | "displayName" | "externalId" | "createTime" | "updateTime"
>;

export const groupColumns = {
  uid: scimGroups.uid,
  displayName: scimGroups.displayName,
  externalId: scimGroups.externalId,
  createTime: scimGroups.createTime,
  updateTime: scimGroups.updateTime,
};

/** The id that clients use: the last step of the uid. */
const idOf = ({ uid }: { uid: string }) => uid.slice(-16);

export const groupLocation = ({ groups }: Pick<ScimCall, "groups">, row: { uid: string }) =>
  `${groups}/${idOf(row)}`;

/** SQL: the next update time of a group. It is later than the one before, whatever that is by then. */
export const laterThan = (now: number) => sql`max(${now}, ${scimGroups.updateTime} + 1)`;

/** SQL: the id of the user of a membership. */
export const memberId = sql<string>`substr(${scimGroupMembers.userUid}, -16)`;

/** The statement that reads the ids of the members of a group, in ascending order. */
export const selectMembers = (db: Database, group: string) =>
  db
    .select({ id: memberId.as("id") })
    .from(scimGroupMembers)
    .where(eq(scimGroupMembers.groupUid, group))
    .orderBy(scimGroupMembers.userUid);

function checkLength(name: string, text: string): void {
  const { groupNameLength: most } = scimLimits;
  if (text.length > most)
    throw badRequest("invalidValue", `${name} can have at most ${most} characters`);
}

/** The columns for the values of a group. Throws 400 invalidValue. */
export function toGroupColumns({ displayName, externalId }: Values) {
  if (typeof displayName !== "string" || displayName.trim() === "") {
    throw badRequest("invalidValue", "displayName is required");
  }
  const id = typeof externalId === "string" && externalId !== "" ? externalId : null;
  checkLength("displayName", displayName);
  checkLength("externalId", id ?? "");
  return { displayName, displayNameKey: displayName.toLowerCase(), externalId: id };
}

/** The resource. Without `members`, the response does not show them. */
export function toGroupResource(
  endpoints: Pick<ScimCall, "groups" | "users">,
  row: ScimGroupRow,
  members: string[] = [],
): Values {
  const toMember = (value: string) => ({
    value,
    $ref: `${endpoints.users}/${value}`,
    type: "User",
  });
  return {
    schemas: [groupSchema],
    id: idOf(row),
    ...(row.externalId === null ? {} : { externalId: row.externalId }),
    displayName: row.displayName,
    ...(members.length > 0 ? { members: members.map(toMember) } : {}),
    meta: {
      resourceType: "Group",
      created: new Date(row.createTime).toISOString(),
      lastModified: new Date(row.updateTime).toISOString(),
      location: groupLocation(endpoints, row),
      version: versionOf(row),
    },
  };
}
