/**
 * The tables whose rows have numbers that only one database knows. Their rows travel with the uids and digests that the
 * numbers stand for.
 */
import { decoded, encodedRow, rangeOf, type Statement } from "./sql.ts";

/** How to move the rows of such a table. */
export interface NumberedTable {
  name: string;
  /** The columns of a travelling row, as SQL over `source`. The first ones, `key`, identify it. */
  columns: string[];
  key: number;
  /** The order of an index in which pages are read. By default that of the key. */
  order?: string[];
  /** The FROM clause and the condition for an organization, with the parameters of `params`. */
  source: string;
  params: (root: string) => unknown[];
  /** The statements that write the rows of the JSON parameter. */
  write: (rows: string) => Statement[];
  /** The statement that deletes rows by the JSON arrays of their keys. */
  remove: (keys: string) => Statement;
  /** The statement that deletes rows of an organization that was moved, at most `limit`. */
  purge: (root: string, limit: number) => Statement;
  /** SQL over NEW or OLD: the uid that says whose row it is, and the key as a JSON array. */
  path: (row: string) => string;
  keyOf: (row: string) => string;
  /** The events of its triggers. By default all three. */
  events?: string[];
  pageSize?: number;
}

const each = (rows: string): unknown[] => [rows];
const value = (at: number) => decoded(at);
const uidOfRepo = (id: string) => `(SELECT uid FROM repo_storage WHERE id = ${id})`;
const repoId = (at: number) => `(SELECT id FROM repo_storage WHERE uid = ${value(at)})`;
const digestOf = (id: string) => `(SELECT hex(digest) FROM blobs WHERE id = ${id})`;
const blobId = (at: number) => `(SELECT id FROM blobs WHERE digest = unhex(${value(at)}))`;
const ofRoot = (column: string) => `${column} >= ? AND ${column} < ?`;

/** The repositories of an organization, for rows that have their numbers. */
const repos = "repo_storage AS repo";

const organizationStorage: NumberedTable = {
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
  remove: (keys) => ({
    sql: "DELETE FROM organization_storage WHERE uid IN (SELECT value ->> 0 FROM json_each(?))",
    params: [keys],
  }),
  purge: (root) => ({ sql: "DELETE FROM organization_storage WHERE uid = ?", params: [root] }),
  path: (row) => `${row}.uid`,
  keyOf: (row) => `json_array(${row}.uid)`,
  // The bytes follow from the links, and change with each of them.
  events: ["INSERT", "UPDATE OF byte_limit", "DELETE"],
};

const repoStorage: NumberedTable = {
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
  remove: (keys) => ({
    sql: "DELETE FROM repo_storage WHERE uid IN (SELECT value ->> 0 FROM json_each(?))",
    params: [keys],
  }),
  purge: (root, limit) => ({
    sql: `DELETE FROM repo_storage WHERE id IN (SELECT id FROM repo_storage WHERE ${ofRoot("uid")} LIMIT ${limit})`,
    params: rangeOf(root),
  }),
  path: (row) => `${row}.uid`,
  keyOf: (row) => `json_array(${row}.uid)`,
  events: ["INSERT", "DELETE"],
};

/** The blobs that a manifest names, as a JSON array of their digests. */
const named = `(SELECT json_group_array(hex(child.digest)) FROM manifest_references AS reference
  JOIN blobs AS child ON child.id = reference.blob_id WHERE reference.manifest_id = link.blob_id)`;

