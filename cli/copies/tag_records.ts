/**
 * Copies the history of tags from the table `tag_moves` to `tag_records` and the tables that it refers to. Since the
 * migration that creates those, triggers carry every change over. So the copy needs only the records before it.
 */
import type { RowCopy } from "./row_copy.ts";

/** The records of a batch. They are written within a second. */
const batchSize = 5_000;

const inBatch = `m.rowid > (SELECT done FROM tag_moves_copy)
  AND m.rowid <= (SELECT min(done + ${batchSize}, last) FROM tag_moves_copy)`;

/** The organization of a repository, as the first characters of uids. */
const organization = "substr(repo_uid, 1, 40)";

const repos = `INSERT INTO tag_repos (id, repo_uid, organization_id)
  SELECT id, repo_uid, ifnull((SELECT known.organization_id FROM tag_repos AS known
      WHERE known.repo_uid > organization || '/' AND known.repo_uid < organization || '0' LIMIT 1),
    min(id) OVER (PARTITION BY organization))
  FROM (SELECT repo_uid, ${organization} AS organization,
      ifnull((SELECT id FROM tag_repos ORDER BY id DESC LIMIT 1), 0) + row_number() OVER (ORDER BY repo_uid) AS id
    FROM (SELECT DISTINCT m.repo_uid FROM tag_moves AS m WHERE ${inBatch}
      AND NOT EXISTS (SELECT 1 FROM tag_repos AS known WHERE known.repo_uid = m.repo_uid)))`;

const names = `INSERT OR IGNORE INTO tag_names (repo_id, tag)
  SELECT DISTINCT tag_repos.id, m.tag FROM tag_moves AS m
  CROSS JOIN tag_repos ON tag_repos.repo_uid = m.repo_uid WHERE ${inBatch}`;

const origins = `INSERT OR IGNORE INTO tag_origins (repo_uid, repo, identity, identity_name, method)
  SELECT DISTINCT m.repo_uid, m.repo, m.identity, m.identity_name, m.method FROM tag_moves AS m WHERE ${inBatch}`;

const hex = "substr(m.digest, 8)";

const records = `INSERT OR IGNORE INTO tag_records (tag_id, update_time, organization_id, repo_id, digest, origin_id, flags)
  SELECT tag_names.id, m.update_time, tag_repos.organization_id, tag_repos.id,
    iif(length(m.digest) = 71 AND m.digest GLOB 'sha256:*' AND lower(hex(unhex(${hex}))) = ${hex},
      unhex(${hex}), m.digest),
    tag_origins.id, m.kind | (m.warnings << 3)
  FROM tag_moves AS m
  CROSS JOIN tag_repos ON tag_repos.repo_uid = m.repo_uid
  CROSS JOIN tag_names ON tag_names.repo_id = tag_repos.id AND tag_names.tag = m.tag
  CROSS JOIN tag_origins ON tag_origins.repo_uid = m.repo_uid AND tag_origins.repo = m.repo
    AND tag_origins.identity = m.identity AND tag_origins.identity_name = m.identity_name AND tag_origins.method = m.method
  WHERE ${inBatch}`;

export const tagRecordsCopy: RowCopy = {
  before: "replace_tag_moves",
  what: "the history of tags",
  // The statement that moves on comes last, so a batch that was interrupted is copied again.
  batch: [
    ...[repos, names, origins, records],
    `UPDATE tag_moves_copy SET done = min(done + ${batchSize}, last)`,
  ],
  left: `SELECT last - done AS "left" FROM tag_moves_copy`,
};
