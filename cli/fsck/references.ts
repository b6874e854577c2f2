/** Checks that what a row names by its uid exists, where that is not its parent. */
import { type Check, checkOf, mostAtOnce, type Part } from "./check.ts";

type Reference = {
  table: string;
  column: string;
  /** The table that has the row; its key is `uid`. */
  target: string;
  /** Which rows name one. All of them unless told. */
  where?: string;
  /** What the column becomes where the row stays. Else the row goes. */
  becomes?: string;
};

/**
 * The uid of a person, which has no step, comes from their issuer and subject: they may be named before
 * they have a row, and after it is deleted. Identities of groups are made first.
 */
const isOfGroup = (column: string) => `length("${column}") > 40`;

const references: Reference[] = [
  {
    table: "role_bindings",
    column: "identity_uid",
    target: "identities",
    where: isOfGroup("identity_uid"),
  },
  { table: "role_bindings", column: "role_uid", target: "roles" },
  { table: "external_group_role_mappings", column: "role_uid", target: "roles" },
  {
    table: "identity_providers",
    column: "default_role",
    target: "roles",
    where: "default_role <> ''",
    becomes: "''",
  },
  { table: "identity_metadata", column: "uid", target: "identities" },
  {
    table: "scim_users",
    column: "identity_uid",
    target: "identities",
    where: isOfGroup("identity_uid"),
    becomes: "NULL",
  },
  { table: "group_access_requests", column: "group_uid", target: "groups" },
  { table: "advisory_events", column: "advisory_uid", target: "advisories" },
  { table: "vex_subjects", column: "uid", target: "advisories" },
  { table: "osv_records", column: "uid", target: "advisories" },
  { table: "vuln_report_contents", column: "uid", target: "vuln_reports" },
];

function partOf({ table, column, target, where, becomes }: Reference): Part {
  const dangling = `FROM "${table}" WHERE ${where ? `${where} AND ` : ""}NOT EXISTS (
    SELECT 1 FROM "${target}" WHERE "${target}".uid = "${table}"."${column}")`;
  // Not every table has a uid.
  const some = `rowid IN (SELECT rowid ${dangling} LIMIT ${mostAtOnce})`;
  const repair = becomes
    ? `UPDATE "${table}" SET "${column}" = ${becomes} WHERE ${some}`
    : `DELETE FROM "${table}" WHERE ${some}`;
  const uid = table === "group_access_requests" ? "group_uid" : "uid";
  const wrong = `'${table}.${column} names nothing in ${target}'`;
  return {
    table,
    damaged: `SELECT "${uid}" AS uid, ${wrong} AS wrong ${dangling}`,
    repair: [repair],
  };
}

export const danglingReferences: Check = checkOf(
  {
    name: "references",
    promise: "Whatever a row names by its uid exists.",
    remedy: "deletes these rows; a default role and a user's identity are only cleared",
  },
  references.map(partOf),
);

const strayAliases = `FROM advisory_aliases WHERE NOT EXISTS (
  SELECT 1 FROM advisories, json_each(advisories.aliases) AS one
  WHERE advisories.uid = advisory_aliases.advisory_uid AND one.value = advisory_aliases.alias)`;
const lostAliases = `FROM advisories, json_each(advisories.aliases) AS one WHERE NOT EXISTS (
  SELECT 1 FROM advisory_aliases WHERE alias = one.value AND advisory_uid = advisories.uid)`;

/** The table by which an advisory is found under its aliases. */
export const aliases: Check = checkOf(
  {
    name: "aliases",
    promise: "An advisory is found by each of its aliases and by no others.",
    remedy: "deletes the aliases that are none and adds those that lack",
  },
  [
    {
      table: "advisory_aliases",
      damaged: `SELECT advisory_uid AS uid, alias || ' is no alias of it' AS wrong ${strayAliases}`,
      repair: [
        `DELETE FROM advisory_aliases WHERE rowid IN (SELECT rowid ${strayAliases} LIMIT ${mostAtOnce})`,
      ],
    },
    {
      table: "advisories",
      damaged: `SELECT advisories.uid AS uid, one.value || ' does not lead to it' AS wrong ${lostAliases}`,
      repair: [
        `INSERT OR IGNORE INTO advisory_aliases (alias, advisory_uid) SELECT one.value, advisories.uid ${lostAliases} LIMIT ${mostAtOnce}`,
      ],
    },
  ],
);
