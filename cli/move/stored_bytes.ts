/**
 * The rows that have bytes in R2. They travel with the rows of their objects, and the objects stay where they are. The
 * old database releases its own rows of these objects when the organization has left. Its clean-up asks the other
 * databases before it deletes an object from R2 (src/distribution/sweep.ts).
 */
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
import { decoded, deletionByKeys, deletionOf, literal, rangeOf } from "./sql.ts";

/** The objects that fulfill a condition, as a JSON array of arrays with some of their columns. */
const objectsOf = (condition: string, columns: string[]) =>
  `(SELECT json_group_array(json_array(${columns.map((name) => `object.${name}`).join(", ")}) ORDER BY object.first_byte, object.key)
    FROM objects AS object WHERE ${condition})`;

/** The columns of the objects of a blob, and of an upload. */
const blobObject = ["key", "first_byte", "size", "etag"];
const uploadObject = ["key", "first_byte", "size", "multipart", "etag", "idle_time"];

/** The objects of the given rows, whose column number `column` has them. */
const eachObject = (column: number) => `json_each(${decoded(column, "given.value")}) AS object`;

const sentKeys = (column: number) =>
  `SELECT object.value ->> 0 FROM json_each(?1) AS given CROSS JOIN ${eachObject(column)}`;

const objectValues = (columns: string[]) =>
  columns.map((_, index) => `object.value ->> ${index}`).join(", ");

const sentColumn = (column: number) => decoded(column, "given.value");

/** The blobs that a manifest names, as a JSON array of their digests. */
const named = `(SELECT json_group_array(hex(child.digest)) FROM manifest_references AS reference
  JOIN blobs AS child ON child.id = reference.blob_id WHERE reference.manifest_id = link.blob_id)`;

/**
 * The condition that a blob of the target gets the bytes of the given row. That is so if it has none or damaged ones, or
 * if no other organization there has the blob.
 */
const takes = (
  blob: string,
) => `(${blob}.size IS NULL OR (${blob}.fault IS NOT NULL AND ${sentColumn(7)} IS NULL)
  OR ${blob}.organizations = (SELECT count(*) FROM organization_blobs AS held WHERE held.blob_id = ${blob}.id
    AND held.organization_id = (SELECT id FROM organization_storage WHERE uid = substr(${sentColumn(1)}, 1, 40))))`;

/** The given rows, and the blobs of the target that get their bytes. */
const taken = `json_each(?1) AS given CROSS JOIN blobs AS blob ON blob.digest = unhex(${sentColumn(3)}) AND ${takes("blob")}`;

/** The bytes come first, because the row of the blob decides whether it gets them. */
const writeBlobs = (rows: string) => [
  {
    sql: `INSERT INTO blobs (digest) SELECT unhex(${value(3)}) FROM json_each(?) WHERE true ON CONFLICT (digest) DO NOTHING`,
    params: each(rows),
  },
  {
    sql: `UPDATE objects SET blob_id = NULL, idle_time = cast(unixepoch('subsec') * 1000 AS integer)
      WHERE blob_id IN (SELECT blob.id FROM ${taken}) AND key NOT IN (${sentKeys(9)})`,
    params: each(rows),
  },
  {
    sql: `INSERT INTO objects (${blobObject.join(", ")}, blob_id)
      SELECT ${objectValues(blobObject)}, blob.id FROM ${taken} CROSS JOIN ${eachObject(9)} WHERE true
      ON CONFLICT (key) DO UPDATE SET blob_id = excluded.blob_id, first_byte = excluded.first_byte, size = excluded.size,
        etag = excluded.etag, organization_id = NULL, upload_id = NULL, multipart = NULL, idle_time = NULL`,
    params: each(rows),
  },
  {
    sql: `UPDATE blobs SET size = ${sentColumn(5)}, content = ${sentColumn(6)}, fault = ${sentColumn(7)}, fault_time = ${sentColumn(8)}
      FROM json_each(?) AS given WHERE blobs.digest = unhex(${sentColumn(3)}) AND ${takes("blobs")}`,
    params: each(rows),
  },
];

/** The keys of the links of the organization to a blob. */
const linksTo = (blob: string, root: string) =>
  `SELECT json_array(repo.uid, link.kind, hex(${blob}.digest)) AS key FROM ${repos} CROSS JOIN blob_links AS link
    ON link.repo_id = repo.id AND link.kind IN (0, 1) AND link.blob_id = ${blob}.id
    WHERE repo.uid > ${literal(root)} AND repo.uid < ${literal(`${root}0`)}`;

