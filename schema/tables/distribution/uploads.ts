import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { trigger } from "../triggers.ts";

/**
 * Blobs and large manifests on their way into R2. Only the identity that began an upload can continue it. All
 * R2 objects of an upload have keys that begin with its id and a slash.
 */
export const uploads = sqliteTable(
  "uploads",
  {
    /** 32 random hexadecimal digits. */
    id: text("id").primaryKey(),
    repo: integer("repo_id").notNull(),
    /** The uid of the identity that began the upload. */
    identity: text("identity_uid").notNull(),
    /** The number of bytes that have arrived. */
    size: integer("size").notNull().default(0),
    /** The number of requests that brought them. It is also the version of the row. */
    chunks: integer("chunks").notNull().default(0),
    /** The id of the multipart upload. Null before the first full part. */
    multipart: text("multipart"),
    /** The ETags of its parts, in order. All parts have the same size. */
    parts: text("parts", { mode: "json" }).$type<string[]>().notNull().default([]),
    /**
     * The digest of the bytes that have arrived, or the state of SHA-256 after them (src/distribution/blobs/hash.ts). Null if
     * neither is known.
     */
    hash: text("hash"),
    /** The key of the R2 object that a blob now uses. Null until the end. */
    kept: text("kept_object"),
    /** When the last bytes arrived, in milliseconds since 1970 in UTC. */
    updateTime: integer("update_time").notNull(),
  },
  (t) => [index("uploads_by_repo").on(t.repo), index("uploads_by_time").on(t.updateTime)],
);

/** R2 objects that nothing uses. The clean-up deletes them. */
export const objectDeletions = sqliteTable("object_deletions", {
  /** The first part of the keys of the objects, without the slash. */
  upload: text("upload_id").primaryKey(),
  /** The id of a multipart upload that may be unfinished. */
  multipart: text("multipart"),
  /** The key of the one object that stays. */
  kept: text("kept_object"),
});

/**
 * Only one kind of upload leaves nothing behind: one whose bytes came in one request, and whose only object is
 * the blob.
 */
const leavesObjects =
  "OLD.kept_object IS NULL OR OLD.chunks > 1 OR (OLD.chunks = 1 AND OLD.kept_object LIKE '%/blob')";

export const triggers = () =>
  trigger(
    uploads,
    "delete_objects",
    { on: "AFTER DELETE", when: leavesObjects },
    `INSERT INTO object_deletions (upload_id, multipart, kept_object)
		VALUES (OLD.id, OLD.multipart, OLD.kept_object) ON CONFLICT DO NOTHING;`,
  );
