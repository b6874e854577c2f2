/** Reads the roles of holders: role bindings of identities, and role mappings of external groups. */
import { type SQL, sql } from "drizzle-orm";
import { externalGroupRoleMappings as mappings } from "../../../schema/tables/iam/external_group_role_mappings.ts";
import { roleBindings } from "../../../schema/tables/iam/role_bindings.ts";
import { roles } from "../../../schema/tables/iam/roles.ts";
import { isPresent } from "../../../schema/tables/platform/deletions.ts";
import { parentOf } from "../../aip/uid_path.ts";
import type { Database } from "../../auth/call.ts";
import { lowerUid } from "../../auth/grants.ts";
import { selectBindingsOf } from "../role_bindings/of_role.ts";

/** The most bindings, and the most mappings, of a role whose holders are read. */
export const maxHolders = 200;

/** The most bindings, and the most mappings, that are read to compare access. */
const maxRead = 1000;

/** A role that a holder has at a group, by a binding or a mapping. */
export interface HeldRole {
  /** The uid of the binding or mapping. Empty if it does not exist yet. */
  uid: string;
  holder: Holder;
  /** The group of the binding, or the scope of the mapping. */
  group: string;
  role: string;
  capabilities: number[];
}

/** An identity, or a group at an identity provider. */
export type Holder = { identity: string } | { provider: string; externalGroup: string };

/** The holders of a kind: those with a role, or the named ones. */
export type Holders<Named> = { ofRole: string } | { named: Named[] };

/** The highest group where a holder has a role. Undefined if the role has no effect for the holder. */
export function effectiveGroup({ holder, group }: HeldRole): string | undefined {
  // An identity has no access outside the group where it was created, and a login none outside the group of its
  // provider.
  return lowerUid(group, parentOf("identity" in holder ? holder.identity : holder.provider));
}

/** The same text for the same holder. */
export const holderKey = (holder: Holder) =>
  "identity" in holder ? holder.identity : `${holder.provider}\n${holder.externalGroup}`;

const json = (value: unknown) => sql`json_each(${JSON.stringify(value)})`;

const columns = {
  uid: sql<string>`"held"."uid"`.as("uid"),
  group: sql<string>`"held"."group"`.as("group_uid"),
  role: sql<string>`"held"."role"`.as("role_uid"),
  holder: sql<string>`"held"."holder"`.as("holder"),
  externalGroup: sql<string>`"held"."external_group"`.as("external_group"),
  capabilities: sql`"held"."capabilities"`
    .mapWith((text): number[] => JSON.parse(text as string))
    .as("capabilities"),
};

/** The statement that reads the accepted bindings of identities in an organization. */
export const selectHeldBindings = (db: Database, organization: string, of: Holders<string>) => {
  const holders =
    "named" in of
      ? sql`select "value" as "uid" from ${json([...new Set(of.named)])}`
      : sql`select distinct "uid" from (
          ${selectBindingsOf(of.ofRole, sql`"identity_uid" as "uid", "accepted"`)} limit ${maxHolders})
          where "accepted" = 1`;
  // The joins are in this order, so that all rows of a holder are next to each other, and higher groups are first.
  return selectHeld(
    db,
    sql`select "binding"."uid" as "uid", "binding"."parent" as "group", "binding"."role_uid" as "role",
        "binding"."identity_uid" as "holder", '' as "external_group", "roles"."capabilities" as "capabilities"
      from (${holders}) as "holder" cross join ${roleBindings} as "binding"
        on "binding"."identity_uid" = "holder"."uid" and "binding"."accepted" = 1
        and "binding"."parent" >= ${organization} and "binding"."parent" < ${`${organization}0`}
        and ${isPresent(sql`"binding"."parent"`)}
      cross join ${roles} on "roles"."uid" = "binding"."role_uid"`,
  );
};

/** The statement that reads the mappings of external groups. */
export const selectHeldMappings = (
  db: Database,
  of: Holders<{ provider: string; externalGroup: string }>,
) => {
  const pairs =
    "named" in of ? of.named.map((mapping) => [mapping.provider, mapping.externalGroup]) : [];
  const different = new Map(pairs.map((pair) => [pair.join("\n"), pair]));
  const holders =
    "named" in of
      ? sql`select "value" ->> 0 as "provider", "value" ->> 1 as "id" from ${json([...different.values()])}`
      : sql`select distinct "provider", "id" from (select "parent" as "provider", "external_group_id" as "id"
          from ${mappings} where "role_uid" = ${of.ofRole} and ${isPresent(sql`"parent"`)} limit ${maxHolders})`;
  return selectHeld(
    db,
    sql`select "mapping"."uid" as "uid", "mapping"."scope" as "group", "mapping"."role_uid" as "role",
        "mapping"."parent" as "holder", "mapping"."external_group_id" as "external_group",
        "roles"."capabilities" as "capabilities"
      from (${holders}) as "holder" cross join ${mappings} as "mapping"
        on "mapping"."parent" = "holder"."provider" and "mapping"."external_group_id" = "holder"."id"
      cross join ${roles} on "roles"."uid" = "mapping"."role_uid"`,
  );
};

const selectHeld = (db: Database, held: SQL) =>
  db.select(columns).from(sql`(${held} limit ${maxRead + 1}) as "held"`);

type HeldRow = Awaited<ReturnType<typeof selectHeldBindings>>[number];

/** The rows of a holder as roles. */
export const toHeldRoles = (rows: HeldRow[], kind: "binding" | "mapping"): HeldRole[] =>
  rows.map(({ uid, group, role, holder, externalGroup, capabilities }) => ({
    uid,
    group,
    role,
    capabilities,
    holder: kind === "binding" ? { identity: holder } : { provider: holder, externalGroup },
  }));

/** The statement that counts the bindings and the mappings of a role, each at most one above the limit. */
export const countHolders = (db: Database, role: string) =>
  db
    .select({
      bindings: sql<number>`(select count(*) from (
        ${selectBindingsOf(role, sql`1`)} limit ${maxHolders + 1}))`.as("bindings"),
      mappings: sql<number>`(select count(*) from (select 1 from ${mappings}
        where "role_uid" = ${role} and ${isPresent(sql`"parent"`)} limit ${maxHolders + 1}))`.as(
        "mappings",
      ),
    })
    .from(sql`(select 1)`);

/** Whether the limit cut off rows. The last holder among them can then lack some. */
export const isCut = (rows: unknown[]) => rows.length > maxRead;
