/** Checks the contents of repositories, and the bytes of repositories and organizations. */
import { type CheckPart, type FsckCheck, maxRowsPerRepair, newCheck } from "./check.ts";
import { hasPresentId, storages } from "./deletions.ts";

/** A part whose damaged rows are deleted. `key` lists the columns that identify a row. */
function strayRows(
  table: string,
  key: string,
  uid: string,
  wrong: string,
  stray: string,
): CheckPart {
  return {
    table,
    damaged: `SELECT ${uid} AS uid, ${wrong} AS wrong ${stray}`,
    repair: [
      `DELETE FROM "${table}" WHERE (${key}) IN (SELECT ${key} ${stray} LIMIT ${maxRowsPerRepair})`,
    ],
  };
}

const repoUid =
  "ifnull((SELECT uid FROM repo_storage WHERE id = repo_id), 'repository ' || repo_id)";

/** The links whose repository, blob or manifest is missing. */
const strayLinks = `FROM blob_links WHERE ${hasPresentId("repo_id")} AND (NOT EXISTS (SELECT 1 FROM repo_storage WHERE id = repo_id)
  OR NOT EXISTS (SELECT 1 FROM blobs WHERE id = blob_id AND size IS NOT NULL)
  OR (kind = 1 AND NOT EXISTS (SELECT 1 FROM manifests, repo_storage, blobs
    WHERE repo_storage.id = repo_id AND blobs.id = blob_id AND manifests.parent = repo_storage.uid
      AND manifests.digest = iif(length(blobs.digest) = 64, 'sha512:', 'sha256:') || lower(hex(blobs.digest)))))`;

const strayReferrers = `FROM referrers WHERE ${hasPresentId("repo_id")} AND NOT EXISTS (SELECT 1 FROM blob_links
  WHERE blob_links.repo_id = referrers.repo_id AND kind = 1 AND blob_id = manifest_id)`;

const strayUploads = `FROM uploads WHERE ${hasPresentId("repo_id")} AND NOT EXISTS (SELECT 1 FROM repo_storage
  WHERE repo_storage.id = repo_id AND repo_storage.organization_id = uploads.organization_id)`;

const strayIncomplete = `FROM incomplete_indexes WHERE ${hasPresentId("repo_id")} AND NOT EXISTS (SELECT 1 FROM blob_links
  WHERE blob_links.repo_id = incomplete_indexes.repo_id AND kind = 1 AND blob_id = manifest_id)`;

const strayDocuments = `FROM pushed_documents WHERE ${hasPresentId("repo_id")} AND NOT EXISTS (SELECT 1 FROM blob_links
  WHERE blob_links.repo_id = pushed_documents.repo_id AND kind = 0 AND blob_links.blob_id = pushed_documents.blob_id)`;

export const contentsCheck: FsckCheck = newCheck(
  {
    name: "contents",
    promise: "Everything that belongs to the content of a repository exists.",
    remedy: "deletes these rows, because no call can reach them",
  },
  [
    strayRows(
      "blob_links",
      "repo_id, kind, blob_id",
      repoUid,
      "'has the blob ' || blob_id || ', which is missing or has no manifest'",
      strayLinks,
    ),
    strayRows(
      "referrers",
      "repo_id, manifest_id",
      repoUid,
      "'has a referrer without a manifest'",
      strayReferrers,
    ),
    strayRows(
      "incomplete_indexes",
      "repo_id, manifest_id",
      repoUid,
      "'has an incomplete index without a manifest'",
      strayIncomplete,
    ),
    strayRows(
      "pushed_documents",
      "repo_id, blob_id",
      repoUid,
      "'has a document without its bytes'",
      strayDocuments,
    ),
    strayRows(
      "uploads",
      "id",
      "id",
      "'is an upload to no repository of its organization'",
      strayUploads,
    ),
  ],
);

/** A part whose damaged rows get the values of a recount. `recount` has the columns of the key and the values. */
interface Recounted {
  table: string;
  key: string[];
  values: string[];
  recount: string;
  uid: string;
}

/** The rows of a table that a recount contradicts, with the correct values as `right_…`. */
function contradicted({ table, key, values, recount }: Recounted): string {
  const on = key.map((column) => `counted.${column} IS kept.${column}`).join(" AND ");
  const right = values.map((column) => `ifnull(counted.${column}, 0)`);
  const differs = values.map((column, n) => `kept.${column} IS NOT ${right[n]}`).join(" OR ");
  const columns = [
    ...key.map((column) => `kept.${column} AS ${column}`),
    ...values.flatMap((column, n) => [
      `kept.${column} AS ${column}`,
      `${right[n]} AS right_${column}`,
    ]),
  ];
  return `SELECT ${columns.join(", ")} FROM "${table}" AS kept LEFT JOIN (${recount}) AS counted ON ${on} WHERE ${differs}`;
}

function recounted(part: Recounted): CheckPart {
  const { table, key, values, uid } = part;
  const wrong = values.map(
    (column) => `'${column}: ' || ${column} || ' stored, ' || right_${column} || ' counted'`,
  );
  const names = key.join(", ");
  const rights = values.map((column) => `right_${column}`).join(", ");
  return {
    table,
    damaged: `SELECT ${uid} AS uid, '${table}: ' || ${wrong.join(" || ', ' || ")} AS wrong FROM (${contradicted(part)}) AS found`,
    repair: [
      `WITH damaged AS MATERIALIZED (${contradicted(part)} LIMIT ${maxRowsPerRepair})
      UPDATE "${table}" SET (${values.join(", ")}) = (SELECT ${rights} FROM damaged
        WHERE ${key.map((column) => `damaged.${column} = "${table}".${column}`).join(" AND ")})
      WHERE (${names}) IN (SELECT ${names} FROM damaged)`,
    ],
  };
}

