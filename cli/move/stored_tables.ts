/** The tables of the contents of repositories. */
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
import { decoded, deletionByKeys, deletionOf, rangeOf } from "./sql.ts";

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

/** The blobs that a manifest names, as a JSON array of their digests. */
const named = `(SELECT json_group_array(hex(child.digest)) FROM manifest_references AS reference
  JOIN blobs AS child ON child.id = reference.blob_id WHERE reference.manifest_id = link.blob_id)`;

/** A link travels with its blob, and the link of a manifest with what the manifest names. */
export const blobLinks: NumberedTable = {
  name: "blob_links",
  columns: [
    ...["repo.uid", "link.kind", "hex(blob.digest)", "link.idle_time"],
    ...["blob.size", "blob.content", "blob.object", `iif(link.kind = 1, ${named}, '[]')`],
  ],
  key: 3,
  order: ["repo.uid", "link.kind", "link.blob_id"],
  // In this order: the repositories of the organization, then their links.
  source: `${repos} CROSS JOIN blob_links AS link ON link.repo_id = repo.id CROSS JOIN blobs AS blob ON blob.id = link.blob_id
    WHERE ${ofRoot("repo.uid")}`,
  params: rangeOf,
  write: (rows) => [
    {
      sql: `INSERT INTO blobs (digest, size, content, object)
        SELECT unhex(${value(3)}), ${value(5)}, ${value(6)}, ${value(7)} FROM json_each(?) WHERE true
        ON CONFLICT (digest) DO UPDATE SET size = excluded.size, content = excluded.content, object = excluded.object
        WHERE blobs.size IS NULL`,
      params: each(rows),
    },
    {
      sql: `INSERT INTO blobs (digest) SELECT DISTINCT unhex(child.value)
        FROM json_each(?) AS one CROSS JOIN json_each(${decoded(8, "one.value")}) AS child WHERE true
        ON CONFLICT (digest) DO NOTHING`,
      params: each(rows),
    },
    {
      sql: `INSERT OR IGNORE INTO manifest_references (manifest_id, blob_id)
        SELECT (SELECT id FROM blobs WHERE digest = unhex(${decoded(3, "one.value")})), (SELECT id FROM blobs WHERE digest = unhex(child.value))
        FROM json_each(?) AS one CROSS JOIN json_each(${decoded(8, "one.value")}) AS child`,
      params: each(rows),
    },
    {
      sql: `INSERT INTO blob_links (repo_id, kind, blob_id, idle_time) SELECT ${repoId(1)}, ${value(2)}, ${blobId(3)}, ${value(4)}
        FROM json_each(?) WHERE true ON CONFLICT (repo_id, kind, blob_id) DO UPDATE SET idle_time = excluded.idle_time`,
      params: each(rows),
    },
  ],
  share: (rows) => [
    {
      sql: `INSERT INTO shared_objects (upload_id, digest)
        SELECT substr(${value(7)}, 1, instr(${value(7)}, '/') - 1),
          iif(length(${value(3)}) = 128, 'sha512:', 'sha256:') || lower(${value(3)})
        FROM json_each(?) WHERE ${value(7)} IS NOT NULL ON CONFLICT (upload_id) DO UPDATE SET digest = excluded.digest`,
      params: each(rows),
    },
  ],
  remove: deletionByKeys(
    "blob_links",
    ["repo_id", "kind", "blob_id"],
    [
      "(SELECT id FROM repo_storage WHERE uid = value ->> 0)",
      "value ->> 1",
      "(SELECT id FROM blobs WHERE digest = unhex(value ->> 2))",
    ],
  ),
  purge: deletionOf(
    "blob_links",
    ["repo_id", "kind", "blob_id"],
    `SELECT link.repo_id, link.kind, link.blob_id FROM ${repos} CROSS JOIN blob_links AS link ON link.repo_id = repo.id WHERE ${ofRoot("repo.uid")}`,
  ),
  path: (row) => uidOfRepo(`${row}.repo_id`),
  keyOf: (row) =>
    `json_array(${uidOfRepo(`${row}.repo_id`)}, ${row}.kind, ${digestOf(`${row}.blob_id`)})`,
  pageSize: 200,
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

const uploadColumns = [
  ...["identity_uid", "size", "chunks", "multipart", "parts", "hash", "kept_object", "update_time"],
];

export const uploads: NumberedTable = {
  name: "uploads",
  columns: ["one.id", "repo.uid", ...uploadColumns.map((name) => `one.${name}`)],
  key: 1,
  order: ["repo.uid", "one.id"],
  source: `${repos} CROSS JOIN uploads AS one ON one.repo_id = repo.id WHERE ${ofRoot("repo.uid")}`,
  params: rangeOf,
  write: (rows) => [
    {
      sql: `INSERT INTO uploads (id, repo_id, ${uploadColumns.join(", ")})
        SELECT ${value(1)}, ${repoId(2)}, ${uploadColumns.map((_, at) => value(at + 3)).join(", ")} FROM json_each(?) WHERE true
        ON CONFLICT (id) DO UPDATE SET ${uploadColumns.map((name) => `${name} = excluded.${name}`).join(", ")}`,
      params: each(rows),
    },
  ],
  share: (rows) => [
    {
      sql: `INSERT INTO shared_objects (upload_id) SELECT ${value(1)} FROM json_each(?) WHERE true ON CONFLICT (upload_id) DO NOTHING`,
      params: each(rows),
    },
  ],
  remove: deletionByKeys("uploads", ["id"]),
  purge: deletionOf(
    "uploads",
    ["id"],
    `SELECT one.id FROM ${repos} CROSS JOIN uploads AS one ON one.repo_id = repo.id WHERE ${ofRoot("repo.uid")}`,
  ),
  path: (row) => uidOfRepo(`${row}.repo_id`),
  keyOf: (row) => `json_array(${row}.id)`,
  pageSize: 20,
};
