/**
 * How much an organization may have of each kind. `counts` has the numbers, and each trigger that adds to one of them
 * also compares it with the quota, in the transaction of the change. So no way of writing can miss a quota.
 */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { counts } from "../counts.ts";
import { groups } from "../iam/groups.ts";
import { trigger } from "../triggers.ts";

/** The limit of a kind without a limit. */
export const UNLIMITED = -1;

/** The organization in the rows of the defaults. */
export const DEFAULTS = "";

/** SQL: the error of a refused growth. `used` is the number that it would have led to. */
export const overQuotaSql = (kind: string, limit: string, used: string, organization: string) =>
  `'over quota ' || ${kind} || ' ' || ${limit} || ' ' || ${used} || ' ' || ${organization}`;

/** Finds the same in an error. */
export const overQuotaPattern = /over quota ([a-z_]+) (\d+) (\d+) ([0-9a-f]*)/;

/**
 * The limits. Rows with an empty organization are the defaults, which the migration creates: a kind without one has no
 * quota. The migration creates the table WITHOUT ROWID.
 */
export const quotas = sqliteTable(
  "quotas",
  {
    organization: text("organization").notNull(),
    /** The name of a total in `counts`, or another kind of schema/proto/platform/iam/quotas/v2/quotas.proto. */
    kind: text("kind").notNull(),
    /** {@link UNLIMITED} for any number. */
    limit: integer("quota_limit").notNull(),
    /** The version of the row, in milliseconds since 1970 in UTC. 0 for a row of the migration. */
    updateTime: integer("update_time").notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.organization, t.kind] })],
);

/** The condition of the index of warnings without an event. A query must contain exactly this expression to use it. */
export const isDue = sql.raw(`"is_announced" = 0`);

/**
 * The quotas of organizations that are used to four fifths. The schedule of iam writes an event for each row. A trigger
 * refuses a row whose number is above its limit, and so undoes the batch that would make it so. The migration creates the
 * table WITHOUT ROWID.
 */
export const quotaWarnings = sqliteTable(
  "quota_warnings",
  {
    organization: text("organization").notNull(),
    kind: text("kind").notNull(),
    /** The number and the limit when the row was written. */
    used: integer("used").notNull(),
    limit: integer("quota_limit").notNull(),
    /** Whether its event was written. */
    isAnnounced: integer("is_announced", { mode: "boolean" }).notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.organization, t.kind] }),
    index("quota_warnings_due").on(t.organization, t.kind).where(isDue),
  ],
);

/** SQL: whether a number is at least four fifths of a limit. */
export const isNear = (used: string, limit: string) =>
  `${limit} >= 0 AND ${used} * 5 >= ${limit} * 4`;

/** SQL: the limit of an organization, which is its own or the default. It reads one row. */
export const limitSql = (organization: string, kind: string) =>
  `ifnull((SELECT quota_limit FROM quotas WHERE organization = ${organization} AND kind = ${kind}),
			(SELECT quota_limit FROM quotas WHERE organization = '${DEFAULTS}' AND kind = ${kind}))`;

/** The kinds that have several totals in `counts`, one for each class. */
const divided = ["tags"];

const used = `CASE WHEN NEW.kind IN (${divided.map((kind) => `'${kind}'`).join(", ")})
			THEN (SELECT sum(descendants) FROM counts WHERE ancestor = NEW.ancestor AND kind = NEW.kind)
			ELSE NEW.descendants END`;

/** The limit keeps SQLite from merging the two selects, which would read the rows once for each use of a name. */
const numbers = `(SELECT ${used} AS used,
			${limitSql("NEW.ancestor", "NEW.kind")} AS quota_limit LIMIT 1)`;

const warn = `INSERT INTO quota_warnings (organization, kind, used, quota_limit)
		SELECT NEW.ancestor, NEW.kind, used, quota_limit FROM ${numbers}
		WHERE ${isNear("used", "quota_limit")}
		ON CONFLICT (organization, kind) DO NOTHING;`;

/** A move writes what its source has accepted. */
const isArriving =
  "EXISTS (SELECT 1 FROM organization_moves WHERE uid = NEW.organization AND state = 'arriving')";

const isOfOrganization = "length(NEW.ancestor) = 40";

export const triggers = () => [
  trigger(
    counts,
    "quota_insert",
    { on: "AFTER INSERT", when: `${isOfOrganization} AND NEW.growths > 0` },
    warn,
  ),
  trigger(counts, "quota_update", { on: "AFTER UPDATE OF growths", when: isOfOrganization }, warn),
  trigger(
    counts,
    "quota_relief",
    {
      on: "AFTER UPDATE OF descendants",
      when: `${isOfOrganization} AND NEW.descendants < OLD.descendants`,
    },
    `DELETE FROM quota_warnings WHERE organization = NEW.ancestor AND kind = NEW.kind AND NOT EXISTS (
		SELECT 1 FROM ${numbers} WHERE ${isNear("used", "quota_limit")});`,
  ),
  // The error comes before SQLite sees whether there is a row already.
  trigger(
    quotaWarnings,
    "refuse",
    { on: "BEFORE INSERT", when: `NEW.used > NEW.quota_limit AND NOT ${isArriving}` },
    `SELECT RAISE(ABORT, ${overQuotaSql("NEW.kind", "NEW.quota_limit", "NEW.used", "NEW.organization")});`,
  ),
  trigger(
    groups,
    "delete_quotas",
    { on: "AFTER DELETE", when: "length(OLD.uid) = 40" },
    "DELETE FROM quotas WHERE organization = OLD.uid;",
    "DELETE FROM quota_warnings WHERE organization = OLD.uid;",
  ),
];
