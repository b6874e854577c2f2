/** Compares the members that a request asks for with those of the group. No statement grows with their number. */
import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { scimGroupMembers } from "../../../schema/tables/iam/scim_groups.ts";
import { scimUsers } from "../../../schema/tables/iam/scim_users.ts";
import { quoted } from "../../aip/quoted.ts";
import { badRequest } from "./errors.ts";
import type { ScimCall } from "./exchange.ts";
import type { MemberDifference } from "./group_events.ts";
import type { MemberChange } from "./group_members.ts";
import { memberId, selectMembers } from "./group_rows.ts";
import { scimLimits } from "./limits.ts";

const isId = (text: string) => /^[0-9a-f]{16}$/.test(text);

/** SQL: the uids of the users with these ids, as a subquery. */
export const userUids = ({ provider }: ScimCall, ids: Iterable<string>): SQL =>
  sql`(select ${`${provider}/`} || "value" from json_each(${JSON.stringify([...ids])}))`;

/** SQL: the number of members of a group, and of those among them with these ids. */
const countMembers = (group: string, ids?: SQL): SQL =>
  sql`(select count(*) from ${scimGroupMembers} where ${and(
    eq(scimGroupMembers.groupUid, group),
    ids && inArray(scimGroupMembers.userUid, ids),
  )})`;

/** The members that a change names and that are there. If it replaces all members, these are all members. */
function selectPresent(call: ScimCall, group: string, { isWhole, added, removed }: MemberChange) {
  if (isWhole) return selectMembers(call.db, group);
  const named = userUids(call, new Set([...added, ...removed].filter(isId)));
  return call.db
    .select({ id: memberId.as("id") })
    .from(scimGroupMembers)
    .where(and(eq(scimGroupMembers.groupUid, group), inArray(scimGroupMembers.userUid, named)));
}

/** The first of the ids that the provider has no user for. */
const selectUnknown = ({ db, provider }: ScimCall, ids: Iterable<string>) =>
  db
    .select({ id: sql<string>`"value"`.as("id") })
    .from(sql`json_each(${JSON.stringify([...ids])})`)
    .where(
      sql`not exists (select 1 from ${scimUsers} where ${scimUsers.uid} = ${`${provider}/`} || "value")`,
    )
    .limit(1);

const refuseUnknown = (id: string) =>
  badRequest("invalidValue", `members: there is no user ${quoted(id)} of this identity provider`);

/**
 * The difference that a change makes to a group. Throws 400 invalidValue for a new member whom the provider does not have
 * as a user, and for too many members. A member to remove can be absent.
 */
export async function readDifference(
  call: ScimCall,
  group: string,
  change: MemberChange,
): Promise<MemberDifference> {
  if (change.isEmpty) return { added: [], removed: [] };
  const { db } = call;
  const [present, unknown, [size]] = await db.batch([
    selectPresent(call, group, change),
    selectUnknown(call, change.added),
    db.select({ count: sql<number>`${countMembers(group)}`.as("count") }).from(sql`(select 1)`),
  ]);
  const there = new Set(present.map(({ id }) => id));
  const [stranger] = unknown;
  if (stranger) throw refuseUnknown(stranger.id);
  const added = [...change.added].filter((id) => !there.has(id)).sort();
  const removed = change.isWhole
    ? [...there].filter((id) => !change.added.has(id)).sort()
    : [...change.removed].filter((id) => there.has(id)).sort();
  const count = (size?.count ?? 0) + added.length - removed.length;
  if (added.length > 0 && count > scimLimits.members) {
    throw badRequest("invalidValue", `a group can have at most ${scimLimits.members} members`);
  }
  return { added, removed };
}

/**
 * The condition that the difference is still what a change does. Changes of other members do not matter, so that two
 * calls at the same time both take effect.
 */
export function isStillDifference(
  call: ScimCall,
  group: string,
  { added, removed }: MemberDifference,
): SQL | undefined {
  const most = scimLimits.members - added.length + removed.length;
  return and(
    added.length > 0 ? sql`${countMembers(group, userUids(call, added))} = 0` : undefined,
    added.length > 0 ? sql`${countMembers(group)} <= ${most}` : undefined,
    removed.length > 0
      ? sql`${countMembers(group, userUids(call, removed))} = ${removed.length}`
      : undefined,
  );
}

/** The statements that change the members, one for each direction. Triggers refuse a user who is gone. */
export function memberStatements(
  call: ScimCall,
  group: string,
  { added, removed }: MemberDifference,
) {
  const { db } = call;
  const isLeaving = inArray(scimGroupMembers.userUid, userUids(call, removed));
  const joining = sql`select ${group}, "uid" from (
    select ${`${call.provider}/`} || "value" as "uid" from json_each(${JSON.stringify(added)}))`;
  return [
    ...(added.length > 0 ? [db.insert(scimGroupMembers).select(joining)] : []),
    ...(removed.length > 0
      ? [db.delete(scimGroupMembers).where(and(eq(scimGroupMembers.groupUid, group), isLeaving))]
      : []),
  ];
}
