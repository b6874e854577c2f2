/**
 * Copies the rows of `tags` to a table whose uids have no index of their own. Since the migration that creates it,
 * triggers carry every change over. So the copy needs only the rows before it.
 */
import type { RowCopy } from "./row_copy.ts";

/** The rows of a batch. Each has about 14 entries in indexes. */
const batchSize = 2_000;

const columns =
  "uid, create_time, update_time, name, digest, deprecated, deprecated_time, bundles, line, line_key";

export const shortTagsCopy: RowCopy = {
  before: "replace_tags",
  what: "the tags",
  batch: [
    `INSERT INTO short_tags (rowid, ${columns}) SELECT rowid, ${columns} FROM tags
      WHERE rowid > (SELECT done FROM short_tags_copy)
        AND rowid <= (SELECT min(done + ${batchSize}, last) FROM short_tags_copy)`,
    `UPDATE short_tags_copy SET done = min(done + ${batchSize}, last)`,
  ],
  left: `SELECT last - done AS "left" FROM short_tags_copy`,
};
