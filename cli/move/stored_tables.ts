/** The tables of the contents of repositories, without those whose rows have bytes in R2. */
import {
  blobId,
  digestOf,
  each,
  type NumberedTable,
  ofRoot,
  repoId,
  repos,
  uidOfRepo,
  value,
} from "./numbered_table.ts";
import { deletionByKeys, deletionOf, rangeOf } from "./sql.ts";

export const organizationStorage: NumberedTable = {
  name: "organization_storage",
  columns: ["uid", "byte_limit"],
  key: 1,
  source: "organization_storage WHERE uid = ?",
  params: (root) => [root],
  write: (rows) => [
    {
      sql: `INSERT INTO organization_storage (uid, byte_limit) SELECT ${value(1)}, ${value(2)} FROM json_each(?) WHERE true
        ON CONFLICT (uid) DO UPDATE SET byte_limit = excluded.byte_limit`,
      params: each(rows),
    },
  ],
  remove: deletionByKeys("organization_storage", ["uid"]),
  purge: (root) => ({ sql: "DELETE FROM organization_storage WHERE uid = ?", params: [root] }),
  path: (row) => `${row}.uid`,
  keyOf: (row) => `json_array(${row}.uid)`,
  // The bytes follow from the links, and change with each of them.
  events: ["INSERT", "UPDATE OF byte_limit", "DELETE"],
};

export const repoStorage: NumberedTable = {
  name: "repo_storage",
  columns: ["uid"],
  key: 1,
  source: `repo_storage WHERE ${ofRoot("uid")}`,
  params: rangeOf,
  write: (rows) => [
    {
      sql: `INSERT INTO repo_storage (uid, organization_id)
        SELECT ${value(1)}, (SELECT id FROM organization_storage WHERE uid = substr(${value(1)}, 1, 40))
        FROM json_each(?) WHERE true ON CONFLICT (uid) DO NOTHING`,
      params: each(rows),
    },
  ],
  remove: deletionByKeys("repo_storage", ["uid"]),
  purge: deletionOf("repo_storage", ["id"], `SELECT id FROM repo_storage WHERE ${ofRoot("uid")}`),
  path: (row) => `${row}.uid`,
  keyOf: (row) => `json_array(${row}.uid)`,
  events: ["INSERT", "DELETE"],
};

export const referrers: NumberedTable = {
  name: "referrers",
  columns: [
    ...["repo.uid", "hex(blob.digest)", "hex(one.subject)", "one.media_type", "one.artifact_type"],
    "one.annotations",
  ],
  key: 2,
  order: ["repo.uid", "one.manifest_id"],
  source: `${repos} CROSS JOIN referrers AS one ON one.repo_id = repo.id CROSS JOIN blobs AS blob ON blob.id = one.manifest_id
    WHERE ${ofRoot("repo.uid")}`,
  params: rangeOf,
  write: (rows) => [
    {
      sql: `INSERT INTO referrers (repo_id, manifest_id, subject, media_type, artifact_type, annotations)
        SELECT ${repoId(1)}, ${blobId(2)}, unhex(${value(3)}), ${value(4)}, ${value(5)}, ${value(6)} FROM json_each(?) WHERE true
        ON CONFLICT (repo_id, manifest_id) DO UPDATE SET subject = excluded.subject, media_type = excluded.media_type,
          artifact_type = excluded.artifact_type, annotations = excluded.annotations`,
      params: each(rows),
    },
  ],
  remove: deletionByKeys(
    "referrers",
    ["repo_id", "manifest_id"],
    [
      "(SELECT id FROM repo_storage WHERE uid = value ->> 0)",
      "(SELECT id FROM blobs WHERE digest = unhex(value ->> 1))",
    ],
  ),
  purge: deletionOf(
    "referrers",
    ["repo_id", "manifest_id"],
    `SELECT one.repo_id, one.manifest_id FROM ${repos} CROSS JOIN referrers AS one ON one.repo_id = repo.id WHERE ${ofRoot("repo.uid")}`,
  ),
  path: (row) => uidOfRepo(`${row}.repo_id`),
  keyOf: (row) => `json_array(${uidOfRepo(`${row}.repo_id`)}, ${digestOf(`${row}.manifest_id`)})`,
  pageSize: 100,
};

