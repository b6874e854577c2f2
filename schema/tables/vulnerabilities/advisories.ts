import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { resourceColumns } from "../columns.ts";
import { groups } from "../iam/groups.ts";
import { groupIndexes, groupKeys } from "../list_indexes.ts";
import { countRows, requireParent, requireRow, trigger } from "../triggers.ts";

/** The type (number of Severity.Type) and the score of a severity. */
export interface StoredSeverity {
  type: number;
  score: string;
}

/** Advisories: everything that is known about one vulnerability in one artifact. */
export const advisories = sqliteTable(
  "advisories",
  {
    ...resourceColumns(),
    ...groupKeys(),
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
    /**
     * The package that the artifact is built from. An artifact that is not a subpackage is its own origin.
     */
    origin: text("origin").notNull(),
    aliases: text("aliases", { mode: "json" }).$type<string[]>().notNull(),
    severities: text("severities", { mode: "json" }).$type<StoredSeverity[]>().notNull(),
    /**
     * The imports that it comes from, so that they can be purged: `osv`, or `vex` for OpenVEX and CSAF. Empty
     * if it was not imported.
     */
    source: text("source").notNull().default(""),
    /**
     * The SHA-256 of the imported record, in hexadecimal. A second import then detects that nothing changed.
     */
    sourceDigest: text("source_digest").notNull().default(""),
    /** The update time of that import, if a later call of version 1 changed the update time of the row. */
    sourceTime: integer("source_time"),
    /**
     * The time when version 1 last wrote the fields of the row, which imports then do not change. Null if it
     * never did.
     */
    editTime: integer("edit_time"),
    /** The time when version 1 deleted the advisory, so that no import restores it. */
    removeTime: integer("remove_time"),
    /**
     * The events of the advisory as {@link eventsJson}, so that a page of advisories reads no other table. Triggers
     * write it. Null for many or long events, and until an event of an older advisory is written: they are then read
     * from `advisory_events`.
     */
    shownEvents: text("shown_events"),
    /**
     * The first 255 characters of the aliases as one text, for sorting. Page tokens contain it.
     */
    aliasOrder: text("alias_order").generatedAlwaysAs(
      sql.raw(`substr(rtrim(substr("aliases", 3), '"]'), 1, 255)`),
      { mode: "virtual" },
    ),
    /** The delete time for sorting. */
    deleteOrder: integer("delete_order").generatedAlwaysAs(sql.raw(`coalesce("delete_time", 0)`), {
      mode: "virtual",
    }),
  },
  (t) => [
    ...groupIndexes("advisories", t, {
      orders: {
        advisory: t.advisoryId,
        artifact: t.artifactName,
        aliases: t.aliasOrder,
        deleted: t.deleteOrder,
      },
    }),
    uniqueIndex("advisories_siblings").on(t.parent, t.advisoryId),
    index("advisories_by_source").on(t.parent, t.source, t.uid).where(sql.raw(`"source" <> ''`)),
    index("advisories_by_advisory").on(t.advisoryId, t.uid),
    index("advisories_by_artifact").on(t.artifactName, t.uid),
    index("advisories_by_component").on(t.componentName, t.uid),
    index("advisories_by_origin").on(t.origin, t.uid),
  ],
);

/**
 * The types of events that say whether a product is affected. Numbers of EventTypeFilter, here because the Workers that match
 * need nothing else of its proto.
 */
export const EVENT_TYPE = {
  truePositive: 2,
  fixed: 3,
  falsePositive: 4,
  fixNotPlanned: 6,
  pendingUpstreamFix: 7,
  patched: 8,
} as const;

/** The review state of events that count. Number of ReviewState. */
export const APPROVED = 2;

/** The events of an advisory. Their uids sort by creation time, oldest first. */
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
    /** Number of EventTypeFilter of version 1, which has one value more than version 2. */
    type: integer("type").notNull(),
    /** JSON of the member in the `type` oneof of the event. */
    detail: text("detail", { mode: "json" }).notNull(),
    /** Base64 of the scanner's findings. */
    findings: text("findings").notNull().default(""),
    /** A call of version 1 wrote the event, so imports do not change it. */
    byHand: integer("by_hand", { mode: "boolean" }).notNull().default(false),
  },
  (t) => [index("advisory_events_of").on(t.advisoryUid, t.createTime, t.uid)],
);

/** SQL: the JSON of the events of an advisory, which all rows of a select from `advisory_events` belong to. */
export const eventsJson = `json_group_array(json_object('uid', "uid", 'createTime', "create_time",
	'updateTime', "update_time", 'author', "author", 'reviewer', "reviewer", 'reviewState', "review_state",
	'issue', "issue", 'type', "type", 'detail', json("detail"), 'findings', "findings", 'byHand', "by_hand"))`;

/** SQL: the events of an advisory as {@link eventsJson}. Most advisories have them in their row. */
export const eventsOfAdvisory = sql.raw(`coalesce("advisories"."shown_events",
	(select ${eventsJson} from "advisory_events" where "advisory_events"."advisory_uid" = "advisories"."uid"))`);

/** The most bytes of events in the row of their advisory. One event usually takes 300. */
const maxShownBytes = 2_000;

/** The most events there. The triggers read no more of them, so that many events do not make each other slower. */
const maxShown = 10;

/** Keeps `shown_events`. Updates never move an event to another advisory. */
const showEvents = `UPDATE advisories SET shown_events = (
		SELECT iif(count <= ${maxShown} AND octet_length(events) <= ${maxShownBytes}, events, NULL)
		FROM (SELECT ${eventsJson} AS events, count(*) AS count FROM (
			SELECT * FROM advisory_events WHERE advisory_uid = NEW.advisory_uid LIMIT ${maxShown + 1})))
	WHERE uid = NEW.advisory_uid AND (shown_events IS NOT NULL OR ${maxShown} >= (SELECT count(*) FROM (
		SELECT 1 FROM advisory_events WHERE advisory_uid = NEW.advisory_uid LIMIT ${maxShown + 1})));`;

export const triggers = () => [
  ...trigger(advisoryEvents, "show_insert", { on: "AFTER INSERT" }, showEvents),
  ...trigger(advisoryEvents, "show_update", { on: "AFTER UPDATE" }, showEvents),
  // An advisory that is deleted next needs no new text.
  ...trigger(
    advisoryEvents,
    "show_delete",
    { on: "AFTER DELETE" },
    "UPDATE advisories SET shown_events = NULL WHERE uid = OLD.advisory_uid AND shown_events IS NOT NULL;",
  ),
  countRows(advisories, { roots: true }),
  requireParent(advisories, groups),
  requireRow(advisoryEvents.advisoryUid, advisories, "advisory"),
];
