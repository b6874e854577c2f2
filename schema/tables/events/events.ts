import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { resourceColumns } from "../columns.ts";
import { aboveOf, deepGroupKeys } from "../list_indexes.ts";
import type { EventData, PackedData } from "./event_data.ts";

const { uid: _uid, createTime: _created, updateTime: _updated, ...path } = resourceColumns();

/**
 * Every sixteenth event marks its time. Times increase with `seq`, apart from the differences of clocks. An index of
 * the marks therefore finds the events of a time, and most events have no row in it. Events that moved here with their
 * organization have negative numbers, and mark nothing. A query must contain exactly this condition.
 */
export const isTimeMark = sql.raw(`"seq" % 16 = 0 and "seq" > 0`);

/**
 * The events of all changes (contract: events). Each is written in the batch of its change. D1 runs one batch
 * after the other, so `seq` is the order in which the changes took effect.
 */
export const events = sqliteTable(
  "events",
  {
    /** Increases with every event. No value is used twice. */
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    /**
     * The group where the change happened, and a step from the last 16 digits of `id`. For the deletion of an
     * organization, and for events outside all groups, only that step: `/0123456789abcdef`.
     */
    uid: text("uid").notNull(),
    ...path,
    ...deepGroupKeys(),
    /** The CloudEvents id, a UUID. */
    id: text("id").notNull(),
    type: text("type").notNull(),
    source: text("source").notNull(),
    subject: text("subject").notNull(),
    /**
     * The extension attribute `group`. For tags, it is the organization. For what belongs to a repository, such as its
     * role bindings, it is the repository. `/` for the deletion of an organization.
     */
    group: text("group_uid").notNull(),
    /** Events for the `customer` are sent. Events with `internal` are not. */
    audience: text("audience").notNull(),
    /** Further extension attributes. */
    extensions: text("extensions", { mode: "json" }).$type<Record<string, string>>().notNull(),
    /** The full proto name of `body`. Empty without a body. */
    bodyType: text("body_type").notNull(),
    /** `{actor, body}`, the data of the event. Large data is packed. */
    data: text("data", { mode: "json" }).$type<EventData | PackedData>().notNull(),
    /** Milliseconds since 1970 in UTC. */
    time: integer("time").notNull(),
    /** The id of the request that made the change. */
    requestId: text("request_id").notNull().default(""),
    /** The IP address that the request came from. */
    address: text("address").notNull().default(""),
    /** The uid of the repository that the event is about. The next three columns say more about its image. */
    repo: text("repo_uid").notNull().default(""),
    tag: text("tag").notNull().default(""),
    digest: text("digest").notNull().default(""),
    /** The digest that the tag pointed to before. */
    previousDigest: text("previous_digest").notNull().default(""),
    /** The only subscription that receives the event. Empty for all. */
    recipient: text("recipient_uid").notNull().default(""),
    /** Events of a partition are sent in their order (src/outbox/partition.ts). */
    pool: text("pool").notNull().default(""),
    partition: text("partition").notNull().default(""),
  },
  (t) => [
    uniqueIndex("events_by_uid").on(t.uid),
    index("events_times").on(t.time).where(isTimeMark),
    // Within an index, rows with equal keys are in the order of `seq`.
    index("events_of_parent").on(t.parentKey),
    ...aboveOf(t).map((scope, depth) =>
      index(`events_above${depth}`)
        .on(scope)
        .where(sql`${sql.identifier(scope.name)} is not null`),
    ),
  ],
);
