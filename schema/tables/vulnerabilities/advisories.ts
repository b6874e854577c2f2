import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { GROUP_LEVELS, listIndexes, resourceColumns } from "../columns.ts";
import { groups } from "../iam/groups.ts";
import { countRows, requireParent, requireRow } from "../triggers.ts";

/** Type (number of Severity.Type) and score of a severity. */
export interface StoredSeverity {
  type: number;
  score: string;
}

/** Advisories: what is known of one vulnerability in one artifact. */
export const advisories = sqliteTable(
  "advisories",
  {
    ...resourceColumns(),
    advisoryId: text("advisory_id").notNull(),
    legacyAdvisoryId: text("legacy_advisory_id"),
    deleteTime: integer("delete_time"),
    author: text("author").notNull(),
    artifactName: text("artifact_name").notNull(),
    artifactType: text("artifact_type").notNull(),
    artifactArchitecture: text("artifact_architecture").notNull(),
    componentName: text("component_name").notNull(),
    componentLocation: text("component_location").notNull(),
    componentType: text("component_type").notNull(),
    /** The package the artifact is built from; an artifact that is no subpackage is its own. */
    origin: text("origin").notNull(),
    aliases: text("aliases", { mode: "json" }).$type<string[]>().notNull(),
    severities: text("severities", { mode: "json" }).$type<StoredSeverity[]>().notNull(),
    /**
     * Which imports it comes from, so that they can be taken back: `osv`, or `vex` for OpenVEX and CSAF.
     * Empty: from none.
     */
    source: text("source").notNull().default(""),
    /** SHA-256 in hex of the record it was imported from, so that a second import sees no change. */
    sourceDigest: text("source_digest").notNull().default(""),
    /** Update time of that import, where a call of version 1 has moved the row's own since. */
    sourceTime: integer("source_time"),
    /** When version 1 last said what the row says, which imports then leave; null: never. */
    editTime: integer("edit_time"),
    /** When version 1 deleted it, so that no import brings it back. */
    removeTime: integer("remove_time"),
    /**
     * The first 255 characters of the aliases as one text, to sort by; page tokens hold it. It has no
     * index: few ask for it, and writes cost more.
     */
    aliasOrder: text("alias_order").generatedAlwaysAs(
      sql.raw(`substr(rtrim(substr("aliases", 3), '"]'), 1, 255)`),
      { mode: "virtual" },
    ),
    /** The delete time to sort by, without an index as above. */
    deleteOrder: integer("delete_order").generatedAlwaysAs(sql.raw(`coalesce("delete_time", 0)`), {
      mode: "virtual",
    }),
  },
  (t) => [
    ...listIndexes("advisories", t, {
      depths: 1 + GROUP_LEVELS,
      orders: { advisory: t.advisoryId, artifact: t.artifactName },
    }),
    uniqueIndex("advisories_siblings").on(t.parent, t.advisoryId),
    index("advisories_by_source").on(t.parent, t.source, t.uid).where(sql.raw(`"source" <> ''`)),
    index("advisories_by_advisory").on(t.advisoryId, t.uid),
    index("advisories_by_artifact").on(t.artifactName, t.uid),
    index("advisories_by_component").on(t.componentName, t.uid),
    index("advisories_by_origin").on(t.origin, t.uid),
  ],
);

/** The events of an advisory, oldest first by uid order of their creation time. */
export const advisoryEvents = sqliteTable(
  "advisory_events",
  {
    uid: text("uid").primaryKey(),
    advisoryUid: text("advisory_uid").notNull(),
    createTime: integer("create_time").notNull(),
    updateTime: integer("update_time").notNull(),
    author: text("author").notNull(),
    reviewer: text("reviewer").notNull().default(""),
    /** Number of ReviewState. */
    reviewState: integer("review_state").notNull(),
    issue: text("issue"),
    /** Number of EventTypeFilter of version 1, which has one more than version 2. */
    type: integer("type").notNull(),
    /** JSON of the event's `type` oneof member. */
    detail: text("detail", { mode: "json" }).notNull(),
    /** Base64 of the scanner's findings. */
    findings: text("findings").notNull().default(""),
    /** Written by a call of version 1: imports leave it. */
    byHand: integer("by_hand", { mode: "boolean" }).notNull().default(false),
  },
  (t) => [index("advisory_events_of").on(t.advisoryUid, t.createTime, t.uid)],
);

export const triggers = () => [
  countRows(advisories, { roots: true }),
  requireParent(advisories, groups),
  requireRow(advisoryEvents.advisoryUid, advisories, "advisory"),
];
