import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { trigger } from "../triggers.ts";
import { blobs } from "./blobs.ts";
import { uploads } from "./uploads.ts";

/**
 * The objects of the registry in R2. Each of them is written by one request, under a key that no other request knows,
 * and is never written again. Its row comes first, so no object is without a row, and an object can be read only
 * through the row that names its blob.
 *
 * | state | upload | blob | idleTime |
 * | --- | --- | --- | --- |
 * | a request writes it | the upload, or null for a manifest | null | the time of the last reservation |
 * | a piece of an upload | the upload | null | null |
 * | bytes of a blob | null | the blob | null |
 * | nothing needs it | null | null | since when |
 * | it is deleted from R2 now | null | null | {@link RELEASED} |
 *
 * An object that nothing needs never gets back into one of the states before.
 */
export const objects = sqliteTable(
  "objects",
  {
    /** 32 random hexadecimal digits. */
    key: text("key").primaryKey(),
    /** The organization that the bytes are reserved for. Null while the content of an organization includes them. */
    organization: integer("organization_id"),
    upload: text("upload_id"),
    blob: integer("blob_id"),
    /** The position of its first byte in the upload or the blob. */
    start: integer("first_byte").notNull().default(0),
    /** The number of bytes. While a request writes the object, the number that is reserved for it. */
    size: integer("size").notNull(),
    /** The id of the multipart upload while it is unfinished. */
    multipart: text("multipart"),
    /** The ETag that R2 returned for the object. Null until then. */
    etag: text("etag"),
    /** In milliseconds since 1970 in UTC. See the table of states. */
    idleTime: integer("idle_time"),
  },
  (t) => [
    index("objects_by_upload").on(t.upload).where(sql`upload_id is not null`),
    index("objects_by_blob").on(t.blob, t.start).where(sql`blob_id is not null`),
    index("objects_idle").on(t.idleTime).where(sql`idle_time is not null`),
  ],
);

/** The time of objects that are being deleted from R2. No request can keep one of them. */
export const RELEASED = 0;

/** How far the comparison of the bucket with this table has come: one row, in the first database. */
export const objectSweep = sqliteTable("object_sweep", {
  id: integer("id").primaryKey(),
  /** The last key that was compared. Empty at the beginning. */
  after: text("after_key").notNull(),
});

const now = "cast(unixepoch('subsec') * 1000 as integer)";

const reserve = (row: "NEW" | "OLD", sign: "+" | "-") =>
  `UPDATE organization_storage SET reserved_bytes = reserved_bytes ${sign} ${row}.size WHERE id = ${row}.organization_id;`;

export const triggers = () => [
  ...trigger(
    objects,
    "count_insert",
    { on: "AFTER INSERT", when: "NEW.organization_id IS NOT NULL" },
    reserve("NEW", "+"),
  ),
  ...trigger(
    objects,
    "count_update",
    {
      on: "AFTER UPDATE OF organization_id, size",
      when: "OLD.organization_id IS NOT NEW.organization_id OR OLD.size <> NEW.size",
    },
    reserve("OLD", "-"),
    reserve("NEW", "+"),
  ),
  ...trigger(
    objects,
    "count_delete",
    { on: "AFTER DELETE", when: "OLD.organization_id IS NOT NULL" },
    reserve("OLD", "-"),
  ),
  ...trigger(
    uploads,
    "release_objects",
    { on: "AFTER DELETE" },
    `UPDATE objects SET upload_id = NULL, idle_time = ${now} WHERE upload_id = OLD.id;`,
  ),
  ...trigger(
    blobs,
    "release_objects",
    { on: "AFTER DELETE" },
    `UPDATE objects SET blob_id = NULL, idle_time = ${now} WHERE blob_id = OLD.id;`,
  ),
  // The row of a blob stays without bytes while manifests name it.
  ...trigger(
    blobs,
    "release_bytes",
    { on: "AFTER UPDATE OF size", when: "NEW.size IS NULL AND OLD.size IS NOT NULL" },
    `UPDATE objects SET blob_id = NULL, idle_time = ${now} WHERE blob_id = OLD.id;`,
  ),
];
