/** Checks the rows of the objects in R2. The folder `bucket` compares them with R2. */
import { type FsckCheck, maxRowsPerRepair, newCheck } from "./check.ts";

/** Objects that belong to something that is gone, or to nothing, and that the clean-up would never delete. */
const stray = `FROM objects WHERE NOT (blob_id IS NULL AND upload_id IS NULL AND idle_time IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM blobs WHERE blobs.id = blob_id)
  AND NOT EXISTS (SELECT 1 FROM uploads WHERE uploads.id = upload_id)`;

/** Objects of an upload that are reserved for another organization, or for none. */
const misplaced = `FROM objects JOIN uploads ON uploads.id = upload_id
  WHERE objects.organization_id IS NOT uploads.organization_id`;

/** The bytes of each blob and upload, and how many objects do not begin where the one before ends. */
const bytesOf = (
  owner: string,
) => `SELECT owner, sum(size) AS bytes, sum(first_byte <> place) AS gaps FROM (
    SELECT ${owner} AS owner, size, first_byte,
      sum(size) OVER (PARTITION BY ${owner} ORDER BY first_byte, key ROWS UNBOUNDED PRECEDING) - size AS place
    FROM objects WHERE ${owner} IS NOT NULL AND (blob_id IS NOT NULL OR idle_time IS NULL)) GROUP BY owner`;

/** Blobs whose objects do not have their bytes, and that pulls do not refuse yet. */
const incompleteBlobs = `FROM blobs LEFT JOIN (${bytesOf("blob_id")}) AS stored ON stored.owner = blobs.id
  WHERE blobs.size IS NOT NULL AND content IS NULL AND fault IS NULL
    AND (ifnull(bytes, 0) <> blobs.size OR ifnull(gaps, 0) > 0)`;

/** The same for uploads. Their end would make a blob of them. */
const incompleteUploads = `FROM uploads LEFT JOIN (${bytesOf("upload_id")}) AS stored ON stored.owner = uploads.id
  WHERE ifnull(bytes, 0) <> uploads.size OR ifnull(gaps, 0) > 0`;

const now = "cast(unixepoch('subsec') * 1000 AS integer)";
const counted = "ifnull(bytes, 0) || ' bytes are stored'";

export const objectsCheck: FsckCheck = newCheck(
  {
    name: "objects",
    promise: "Each object belongs to a blob or an upload, and those have all their bytes.",
    remedy:
      "leaves such objects to the clean-up, ends such uploads, and quarantines such blobs, so that pulls fail until a push",
  },
  [
    {
      table: "objects",
      damaged: `SELECT key AS uid, 'belongs to a blob or an upload that is gone, or to nothing' AS wrong ${stray}`,
      repair: [
        `UPDATE objects SET blob_id = NULL, upload_id = NULL, idle_time = ${now}
        WHERE key IN (SELECT key ${stray} LIMIT ${maxRowsPerRepair})`,
      ],
    },
    {
      table: "objects",
      damaged: `SELECT key AS uid, 'is not reserved for the organization of its upload' AS wrong ${misplaced}`,
      repair: [
        `UPDATE objects SET organization_id = (SELECT organization_id FROM uploads WHERE uploads.id = upload_id)
        WHERE key IN (SELECT key ${misplaced} LIMIT ${maxRowsPerRepair})`,
      ],
    },
    {
      table: "blobs",
      damaged: `SELECT 'blob ' || id AS uid, 'has ' || blobs.size || ' bytes, and ' || ${counted} AS wrong ${incompleteBlobs}`,
      repair: [
        `UPDATE blobs SET fault = 'missing', fault_time = NULL
        WHERE id IN (SELECT blobs.id ${incompleteBlobs} LIMIT ${maxRowsPerRepair})`,
      ],
    },
    {
      table: "uploads",
      damaged: `SELECT id AS uid, 'has ' || uploads.size || ' bytes, and ' || ${counted} AS wrong ${incompleteUploads}`,
      repair: [
        `DELETE FROM uploads WHERE id IN (SELECT uploads.id ${incompleteUploads} LIMIT ${maxRowsPerRepair})`,
      ],
    },
  ],
);