/** A link travels with its blob, and the link of a manifest with what the manifest names. */
const blobLinks: NumberedTable = {
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
    {
      sql: `INSERT INTO shared_objects (upload_id, digest)
        SELECT substr(${value(7)}, 1, instr(${value(7)}, '/') - 1),
          iif(length(${value(3)}) = 128, 'sha512:', 'sha256:') || lower(${value(3)})
        FROM json_each(?) WHERE ${value(7)} IS NOT NULL ON CONFLICT (upload_id) DO UPDATE SET digest = excluded.digest`,
      params: each(rows),
    },
  ],
  remove: (keys) => ({
    sql: `DELETE FROM blob_links WHERE (repo_id, kind, blob_id) IN (
      SELECT (SELECT id FROM repo_storage WHERE uid = value ->> 0), value ->> 1, (SELECT id FROM blobs WHERE digest = unhex(value ->> 2))
      FROM json_each(?))`,
    params: [keys],
  }),
  purge: (root, limit) => ({
    sql: `DELETE FROM blob_links WHERE (repo_id, kind, blob_id) IN (
      SELECT link.repo_id, link.kind, link.blob_id FROM ${repos} CROSS JOIN blob_links AS link ON link.repo_id = repo.id
      WHERE ${ofRoot("repo.uid")} LIMIT ${limit})`,
    params: rangeOf(root),
  }),
  path: (row) => uidOfRepo(`${row}.repo_id`),
  keyOf: (row) =>
    `json_array(${uidOfRepo(`${row}.repo_id`)}, ${row}.kind, ${digestOf(`${row}.blob_id`)})`,
  pageSize: 200,
};

const referrers: NumberedTable = {
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
  remove: (keys) => ({
    sql: `DELETE FROM referrers WHERE (repo_id, manifest_id) IN (
      SELECT (SELECT id FROM repo_storage WHERE uid = value ->> 0), (SELECT id FROM blobs WHERE digest = unhex(value ->> 1))
      FROM json_each(?))`,
    params: [keys],
  }),
  purge: (root, limit) => ({
    sql: `DELETE FROM referrers WHERE (repo_id, manifest_id) IN (
      SELECT one.repo_id, one.manifest_id FROM ${repos} CROSS JOIN referrers AS one ON one.repo_id = repo.id
      WHERE ${ofRoot("repo.uid")} LIMIT ${limit})`,
    params: rangeOf(root),
  }),
  path: (row) => uidOfRepo(`${row}.repo_id`),
  keyOf: (row) => `json_array(${uidOfRepo(`${row}.repo_id`)}, ${digestOf(`${row}.manifest_id`)})`,
  pageSize: 100,
};

const uploadColumns = [
  ...["identity_uid", "size", "chunks", "multipart", "parts", "hash", "kept_object", "update_time"],
];

const uploads: NumberedTable = {
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
    {
      sql: `INSERT INTO shared_objects (upload_id) SELECT ${value(1)} FROM json_each(?) WHERE true ON CONFLICT (upload_id) DO NOTHING`,
      params: each(rows),
    },
  ],
  remove: (keys) => ({
    sql: "DELETE FROM uploads WHERE id IN (SELECT value ->> 0 FROM json_each(?))",
    params: [keys],
  }),
  purge: (root, limit) => ({
    sql: `DELETE FROM uploads WHERE id IN (SELECT one.id FROM ${repos} CROSS JOIN uploads AS one ON one.repo_id = repo.id
      WHERE ${ofRoot("repo.uid")} LIMIT ${limit})`,
    params: rangeOf(root),
  }),
  path: (row) => uidOfRepo(`${row}.repo_id`),
  keyOf: (row) => `json_array(${row}.id)`,
  pageSize: 20,
};

