/** Checks tags and their history, which is append-only. */
import { type FsckCheck, maxRowsPerRepair, newCheck } from "./check.ts";
import { isPresent } from "./deletions.ts";

const repeated = `SELECT repo_uid, tag, update_time, digest FROM (
    SELECT repo_uid, tag, update_time, digest,
      lag(digest) OVER (PARTITION BY repo_uid, tag ORDER BY update_time) AS before
    FROM tag_moves)
  WHERE digest = before`;

/** Deleting the repeated record loses no information. A trigger allows only this kind of deletion. */
export const historyCheck: FsckCheck = newCheck(
  {
    name: "history",
    promise: "Two consecutive records in the history of a tag have different digests.",
    remedy: "deletes each record that repeats the digest of the previous record",
  },
  [
    {
      table: "tag_moves",
      damaged: `SELECT repo_uid AS uid, tag || ' has ' || digest || ' twice in a row' AS wrong FROM (${repeated})`,
      repair: [
        `DELETE FROM tag_moves WHERE (repo_uid, tag, update_time) IN (
          SELECT repo_uid, tag, update_time FROM (${repeated}) LIMIT ${maxRowsPerRepair})`,
      ],
    },
  ],
);

const last = (column: string) =>
  `(SELECT m.${column} FROM tag_moves AS m WHERE m.repo_uid = tags.parent AND m.tag = tags.name ORDER BY m.update_time DESC LIMIT 1)`;

const astray = `SELECT uid, name, digest, last FROM (SELECT uid, name, digest, ${last("digest")} AS last FROM tags WHERE ${isPresent("parent")})
  WHERE digest <> '' AND digest IS NOT last`;

const condition = `uid IN (SELECT uid FROM (${astray}) ORDER BY uid LIMIT ${maxRowsPerRepair})`;

/** The repair does not rewrite the history. It adds a record of what the tag points to. */
export const tagDigestsCheck: FsckCheck = newCheck(
  {
    name: "tags",
    promise: "Each tag points to the digest in the last record of its history.",
    remedy: "adds a record with the current digest to the history",
  },
  [
    {
      table: "tags",
      damaged: `SELECT uid, name || ' points to ' || digest || ', its history '
        || ifnull('ends with ' || last, 'is empty') AS wrong FROM (${astray})`,
      repair: [
        // This comes first, because the record gets the tag's time, which must be later than that of the last record.
        `UPDATE tags SET update_time = max(update_time, ifnull(${last("update_time")} + 1, 0)) WHERE ${condition}`,
        `INSERT INTO tag_moves (repo_uid, tag, update_time, digest) SELECT parent, name, update_time, digest FROM tags WHERE ${condition}`,
      ],
    },
  ],
);
