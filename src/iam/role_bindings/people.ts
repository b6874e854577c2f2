/**
 * Checks the people in bindings: they must have come into the organization, and must not have too many
 * bindings.
 */
import { and, gte, lt, type SQL, sql } from "drizzle-orm";
import { identities } from "../../../schema/tables/iam/identities.ts";
import { roleBindings } from "../../../schema/tables/iam/role_bindings.ts";
import { isPresent } from "../../../schema/tables/platform/deletions.ts";
import { resourceExhausted } from "../../aip/errors.ts";
import { areUnchanged } from "../../aip/stale.ts";
import { parentOf, rootOf } from "../../aip/uid_path.ts";
import type { Call, Database } from "../../auth/call.ts";
import { onlyIf } from "../../outbox/commit.ts";

/** The most bindings of one person in an organization. Each adds to the cost of the person's calls. */
const maxBindingsOfPerson = 200;

/** The number of bindings of a person in an organization. */
type BindingCount = { identityUid: string; number: number };

/** Whether a uid belongs to a person. */
const isPerson = (uid: string) => parentOf(uid) === "";

/**
 * Whether one of the identities has come into the organization of the group on its own, by a login or by
 * accepting a binding.
 */
export const isMember = (group: string, identity: SQL) => {
  const organization = rootOf(group);
  return sql<number>`(exists (select 1 from "role_bindings" as "joined"
      where "joined"."identity_uid" in (${identity}) and "joined"."accepted" = 1
        and "joined"."parent" >= ${organization} and "joined"."parent" < ${`${organization}0`}
        and ${isPresent(sql`"joined"."parent"`)})
    or exists (select 1 from "sign_ins"
      inner join "identity_providers" on "identity_providers"."uid" = "sign_ins"."identity_provider_uid"
      inner join "identities" as "person" on "person"."uid" = "sign_ins"."identity_uid"
        and "person"."create_time" <= "sign_ins"."last_time"
      where "sign_ins"."identity_uid" in (${identity})
        and "identity_providers"."ancestor0" = ${organization}))`;
};

/** The statement that counts the bindings of people in the organization of the group. */
export const selectBindingCounts = (db: Database, group: string, uids: string[]) =>
  db
    .select({ identityUid: roleBindings.identityUid, number: sql<number>`count(*)`.as("number") })
    .from(roleBindings)
    .where(
      and(
        sql`${roleBindings.identityUid} in (select value from json_each(${JSON.stringify(uids.filter(isPerson))}))`,
        gte(roleBindings.parent, rootOf(group)),
        lt(roleBindings.parent, `${rootOf(group)}0`),
        isPresent(roleBindings.parent),
      ),
    )
    .groupBy(roleBindings.identityUid);

/** Throws RESOURCE_EXHAUSTED if a person would have more bindings in the organization than allowed. */
export function checkBindingLimit(
  counts: readonly BindingCount[],
  requested: readonly { identityUid: string }[],
): void {
  for (const [uid, bindingsOfPerson] of Map.groupBy(requested, ({ identityUid }) => identityUid)) {
    const before = counts.find(({ identityUid }) => identityUid === uid)?.number ?? 0;
    if (!isPerson(uid) || before + bindingsOfPerson.length <= maxBindingsOfPerson) continue;
    throw resourceExhausted(
      `${uid} has ${before} role bindings in the organization, and can have ${maxBindingsOfPerson}; bind the roles on a higher group instead`,
    );
  }
}

/** Whether people still have at most as many bindings in the organization of the group as were read. */
const haveNoMoreBindings = (
  group: string,
  counts: readonly BindingCount[],
  people: string[],
): SQL => {
  const read = people.map((uid) => [
    uid,
    counts.find(({ identityUid }) => identityUid === uid)?.number ?? 0,
  ]);
  return sql`not exists (select 1 from json_each(${JSON.stringify(read)}) as "read"
    where (select count(*) from ${roleBindings} where ${roleBindings.identityUid} = "read"."value" ->> 0
      and ${roleBindings.parent} >= ${rootOf(group)} and ${roleBindings.parent} < ${`${rootOf(group)}0`}
      and ${isPresent(roleBindings.parent)}) > "read"."value" ->> 1)`;
};

/** Whether none of the people has come into the organization of the group. */
const areAllOutsiders = (group: string, uids: string[]): SQL =>
  sql`not ${isMember(group, sql`select value from json_each(${JSON.stringify(uids)})`)}`;

type BindingState = { identityUid: string; accepted: boolean };

/**
 * Guards the data about identities in the response and the event (`identityRows`), and the number of bindings
 * of each person. Also guards that no one with a pending binding has come into the organization since.
 */
export function guardIdentities(
  call: Call,
  group: string,
  [, identityRows, , counts]: readonly [
    unknown,
    { uid: string; updateTime: number }[],
    unknown,
    BindingCount[],
  ],
  { rows, added }: Record<"rows" | "added", BindingState[]>,
): void {
  call.guards.set("identities", () => onlyIf(call.db, areUnchanged(identities, identityRows)));
  const people = added.map(({ identityUid }) => identityUid).filter(isPerson);
  if (people.length === 0) call.guards.delete("numbers");
  else call.guards.set("numbers", () => onlyIf(call.db, haveNoMoreBindings(group, counts, people)));
  const pending = rows.filter(({ accepted }) => !accepted).map(({ identityUid }) => identityUid);
  if (pending.length === 0) call.guards.delete("strangers");
  else call.guards.set("strangers", () => onlyIf(call.db, areAllOutsiders(group, pending)));
}