const tagPulls: NumberedTable = {
  name: "tag_pulls",
  columns: [
    ...["repo.uid", "one.reference", "one.identity", "one.identity_name", "one.time", "one.days"],
  ],
  key: 3,
  source: `${repos} CROSS JOIN tag_pulls AS one ON one.repo_id = repo.id WHERE ${ofRoot("repo.uid")}`,
  params: rangeOf,
  write: (rows) => [
    {
      sql: `INSERT INTO tag_pulls (repo_id, reference, identity, identity_name, time, days)
        SELECT ${repoId(1)}, ${value(2)}, ${value(3)}, ${value(4)}, ${value(5)}, ${value(6)} FROM json_each(?) WHERE true
        ON CONFLICT (repo_id, reference, identity) DO UPDATE SET identity_name = excluded.identity_name,
          time = excluded.time, days = excluded.days`,
      params: each(rows),
    },
  ],
  remove: (keys) => ({
    sql: `DELETE FROM tag_pulls WHERE (repo_id, reference, identity) IN (
      SELECT (SELECT id FROM repo_storage WHERE uid = value ->> 0), value ->> 1, value ->> 2 FROM json_each(?))`,
    params: [keys],
  }),
  purge: (root, limit) => ({
    sql: `DELETE FROM tag_pulls WHERE (repo_id, reference, identity) IN (
      SELECT one.repo_id, one.reference, one.identity FROM ${repos} CROSS JOIN tag_pulls AS one ON one.repo_id = repo.id
      WHERE ${ofRoot("repo.uid")} LIMIT ${limit})`,
    params: rangeOf(root),
  }),
  path: (row) => uidOfRepo(`${row}.repo_id`),
  keyOf: (row) => `json_array(${uidOfRepo(`${row}.repo_id`)}, ${row}.reference, ${row}.identity)`,
};

const tokenColumns = [
  ...["digest", "family", "identity_uid", "identity_provider_uid", "claims", "create_time"],
  ...["expire_time", "use_time", "revoke_time"],
];

const refreshTokens: NumberedTable = {
  name: "refresh_tokens",
  columns: tokenColumns,
  key: 1,
  source: `refresh_tokens WHERE ${ofRoot("identity_provider_uid")}`,
  params: rangeOf,
  write: (rows) => [
    {
      sql: `INSERT INTO refresh_tokens (${tokenColumns.join(", ")})
        SELECT ${tokenColumns.map((_, at) => value(at + 1)).join(", ")} FROM json_each(?) WHERE true
        ON CONFLICT (digest) DO UPDATE SET use_time = excluded.use_time, revoke_time = excluded.revoke_time`,
      params: each(rows),
    },
  ],
  remove: (keys) => ({
    sql: "DELETE FROM refresh_tokens WHERE digest IN (SELECT value ->> 0 FROM json_each(?))",
    params: [keys],
  }),
  purge: (root, limit) => ({
    sql: `DELETE FROM refresh_tokens WHERE digest IN (
      SELECT digest FROM refresh_tokens WHERE ${ofRoot("identity_provider_uid")} LIMIT ${limit})`,
    params: rangeOf(root),
  }),
  path: (row) => `${row}.identity_provider_uid`,
  keyOf: (row) => `json_array(${row}.digest)`,
};

/** In the order in which they can be written. */
export const numbered: NumberedTable[] = [
  organizationStorage,
  repoStorage,
  blobLinks,
  referrers,
  uploads,
  tagPulls,
  refreshTokens,
];

/**
 * The statement that reads a page of such rows after a place, or the rows of some keys. It returns each `row`, its
 * `row_key`, and its `place` in the order.
 */
export function selectNumbered(
  { columns, key, source, params, order, pageSize = 500 }: NumberedTable,
  root: string,
  where: { after: unknown[] } | { keys: string },
  isHex = false,
): Statement {
  const keys = columns.slice(0, key);
  const places = order ?? keys;
  const row = `${encodedRow(columns, isHex)} AS row, json_array(${keys.join(", ")}) AS row_key,
    json_array(${places.join(", ")}) AS place`;
  if ("keys" in where) {
    const listed = keys.map((_, at) => `value ->> ${at}`).join(", ");
    return {
      sql: `SELECT ${row} FROM ${source} AND (${keys.join(", ")}) IN (SELECT ${listed} FROM json_each(?))`,
      params: [...params(root), where.keys],
    };
  }
  const isAfter =
    where.after.length > 0
      ? ` AND (${places.join(", ")}) > (${places.map(() => "?").join(", ")})`
      : "";
  return {
    sql: `SELECT ${row} FROM ${source}${isAfter} ORDER BY ${places.join(", ")} LIMIT ${pageSize}`,
    params: [...params(root), ...where.after],
  };
}
