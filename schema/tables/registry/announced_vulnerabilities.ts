import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { requireRow, trigger } from "../triggers.ts";
import { advisories, advisoryEvents } from "../vulnerabilities/advisories.ts";
import { advisoryProducts } from "../vulnerabilities/advisory_products.ts";
import { vexSubjects } from "../vulnerabilities/vex_subjects.ts";
import { examinedImages } from "./findings.ts";
import { indexEntries } from "./index_entries.ts";
import { MARK, markSql } from "./match_marks.ts";
import { tags } from "./tags.ts";

/**
 * The vulnerabilities of images that an event has announced, and that no later event has ended. Rows and events are written
 * in one batch (src/matching/announcements). The migration creates the table WITHOUT ROWID.
 */
export const announcedVulnerabilities = sqliteTable(
  "announced_vulnerabilities",
  {
    /** The uid in `examined_images`. */
    imageUid: text("image_uid").notNull(),
    /** The id in the event. */
    vulnerability: text("vulnerability").notNull(),
    /** Number of FindingSeverity, as in the event. */
    severity: integer("severity").notNull(),
    /** All ids by which the image has the vulnerability, in upper case. The one of the event is always among them. */
    ids: text("ids", { mode: "json" }).$type<string[]>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.imageUid, t.vulnerability] })],
);

type Row = "NEW" | "OLD";

const markImage = (source: string) => markSql("image.uid", MARK.announcement, source);

/** The images with findings that a tag leads to: the one that it points to, or those of its image index. */
const marksOfTag = (row: Row) => [
  markImage(`FROM examined_images AS image
	WHERE image.parent = ${row}.parent AND image.digest = ${row}.digest AND image.finding_count > 0`),
  markImage(`FROM manifests AS pointed CROSS JOIN index_entries AS entry CROSS JOIN examined_images AS image
	WHERE pointed.parent = ${row}.parent AND pointed.digest = ${row}.digest AND entry.index_uid = pointed.uid
		AND image.parent = entry.repo_uid AND image.digest = entry.digest AND image.finding_count > 0`),
];

const markOfEntry = (row: Row) =>
  markImage(`FROM examined_images AS image
	WHERE image.parent = ${row}.repo_uid AND image.digest = ${row}.digest AND image.finding_count > 0`);

/** Marks the vulnerabilities of products, if an image below their group has them. */
const markVulnerabilities = (source: string) =>
  markSql(
    "product.group_uid || ' ' || product.alias",
    MARK.statements,
    `${source} EXISTS (SELECT 1 FROM finding_ids WHERE id = product.alias
		AND uid > product.group_uid || '/' AND uid < product.group_uid || '0')`,
  );
const markProduct = (row: Row) =>
  markVulnerabilities(
    `FROM (SELECT ${row}.group_uid AS group_uid, ${row}.alias AS alias) AS product WHERE`,
  );
const markAdvisory = (uid: string) =>
  markVulnerabilities(`FROM advisory_products AS product WHERE product.advisory_uid = ${uid} AND`);

/** The columns of an advisory that say what its statements are about, apart from those in `advisory_products`. */
const aboutColumns = ["component_name", "component_location", "component_type"];

export const triggers = () => [
  ...requireRow(announcedVulnerabilities.imageUid, examinedImages, "image"),
  // Every write of findings changes the row of their image.
  trigger(
    examinedImages,
    "announce",
    {
      on: "AFTER UPDATE OF update_time, finding_count, findings_version",
      when: "OLD.finding_count > 0 OR NEW.finding_count > 0",
    },
    markSql("NEW.uid", MARK.announcement),
  ),
  trigger(
    examinedImages,
    "delete_announced",
    { on: "AFTER DELETE" },
    "DELETE FROM announced_vulnerabilities WHERE image_uid = OLD.uid;",
    `DELETE FROM match_marks WHERE root = substr(OLD.uid, 1, 40) AND kind IN (${MARK.image}, ${MARK.announcement})
	AND uid = OLD.uid;`,
  ),
  trigger(
    tags,
    "announce_insert",
    { on: "AFTER INSERT", when: "NEW.digest <> ''" },
    ...marksOfTag("NEW"),
  ),
  trigger(
    tags,
    "announce_update",
    { on: "AFTER UPDATE OF digest", when: "OLD.digest <> NEW.digest" },
    ...marksOfTag("OLD"),
    ...marksOfTag("NEW"),
  ),
  trigger(tags, "announce_delete", { on: "AFTER DELETE" }, ...marksOfTag("OLD")),
  trigger(indexEntries, "announce_insert", { on: "AFTER INSERT" }, markOfEntry("NEW")),
  trigger(indexEntries, "announce_delete", { on: "AFTER DELETE" }, markOfEntry("OLD")),
  trigger(advisoryProducts, "announce_insert", { on: "AFTER INSERT" }, markProduct("NEW")),
  trigger(advisoryProducts, "announce_delete", { on: "AFTER DELETE" }, markProduct("OLD")),
  trigger(
    advisoryEvents,
    "announce_insert",
    { on: "AFTER INSERT" },
    markAdvisory("NEW.advisory_uid"),
  ),
  trigger(
    advisoryEvents,
    "announce_update",
    { on: "AFTER UPDATE" },
    markAdvisory("NEW.advisory_uid"),
  ),
  trigger(
    advisoryEvents,
    "announce_delete",
    { on: "AFTER DELETE" },
    markAdvisory("OLD.advisory_uid"),
  ),
  trigger(
    advisories,
    "announce_update",
    {
      on: `AFTER UPDATE OF delete_time, ${aboutColumns.join(", ")}`,
      when: [
        "OLD.delete_time IS NOT NEW.delete_time",
        ...aboutColumns.map((column) => `OLD.${column} <> NEW.${column}`),
      ].join(" OR "),
    },
    markAdvisory("NEW.uid"),
  ),
  trigger(
    vexSubjects,
    "announce_update",
    {
      on: "AFTER UPDATE OF product, subcomponent",
      when: "OLD.product <> NEW.product OR OLD.subcomponent IS NOT NEW.subcomponent",
    },
    markAdvisory("NEW.uid"),
  ),
];