/** Objects whose bytes the content of an organization includes, and that are reserved for one too. */
const countedTwice = `FROM objects WHERE organization_id IS NOT NULL
  AND EXISTS (SELECT 1 FROM blobs WHERE blobs.id = blob_id AND organizations > 0)`;

/** The blobs of each organization: how many of its repositories have each, and the sum of their ids. */
const holders = `SELECT organization_id, blob_id, count(DISTINCT repo_id) AS repos, sum(DISTINCT repo_id) AS repo_sum
  FROM blob_links JOIN ${storages} AS storage ON storage.id = repo_id GROUP BY organization_id, blob_id`;

const missingHolders = `FROM (${holders}) AS counted WHERE NOT EXISTS (SELECT 1 FROM organization_blobs AS kept
  WHERE kept.organization_id = counted.organization_id AND kept.blob_id = counted.blob_id)`;

const organizationUid =
  "ifnull((SELECT uid FROM organization_storage WHERE id = organization_id), 'organization ' || organization_id)";

/** A blob that only a manifest names has no size, and the manifest keeps it. */
const wrongIdleTime = "size IS NOT NULL AND (organizations > 0) <> (idle_time IS NULL)";

/** The triggers of a repair change the totals, so the totals come after the rows that they are computed from. */
export const storageCheck: FsckCheck = newCheck(
  {
    name: "storage",
    promise: "The bytes of each repository and organization equal those of its content.",
    remedy: "counts the content again and stores the totals",
  },
  [
    {
      table: "organization_blobs",
      damaged: `SELECT ${organizationUid} AS uid, 'the blob ' || blob_id || ' is not counted' AS wrong ${missingHolders}`,
      repair: [
        `INSERT INTO organization_blobs (organization_id, blob_id, repos, repo_sum)
        SELECT organization_id, blob_id, repos, repo_sum ${missingHolders} LIMIT ${maxRowsPerRepair}`,
      ],
    },
    recounted({
      table: "organization_blobs",
      key: ["organization_id", "blob_id"],
      values: ["repos", "repo_sum"],
      recount: holders,
      uid: organizationUid,
    }),
    strayRows(
      "organization_blobs",
      "organization_id, blob_id",
      organizationUid,
      "'no repository has the blob ' || blob_id",
      "FROM organization_blobs WHERE repos = 0",
    ),
    recounted({
      table: "repo_storage",
      key: ["id"],
      values: ["bytes", "shared_bytes"],
      recount: `SELECT repo_id AS id, sum(size) AS bytes, sum(iif(repos > 1, size, 0)) AS shared_bytes
        FROM (SELECT DISTINCT repo_id, blob_id FROM blob_links) AS link
        JOIN repo_storage ON repo_storage.id = repo_id JOIN blobs ON blobs.id = link.blob_id
        JOIN (${holders}) AS held ON held.organization_id = repo_storage.organization_id AND held.blob_id = link.blob_id
        GROUP BY repo_id`,
      uid: "(SELECT uid FROM repo_storage AS one WHERE one.id = found.id)",
    }),
    recounted({
      table: "organization_storage",
      key: ["id"],
      values: ["bytes", "shared_bytes"],
      recount: `SELECT organization_id AS id, sum(size) AS bytes, sum(iif(repos > 1, size, 0)) AS shared_bytes
        FROM (${holders}) AS held JOIN blobs ON blobs.id = held.blob_id GROUP BY organization_id`,
      uid: "(SELECT uid FROM organization_storage AS one WHERE one.id = found.id)",
    }),
    {
      table: "objects",
      damaged: `SELECT key AS uid, 'is counted as content and as reserved' AS wrong ${countedTwice}`,
      repair: [
        `UPDATE objects SET organization_id = NULL WHERE key IN (SELECT key ${countedTwice} LIMIT ${maxRowsPerRepair})`,
      ],
    },
    recounted({
      table: "organization_storage",
      key: ["id"],
      values: ["reserved_bytes"],
      recount: `SELECT organization_id AS id, sum(size) AS reserved_bytes FROM objects
        WHERE organization_id IS NOT NULL GROUP BY organization_id`,
      uid: "(SELECT uid FROM organization_storage AS one WHERE one.id = found.id)",
    }),
    recounted({
      table: "organization_storage",
      key: ["id"],
      values: ["document_bytes"],
      recount: `SELECT organization_id AS id, sum(size) AS document_bytes FROM pushed_documents
        JOIN ${storages} AS storage ON storage.id = repo_id JOIN blobs ON blobs.id = blob_id
        WHERE read_time IS NOT NULL AND subject IS NOT NULL GROUP BY organization_id`,
      uid: "(SELECT uid FROM organization_storage AS one WHERE one.id = found.id)",
    }),
    recounted({
      table: "blobs",
      key: ["id"],
      values: ["organizations"],
      recount: `SELECT blob_id AS id, count(*) AS organizations FROM (${holders}) AS held GROUP BY blob_id`,
      uid: "'blob ' || id",
    }),
    {
      table: "blobs",
      damaged: `SELECT 'blob ' || id AS uid, iif(organizations > 0, 'is due for deletion although an organization has it',
        'is never deleted although no organization has it') AS wrong FROM blobs WHERE ${wrongIdleTime}`,
      repair: [
        `UPDATE blobs SET idle_time = iif(organizations > 0, NULL, cast(unixepoch('subsec') * 1000 AS integer))
        WHERE ${wrongIdleTime}`,
      ],
    },
  ],
);
