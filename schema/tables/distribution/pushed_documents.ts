import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable } from "drizzle-orm/sqlite-core";
import { trigger } from "../triggers.ts";
import { blobLinks, ContentKind } from "./blobs.ts";
import { digestColumn } from "./digest_column.ts";

/**
 * The documents about images that were pushed to a repository: SBOMs, VEX and vulnerability reports. Each is about one
 * image, and is read once, however many manifests name it. The migration creates the table WITHOUT ROWID.
 */
export const pushedDocuments = sqliteTable(
  "pushed_documents",
  {
    repo: integer("repo_id").notNull(),
    /** The document, which is a layer of a manifest. */
    blob: integer("blob_id").notNull(),
    /** The digest of the image. Null before the first reading if only the document says it, and then if nothing was stored. */
    subject: digestColumn("subject"),
    /** When it was read, in milliseconds since 1970 in UTC. Null while it waits, for example for its image. */
    readTime: integer("read_time"),
  },
  (t) => [
    primaryKey({ columns: [t.repo, t.blob] }),
    index("pushed_documents_waiting").on(t.repo, t.subject).where(sql`read_time is null`),
  ],
);

const sizeOf = (row: "NEW" | "OLD") =>
  `ifnull((SELECT size FROM blobs WHERE id = ${row}.blob_id), 0)`;
/** The documents of a deleted repository outlive its row in `repo_storage`. */
const organizationOf = (row: "NEW" | "OLD") =>
  `ifnull((SELECT organization_id FROM repo_storage WHERE id = ${row}.repo_id),
		(SELECT organization_id FROM deletions WHERE storage_id = ${row}.repo_id))`;
const isStored = (row: "NEW" | "OLD") =>
  `${row}.read_time IS NOT NULL AND ${row}.subject IS NOT NULL`;
const count = (row: "NEW" | "OLD", sign: "+" | "-") =>
  `UPDATE organization_storage SET document_bytes = document_bytes ${sign} ${sizeOf(row)}
		WHERE id = ${organizationOf(row)};`;

/** The rows from a document take about as many bytes as the document, and they count for the organization. */
export const triggers = () => [
  trigger(
    pushedDocuments,
    "count_insert",
    { on: "AFTER INSERT", when: isStored("NEW") },
    count("NEW", "+"),
  ),
  trigger(
    pushedDocuments,
    "count_read",
    { on: "AFTER UPDATE", when: `OLD.read_time IS NULL AND ${isStored("NEW")}` },
    count("NEW", "+"),
  ),
  trigger(
    pushedDocuments,
    "count_delete",
    { on: "AFTER DELETE", when: isStored("OLD") },
    count("OLD", "-"),
  ),
  trigger(
    blobLinks,
    "delete_document",
    { on: "AFTER DELETE", when: `OLD.kind = ${ContentKind.blob}` },
    "DELETE FROM pushed_documents WHERE repo_id = OLD.repo_id AND blob_id = OLD.blob_id;",
  ),
];
