/** Checks that everything that a row names by uid exists, except for its parent. */
import { type CheckPart, type FsckCheck, maxRowsPerRepair, newCheck } from "./check.ts";
import { isPresent } from "./deletions.ts";
import { type Reference, references, type Trigger } from "./triggers.ts";

/** A reference that no trigger protects: a provisioned user remains after the identity of that person is deleted. */
const unguarded: Reference = {
  table: "scim_users",
  column: "identity_uid",
  target: "identities",
  where: "length(identity_uid) > 40",
  becomes: "NULL",
};

/** The columns that name a row for readers, of tables without a uid. */
const uidColumns: Record<string, string> = {
  group_access_requests: "group_uid",
  scim_group_members: "group_uid",
  expiry_items: "plan_uid",
  upstream_states: "repo_uid",
  mirrored_tags: "repo_uid",
  mirror_fetches: "repo_uid",
  repo_syncs: "repo_uid",
  affected_packages: "advisory_uid",
  announced_vulnerabilities: "image_uid",
  grouped_events: "subscription_uid",
};

/** The keys of tables without a rowid. */
const keys: Record<string, string> = {
  expiry_items: "plan_uid, number",
  mirrored_tags: "repo_uid, tag",
  mirror_fetches: "repo_uid, reference",
  affected_packages: "advisory_uid, number",
  announced_vulnerabilities: "image_uid, vulnerability",
  grouped_events: "subscription_uid, type, vulnerability, event_uid",
};

/** The columns with the parent, of tables whose rows can be left of a deleted one and refer to others. */
const parentColumns: Record<string, string> = {
  role_bindings: "parent",
  external_group_role_mappings: "parent",
  scim_users: "parent",
  group_access_requests: "group_uid",
};

function partOf({ table, column, target, where, becomes }: Reference): CheckPart {
  const parent = parentColumns[table];
  const conditions = [...(where ? [where] : []), ...(parent ? [isPresent(parent)] : [])];
  const dangling = `FROM "${table}" WHERE ${conditions.map((condition) => `${condition} AND `).join("")}NOT EXISTS (
    SELECT 1 FROM "${target}" WHERE "${target}".uid = "${table}"."${column}")`;
  // Not every table has a uid.
  const key = keys[table] ?? "rowid";
  const batch = `(${key}) IN (SELECT ${key} ${dangling} LIMIT ${maxRowsPerRepair})`;
  const repair = becomes
    ? `UPDATE "${table}" SET "${column}" = ${becomes} WHERE ${batch}`
    : `DELETE FROM "${table}" WHERE ${batch}`;
  const uid = uidColumns[table] ?? "uid";
  const wrong = `'${table}.${column} names no row of ${target}'`;
  return {
    table,
    damaged: `SELECT "${uid}" AS uid, ${wrong} AS wrong ${dangling}`,
    repair: [repair],
  };
}

export const referencesCheck = (triggers: Trigger[]): FsckCheck =>
  newCheck(
    {
      name: "references",
      promise: "Each row that another row refers to by uid exists.",
      remedy:
        "deletes the rows that refer to a missing row, or clears a default role or a user's identity",
    },
    [...references(triggers), unguarded].map(partOf),
  );

const strayAliases = `FROM advisory_aliases WHERE NOT EXISTS (
  SELECT 1 FROM advisories, json_each(advisories.aliases) AS one
  WHERE advisories.uid = advisory_aliases.advisory_uid AND one.value = advisory_aliases.alias)`;
const lostAliases = `FROM advisories, json_each(advisories.aliases) AS one WHERE NOT EXISTS (
  SELECT 1 FROM advisory_aliases WHERE alias = one.value AND advisory_uid = advisories.uid)`;

/** The table that finds an advisory by its aliases. */
export const aliasesCheck: FsckCheck = newCheck(
  {
    name: "aliases",
    promise: "Each alias of an advisory leads to it, and no other alias does.",
    remedy: "deletes wrong aliases and adds missing ones",
  },
  [
    {
      table: "advisory_aliases",
      damaged: `SELECT advisory_uid AS uid, alias || ' is not one of its aliases' AS wrong ${strayAliases}`,
      repair: [
        `DELETE FROM advisory_aliases WHERE rowid IN (SELECT rowid ${strayAliases} LIMIT ${maxRowsPerRepair})`,
      ],
    },
    {
      table: "advisories",
      damaged: `SELECT advisories.uid AS uid, one.value || ' does not lead to it' AS wrong ${lostAliases}`,
      repair: [
        `INSERT OR IGNORE INTO advisory_aliases (alias, advisory_uid) SELECT one.value, advisories.uid ${lostAliases} LIMIT ${maxRowsPerRepair}`,
      ],
    },
  ],
);