/** A link travels with its blob, and the link of a manifest with what the manifest names. */
export const blobLinks: NumberedTable = {
  name: "blob_links",
  columns: [
    ...["repo.uid", "link.kind", "hex(blob.digest)", "link.idle_time"],
    ...["blob.size", "blob.content", "blob.fault", "blob.fault_time"],
    ...[objectsOf("object.blob_id = blob.id", blobObject), `iif(link.kind = 1, ${named}, '[]')`],
  ],
  key: 3,
  order: ["repo.uid", "link.kind", "link.blob_id"],
  // In this order: the repositories of the organization, then their links.
  source: `${repos} CROSS JOIN blob_links AS link ON link.repo_id = repo.id CROSS JOIN blobs AS blob ON blob.id = link.blob_id
    WHERE ${ofRoot("repo.uid")}`,
  params: rangeOf,
  write: (rows) => [
    ...writeBlobs(rows),
    {
      sql: `INSERT INTO blobs (digest) SELECT DISTINCT unhex(child.value)
        FROM json_each(?) AS one CROSS JOIN json_each(${decoded(10, "one.value")}) AS child WHERE true
        ON CONFLICT (digest) DO NOTHING`,
      params: each(rows),
    },
    {
      sql: `INSERT OR IGNORE INTO manifest_references (manifest_id, blob_id)
        SELECT (SELECT id FROM blobs WHERE digest = unhex(${decoded(3, "one.value")})), (SELECT id FROM blobs WHERE digest = unhex(child.value))
        FROM json_each(?) AS one CROSS JOIN json_each(${decoded(10, "one.value")}) AS child`,
      params: each(rows),
    },
    {
      sql: `INSERT INTO blob_links (repo_id, kind, blob_id, idle_time) SELECT ${repoId(1)}, ${value(2)}, ${blobId(3)}, ${value(4)}
        FROM json_each(?) WHERE true ON CONFLICT (repo_id, kind, blob_id) DO UPDATE SET idle_time = excluded.idle_time`,
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
  parts: [
    // New bytes of a damaged blob come without a new link, and with an update of the blob.
    {
      name: "blobs",
      path: (
        row,
        root,
      ) => `(SELECT owner.uid FROM organization_storage AS owner JOIN organization_blobs AS held
        ON held.organization_id = owner.id AND held.blob_id = ${row}.id WHERE owner.uid = ${literal(root)})`,
      keysOf: linksTo,
      events: ["UPDATE OF size, content, fault, fault_time"],
    },
  ],
  pageSize: 200,
};

const uploadColumns = [
  ...["identity_uid", "size", "chunks", "hash", "direct_key", "create_time", "update_time"],
];

/** The column of a row on its way that has the objects of the upload. */
const objectsAt = uploadColumns.length + 3;

export const uploads: NumberedTable = {
  name: "uploads",
  columns: [
    ...["one.id", "repo.uid", ...uploadColumns.map((name) => `one.${name}`)],
    objectsOf("object.upload_id = one.id", uploadObject),
  ],
  key: 1,
  order: ["repo.uid", "one.id"],
  source: `${repos} CROSS JOIN uploads AS one ON one.repo_id = repo.id WHERE ${ofRoot("repo.uid")}`,
  params: rangeOf,
  write: (rows) => [
    {
      sql: `INSERT INTO uploads (id, repo_id, organization_id, ${uploadColumns.join(", ")})
        SELECT ${value(1)}, ${repoId(2)}, (SELECT organization_id FROM repo_storage WHERE uid = ${value(2)}),
          ${uploadColumns.map((_, index) => value(index + 3)).join(", ")} FROM json_each(?) WHERE true
        ON CONFLICT (id) DO UPDATE SET ${uploadColumns.map((name) => `${name} = excluded.${name}`).join(", ")}`,
      params: each(rows),
    },
    {
      sql: `DELETE FROM objects WHERE upload_id IN (SELECT ${value(1)} FROM json_each(?1)) AND key NOT IN (${sentKeys(objectsAt)})`,
      params: each(rows),
    },
    {
      sql: `INSERT INTO objects (${uploadObject.join(", ")}, upload_id, organization_id)
        SELECT ${objectValues(uploadObject)}, one.id, one.organization_id
        FROM json_each(?) AS given CROSS JOIN uploads AS one ON one.id = ${sentColumn(1)} CROSS JOIN ${eachObject(objectsAt)} WHERE true
        ON CONFLICT (key) DO UPDATE SET ${uploadObject.map((name) => `${name} = excluded.${name}`).join(", ")},
          upload_id = excluded.upload_id, organization_id = excluded.organization_id, blob_id = NULL`,
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
  parts: [
    // A request reserves the bytes of an object before it changes the upload.
    {
      name: "objects",
      path: (row) =>
        `(SELECT repo.uid FROM uploads AS one JOIN ${repos} ON repo.id = one.repo_id WHERE one.id = ${row}.upload_id)`,
      keysOf: (row) => `SELECT json_array(${row}.upload_id) AS key`,
      isLeaving: true,
    },
  ],
  pageSize: 20,
};