export const pushedDocuments: NumberedTable = {
  name: "pushed_documents",
  columns: ["repo.uid", "hex(blob.digest)", "hex(one.subject)", "one.read_time"],
  key: 2,
  order: ["repo.uid", "one.blob_id"],
  source: `${repos} CROSS JOIN pushed_documents AS one ON one.repo_id = repo.id CROSS JOIN blobs AS blob ON blob.id = one.blob_id
    WHERE ${ofRoot("repo.uid")}`,
  params: rangeOf,
  write: (rows) => [
    {
      sql: `INSERT INTO pushed_documents (repo_id, blob_id, subject, read_time)
        SELECT ${repoId(1)}, ${blobId(2)}, nullif(unhex(${value(3)}), x''), ${value(4)} FROM json_each(?) WHERE true
        ON CONFLICT (repo_id, blob_id) DO UPDATE SET subject = excluded.subject, read_time = excluded.read_time`,
      params: each(rows),
    },
  ],
  remove: deletionByKeys(
    "pushed_documents",
    ["repo_id", "blob_id"],
    [
      "(SELECT id FROM repo_storage WHERE uid = value ->> 0)",
      "(SELECT id FROM blobs WHERE digest = unhex(value ->> 1))",
    ],
  ),
  purge: deletionOf(
    "pushed_documents",
    ["repo_id", "blob_id"],
    `SELECT one.repo_id, one.blob_id FROM ${repos} CROSS JOIN pushed_documents AS one ON one.repo_id = repo.id WHERE ${ofRoot("repo.uid")}`,
  ),
  path: (row) => uidOfRepo(`${row}.repo_id`),
  keyOf: (row) => `json_array(${uidOfRepo(`${row}.repo_id`)}, ${digestOf(`${row}.blob_id`)})`,
};

export const incompleteIndexes: NumberedTable = {
  name: "incomplete_indexes",
  columns: ["repo.uid", "hex(blob.digest)", "hex(one.digests)"],
  key: 2,
  order: ["repo.uid", "one.manifest_id"],
  source: `${repos} CROSS JOIN incomplete_indexes AS one ON one.repo_id = repo.id CROSS JOIN blobs AS blob ON blob.id = one.manifest_id
    WHERE ${ofRoot("repo.uid")}`,
  params: rangeOf,
  write: (rows) => [
    {
      sql: `INSERT INTO incomplete_indexes (repo_id, manifest_id, digests)
        SELECT ${repoId(1)}, ${blobId(2)}, unhex(${value(3)}) FROM json_each(?) WHERE true
        ON CONFLICT (repo_id, manifest_id) DO NOTHING`,
      params: each(rows),
    },
  ],
  remove: deletionByKeys(
    "incomplete_indexes",
    ["repo_id", "manifest_id"],
    [
      "(SELECT id FROM repo_storage WHERE uid = value ->> 0)",
      "(SELECT id FROM blobs WHERE digest = unhex(value ->> 1))",
    ],
  ),
  purge: deletionOf(
    "incomplete_indexes",
    ["repo_id", "manifest_id"],
    `SELECT one.repo_id, one.manifest_id FROM ${repos} CROSS JOIN incomplete_indexes AS one ON one.repo_id = repo.id WHERE ${ofRoot("repo.uid")}`,
  ),
  path: (row) => uidOfRepo(`${row}.repo_id`),
  keyOf: (row) => `json_array(${uidOfRepo(`${row}.repo_id`)}, ${digestOf(`${row}.manifest_id`)})`,
  pageSize: 20,
};
