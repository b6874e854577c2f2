import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { resourceColumns } from "../columns.ts";
import { groups } from "../iam/groups.ts";
import { groupIndexes, groupKeys } from "../list_indexes.ts";
import { countRows, requireParent } from "../triggers.ts";

/** Subscriptions that receive events of pulls. A query must contain exactly this condition. */
export const hearsPulls = sql.raw(`"wants_pulls" and "disable_time" is null`);

/**
 * Subscriptions to events. The parent is a group. Its events, and those of all groups below it, are sent to
 * the sink.
 */
export const subscriptions = sqliteTable(
  "subscriptions",
  {
    ...resourceColumns(),
    ...groupKeys(),
    sink: text("sink").notNull(),
    /** Types, or beginnings of types with `*` at the end. Empty for all types. */
    eventTypes: text("event_types", { mode: "json" }).$type<string[]>().notNull().default([]),
    /** The uids of repositories. Empty for events about anything. */
    repos: text("repo_uids", { mode: "json" }).$type<string[]>().notNull().default([]),
    /** A pattern of SQLite's GLOB with `*` as its only special character. Empty for any tag or none. */
    tagPattern: text("tag_pattern").notNull().default(""),
    /** Number of EventGrouping. */
    grouping: integer("grouping").notNull().default(0),
    /** Number of FindingSeverity. Events with a lower one are left out, unless it is unknown. */
    minimumSeverity: integer("minimum_severity").notNull().default(0),
    /** Whether the types include that of a pull. Only then pulls of the organization have events. */
    wantsPulls: integer("wants_pulls", { mode: "boolean" }).notNull().default(false),
    /** The sealed secrets that sign requests. The previous one is empty until the secret is replaced. */
    secret: text("secret").notNull().default(""),
    previousSecret: text("previous_secret").notNull().default(""),
    /** Until when the previous secret signs too. In milliseconds since 1970 in UTC, as all times here. */
    previousSecretExpiry: integer("previous_secret_expire_time").notNull().default(0),
    /** When it was disabled. Null while it is enabled. */
    disableTime: integer("disable_time"),
    disableReason: text("disable_reason").notNull().default(""),
    /** The first failed attempt since the last one that succeeded. Null if the last one succeeded. */
    failingSince: integer("failing_since"),
    /** The number of failed attempts since then. */
    failures: integer("failures").notNull().default(0),
    /** No attempt begins before this time. */
    pauseEndTime: integer("pause_end_time").notNull().default(0),
    /** Until when the sink counts as slow, after a request that took long. Null until the first request has ended. */
    slowEndTime: integer("slow_end_time"),
    /** The name of the sink's host. */
    host: text("host").notNull().default(""),
    /** When the sink confirmed that it wants events. */
    confirmTime: integer("confirm_time"),
    /** When the sink is asked next. Null if it has confirmed. Until then it gets no events. */
    confirmDueTime: integer("confirm_due_time"),
    /** How often it was asked in vain. */
    confirmFailures: integer("confirm_failures").notNull().default(0),
    /** When a redelivery was last requested. The deliveries of that request have this time too. */
    redeliveryTime: integer("redelivery_time"),
  },
  (t) => [
    ...groupIndexes("subscriptions", t),
    uniqueIndex("subscriptions_siblings").on(t.parent, t.sink),
    index("subscriptions_hearing_pulls").on(t.ancestor0).where(hearsPulls),
    index("subscriptions_unconfirmed")
      .on(t.confirmDueTime)
      .where(sql`confirm_due_time is not null`),
  ],
);

export const triggers = () => [countRows(subscriptions), requireParent(subscriptions, groups)];
