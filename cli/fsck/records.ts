/** Compares advisories with the OSV records that they were imported from. */
import { createHash } from "node:crypto";
import { sqlLiteral } from "../bootstrap.ts";
import {
  type DamagedRow,
  type FsckCheck,
  forUids,
  maxExamples,
  maxRowsPerRepair,
  newCheck,
} from "./check.ts";

/**
 * A digest that no record has, so that the next import replaces the record. An empty digest would mean that the
 * advisory was written by hand.
 */
const unknown = "unknown";

/** Advisories that come from a record. VEX statements also store a digest, but not of a record. */
const isImported = `advisories.source_digest NOT IN ('', '${unknown}')
  AND NOT EXISTS (SELECT 1 FROM vex_subjects WHERE vex_subjects.uid = advisories.uid)`;

/**
 * The prefixes of a record in its digest, which name the scheme (src/vulnerabilities/osv/reading.ts), including older
 * schemes. An advisory with an older scheme still belongs to that record, and the next import replaces it.
 */
const schemes = ["4\n", "3\n", "2\n", "1\n", ""];

const maxRecords = 5000;

/**
 * Returns a SELECT of the next records, with the digest that their advisory was created from, as many as fit in a
 * response.
 */
const page = (after: string, size: number) =>
  `SELECT uid, record, digest FROM (
    SELECT uid, record, digest, sum(length(record)) OVER (ORDER BY uid ROWS UNBOUNDED PRECEDING) AS size FROM (
      SELECT osv_records.uid AS uid, record, advisories.source_digest AS digest
      FROM osv_records CROSS JOIN advisories ON advisories.uid = osv_records.uid
      WHERE osv_records.uid > ${sqlLiteral(after)} AND ${isImported} ORDER BY osv_records.uid LIMIT ${maxRecords}))
  WHERE size - length(record) < ${size} ORDER BY uid`;

type Kept = { uid: string; record: string; digest: string };

const isSource = ({ record, digest }: Kept) =>
  schemes.some(
    (scheme) =>
      createHash("sha256")
        .update(scheme + record)
        .digest("hex") === digest,
  );

/** Reads every record and returns the uids of advisories that were created from a different record. */
async function compare({ query, pageSize }: Parameters<FsckCheck["look"]>[0]) {
  const strange: string[] = [];
  let rows = 0;
  let last: string | undefined = "";
  while (last !== undefined) {
    const [kept = []] = (await query([page(last, pageSize)])) as Kept[][];
    rows += kept.length;
    for (const row of kept) if (!isSource(row)) strange.push(row.uid);
    const size = kept.reduce((sum, { record }) => sum + record.length, 0);
    const isLast = kept.length < maxRecords && size < pageSize;
    last = isLast ? undefined : kept.at(-1)?.uid;
  }
  return { rows, strange };
}

const markUnknown = (uids: string[]): string[] =>
  forUids(
    uids,
    (isOne) =>
      `UPDATE advisories SET source_digest = '${unknown}' WHERE source_digest <> '' AND ${isOne}`,
  );

const remedy = "makes the next import read the record again and replace the advisory";

export const recordsCheck: FsckCheck = {
  name: "records",
  promise: "An advisory that is stored with an OSV record was created from that record.",
  remedy,
  async look(store) {
    const { rows, strange } = await compare(store);
    const wrong = "was created from a different record than the stored one";
    const examples = strange.slice(0, maxExamples).map((uid): DamagedRow => ({ uid, wrong }));
    return { rows, problems: strange.length, examples, repair: markUnknown(strange) };
  },
};

const lost = `FROM advisories WHERE ${isImported}
  AND NOT EXISTS (SELECT 1 FROM osv_records WHERE osv_records.uid = advisories.uid)`;

export const sourcesCheck: FsckCheck = newCheck(
  {
    name: "sources",
    promise: "An advisory that was created from an OSV record is still stored with it.",
    remedy,
  },
  [
    {
      table: "advisories",
      damaged: `SELECT uid, advisory_id || ' has no record' AS wrong ${lost}`,
      repair: [
        `UPDATE advisories SET source_digest = '${unknown}' WHERE uid IN (SELECT uid ${lost} LIMIT ${maxRowsPerRepair})`,
      ],
    },
  ],
);
