import { blob, integer, primaryKey, sqliteTable } from "drizzle-orm/sqlite-core";
import { trigger } from "../triggers.ts";
import { blobLinks, ContentKind } from "./blobs.ts";

/**
 * The image indexes that named manifests which their repository did not have. All of these manifests are in one row, so
 * that an index of thousands costs no more than one of few. The migration creates the table WITHOUT ROWID.
 */
export const incompleteIndexes = sqliteTable(
  "incomplete_indexes",
  {
    repo: integer("repo_id").notNull(),
    /** The index, in `blobs`. */
    manifest: integer("manifest_id").notNull(),
    /** The bytes of the digests of these manifests, one after another. */
    digests: blob("digests", { mode: "buffer" }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.repo, t.manifest] })],
);

export const triggers = () => [
  trigger(
    blobLinks,
    "delete_incomplete",
    { on: "AFTER DELETE", when: `OLD.kind = ${ContentKind.manifest}` },
    "DELETE FROM incomplete_indexes WHERE repo_id = OLD.repo_id AND manifest_id = OLD.blob_id;",
  ),
];
