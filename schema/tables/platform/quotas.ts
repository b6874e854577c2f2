/**
 * How much an organization may have of each kind. `counts` has the numbers, and each trigger that adds to one of them
 * also compares it with the quota, in the transaction of the change (schema/tables/quota_check.ts). So no way of writing
 * can miss a quota.
 */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { groups } from "../iam/groups.ts";
import { trigger } from "../triggers.ts";

/** The organization in the rows of the defaults. */
export const DEFAULTS = "";

/** The kind without a total in `counts`: the rate limits of an organization, in percent of those of the deployment. */
export const RATE_PERCENT = "rate_percent";

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
    /** UNLIMITED for any number. */
    limit: integer("quota_limit").notNull(),
    /** The version of the row, in milliseconds since 1970 in UTC. 0 for a row of the migration. */
    updateTime: integer("update_time").notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.organization, t.kind] }),
    index("quotas_of_zero").on(t.kind, t.organization).where(sql.raw("quota_limit = 0")),
    index("quotas_of_rates")
      .on(t.organization)
      .where(sql.raw(`kind = '${RATE_PERCENT}'`)),
  ],
);

export const triggers = () => [
  trigger(
    groups,
    "delete_quotas",
    { on: "AFTER DELETE", when: "length(OLD.uid) = 40" },
    "DELETE FROM quotas WHERE organization = OLD.uid;",
  ),
];
