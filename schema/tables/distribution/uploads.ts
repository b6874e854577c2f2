import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { sumRows } from "../triggers.ts";

/** Blobs on their way into R2. Only the identity that began an upload can continue it. */
export const uploads = sqliteTable(
  "uploads",
  {
    /** 32 random hexadecimal digits. */
    id: text("id").primaryKey(),
    repo: integer("repo_id").notNull(),
    organization: integer("organization_id").notNull(),
    /** The uid of the identity that began the upload. */
    identity: text("identity_uid").notNull(),
    /** The number of bytes that have arrived. Its pieces in `objects` have them. */
    size: integer("size").notNull().default(0),
    /** The version of the row: the number of requests that have changed it. */
    chunks: integer("chunks").notNull().default(0),
    /**
     * The digest of the bytes that have arrived, or the state of SHA-256 after them (src/distribution/blobs/hash.ts).
     * Null if neither is known.
     */
    hash: text("hash"),
    /** The key of the object that the client sends to R2 itself. Null if it has not asked for that. */
    direct: text("direct_key"),
    /** In milliseconds since 1970 in UTC. */
    createTime: integer("create_time").notNull(),
    /** When the last bytes arrived. */
    updateTime: integer("update_time").notNull(),
  },
  (t) => [
    index("uploads_by_repo").on(t.repo),
    index("uploads_by_organization").on(t.organization, t.updateTime),
    index("uploads_by_time").on(t.updateTime),
    index("uploads_by_creation").on(t.createTime),
  ],
);

/** The kind of the number of open uploads. */
export const OPEN_UPLOADS = "open_uploads";

export const triggers = () => [
  sumRows(uploads, {
    kind: OPEN_UPLOADS,
    root: (row) => `(SELECT uid FROM organization_storage WHERE id = ${row}.organization_id)`,
    amount: () => "1",
  }),
];
