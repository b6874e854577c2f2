/**
 * Decides who may change the tokens that an identity accepts. The caller needs all access that the change
 * would hand over.
 */
import { and, eq, type SQL, sql } from "drizzle-orm";
import { RelationshipType } from "../../../schema/gen/platform/iam/v2/identities_pb.js";
import { identities } from "../../../schema/tables/iam/identities.ts";
import { roleBindings } from "../../../schema/tables/iam/role_bindings.ts";
import { OWNER_ROLE, roles } from "../../../schema/tables/iam/roles.ts";
import { isPresent } from "../../../schema/tables/platform/deletions.ts";
import { valuesSubselect } from "../../aip/any_of.ts";
import { rootOf } from "../../aip/uid_path.ts";
import { accessDenied } from "../../auth/access_decision.ts";
import type { Call } from "../../auth/call.ts";
import { isServed, rowsOfEach } from "../../auth/databases.ts";
import { type Caller, holds } from "../../auth/grants.ts";

/** The most identities that a change can affect. Beyond that, only an owner can make it. */
const maxReachable = 200;

/**
 * The uids that a bearer of the identity's tokens can become, as a subquery. They are the identity itself,
 * and those that accept our tokens for it, directly or through other identities. Patterns never accept our
 * tokens (src/issuer/identity.ts).
 */
const reachableUids = ({ config }: Call, uid: string): SQL =>
  sql`(with recursive "reach"("uid") as (select ${uid} union
    select "next"."uid" from "reach" cross join ${identities} as "next"
      on ("next"."relationship" ->> '$.value.subject') = "reach"."uid"
      and ("next"."relationship" ->> '$.value.issuer') = ${config.issuerUrl}
      and "next"."relationship_type" = ${RelationshipType.CLAIM_MATCH} and "next"."parent" <> ''
    limit ${maxReachable + 1}) select "uid" from "reach")`;

/**
 * The statement that reads what the identity can reach, including itself: identities, groups and
 * capabilities.
 */
export const selectReachable = (call: Call, uid: string) =>
  call.db
    .select({
      identity: sql<string>`${identities.uid}`.as("reached"),
      binding: sql<string | null>`${roleBindings.uid}`.as("binding"),
      group: sql<string | null>`${roleBindings.parent}`.as("group_uid"),
      capabilities: roles.capabilities,
      roleTime: sql<number | null>`${roles.updateTime}`.as("role_time"),
    })
    .from(identities)
    .leftJoin(
      roleBindings,
      and(
        // For identities of other organizations only their existence matters. This condition is in the key,
        // so that their bindings are not read before they are excluded.
        sql`${roleBindings.identityUid} = case substr(${identities.uid}, 1, 40)
          when ${rootOf(uid)} then ${identities.uid} end`,
        eq(roleBindings.accepted, true),
        isPresent(roleBindings.parent),
      ),
    )
    .leftJoin(roles, eq(roles.uid, roleBindings.roleUid))
    .where(sql`${identities.uid} in ${reachableUids(call, uid)}`);

/** The statement that reads the capabilities of the built-in role `owner`. */
export const selectOwnerRole = ({ db }: Call) =>
  db.select({ capabilities: roles.capabilities }).from(roles).where(eq(roles.uid, OWNER_ROLE));

type ReachableRows = Awaited<ReturnType<typeof selectReachable>>;

/**
 * Throws PERMISSION_DENIED unless the caller has all access of the identity and of those that accept its
 * tokens. If an identity of another organization accepts its tokens, the caller must be an owner: that
 * organization relies on the owners of this one.
 */
export function refuseIdentityTakeover(
  caller: Caller,
  uid: string,
  reachable: ReachableRows,
  owner: { capabilities: number[] } | undefined,
): void {
  const organization = rootOf(uid);
  const all = new Set(reachable.map(({ identity }) => identity));
  const isContained =
    all.size <= maxReachable &&
    [...all].every((identityUid) => rootOf(identityUid) === organization);
  const isOwner = () => owner !== undefined && holds(caller, owner.capabilities, organization);
  const refused = reachable.find(
    ({ identity, group, capabilities }) =>
      group !== null &&
      rootOf(identity) === organization &&
      !holds(caller, capabilities ?? [], group),
  );
  if (!refused && (isContained || isOwner())) return;
  const text =
    "you cannot change which tokens the identity accepts: it, or an identity that accepts its tokens, has capabilities that you do not have";
  throw accessDenied(text, {
    capabilities: (refused ?? owner)?.capabilities ?? [],
    resource: refused?.group ?? organization,
  });
}

/**
 * With several databases, the identities of other databases that accept tokens of what was reached here. All of them
 * belong to other organizations, so where they lead does not matter.
 */
export async function reachedElsewhere(
  { config, db, databases }: Call,
  reached: ReachableRows,
): Promise<ReachableRows> {
  const subjects = valuesSubselect([...new Set(reached.map(({ identity }) => identity))]);
  const identitiesElsewhere = await rowsOfEach({ all: await databases.othersThan(db) }, (other) =>
    other
      .select({ identity: identities.uid })
      .from(identities)
      .where(
        sql`("relationship" ->> '$.value.subject') in ${subjects}
          and ("relationship" ->> '$.value.issuer') = ${config.issuerUrl}
          and ${identities.relationshipType} = ${RelationshipType.CLAIM_MATCH} and ${identities.parent} <> ''
          and ${isServed(sql`${identities.uid}`)}`,
      )
      .limit(1),
  );
  const none = { binding: null, group: null, capabilities: null, roleTime: null };
  return identitiesElsewhere.map((identity) => ({ ...identity, ...none }));
}

/** The condition that nothing can be reached that was not read before. */
export function hasSameReach(call: Call, uid: string, reachable: ReachableRows): SQL {
  const known = reachable.flatMap(({ binding, roleTime }) =>
    binding ? [[binding, roleTime]] : [],
  );
  return sql`not exists (select 1 from ${roleBindings} inner join ${roles} on ${roles.uid} = ${roleBindings.roleUid}
    where ${roleBindings.identityUid} in (select "uid" from ${reachableUids(call, uid)} as "reached"
        where substr("uid", 1, 40) = ${rootOf(uid)}) and ${roleBindings.accepted} = 1
      and ${isPresent(roleBindings.parent)}
      and (${roleBindings.uid}, ${roles.updateTime}) not in (
        select value ->> 0, value ->> 1 from json_each(${JSON.stringify(known)})))`;
}
