import { index, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { trigger } from "../triggers.ts";
import { manifests } from "./manifests.ts";

/**
 * Maps a manifest to the image indexes of its repository that contain it. Tags usually point to an index, and
 * scanners report about one of its manifests. Triggers fill it from `manifests.entries`, with the first
 * {@link MAX_INDEX_ENTRIES} of an index.
 */
export const indexEntries = sqliteTable(
  "index_entries",
  {
    /** The uid of the repository. */
    repo: text("repo_uid").notNull(),
    /** The digest of the manifest. */
    digest: text("digest").notNull(),
    /** The uid of the index, in `manifests`. */
    indexUid: text("index_uid").notNull(),
    /** The digest of the index. */
    indexDigest: text("index_digest").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.repo, t.digest, t.indexUid] }),
    index("index_entries_of").on(t.indexUid),
  ],
);

/** An image has fewer platforms. An index of more entries is about something else, or made to fill the database. */
export const MAX_INDEX_ENTRIES = 100;

const added = `INSERT OR IGNORE INTO index_entries (repo_uid, digest, index_uid, index_digest)
	SELECT NEW.parent, entry.value ->> 'digest', NEW.uid, NEW.digest FROM json_each(NEW.entries) AS entry
	WHERE entry.key < ${MAX_INDEX_ENTRIES};`;

export const triggers = () => [
  trigger(manifests, "insert_entries", { on: "AFTER INSERT", when: "NEW.entries <> '[]'" }, added),
  trigger(
    manifests,
    "delete_entries",
    { on: "AFTER DELETE", when: "OLD.entries <> '[]'" },
    "DELETE FROM index_entries WHERE index_uid = OLD.uid;",
  ),
];
