/** Checks the tables that find images by vulnerability and by product. */
import { MAX_INDEX_ENTRIES } from "../../schema/tables/registry/index_entries.ts";
import { type CheckPart, type FsckCheck, maxRowsPerRepair, newCheck } from "./check.ts";
import { isPresent } from "./deletions.ts";

/** The newest report of each image. */
const newest = `(SELECT * FROM (SELECT uid, parent, digest, scan_time, create_time,
  row_number() OVER (PARTITION BY parent, digest ORDER BY scan_time DESC, uid) AS place FROM vuln_reports) WHERE place = 1)`;

const lostImages = `FROM ${newest} AS newest WHERE ${isPresent("newest.parent")} AND NOT EXISTS (SELECT 1 FROM examined_images AS image
  WHERE image.parent = newest.parent AND image.digest = newest.digest
    AND image.report_uid = newest.uid AND image.scan_time = newest.scan_time)`;

const strayImages = `FROM examined_images WHERE sbom_uid IS NULL AND NOT EXISTS (SELECT 1 FROM vuln_reports AS report
  WHERE report.parent = examined_images.parent AND report.digest = examined_images.digest)`;

const ofNoReport = `FROM examined_images WHERE sbom_uid IS NOT NULL AND report_uid IS NOT NULL AND NOT EXISTS (SELECT 1
  FROM vuln_reports AS report WHERE report.parent = examined_images.parent AND report.digest = examined_images.digest)`;

const lostSbomImages = `FROM sboms WHERE ${isPresent("sboms.parent")} AND NOT EXISTS (SELECT 1 FROM examined_images AS image
  WHERE image.parent = sboms.parent AND image.digest = sboms.digest AND image.sbom_uid = sboms.uid)`;

const miscounted = `FROM examined_images WHERE findings_version > 0 AND ${isPresent("parent")}
  AND finding_count <> (SELECT count(*) FROM findings WHERE image_uid = examined_images.uid)`;

const imagesParts: CheckPart[] = [
  {
    table: "examined_images",
    damaged: `SELECT uid, 'no report and no SBOM is about this image' AS wrong ${strayImages}`,
    repair: [
      `DELETE FROM examined_images WHERE uid IN (SELECT uid ${strayImages} LIMIT ${maxRowsPerRepair})`,
    ],
  },
  {
    table: "examined_images",
    damaged: `SELECT uid, 'its report is about another image' AS wrong ${ofNoReport}`,
    repair: [
      `UPDATE examined_images SET report_uid = NULL, scan_time = NULL, findings_version = 0
        WHERE uid IN (SELECT uid ${ofNoReport} LIMIT ${maxRowsPerRepair})`,
    ],
  },
  {
    table: "vuln_reports",
    damaged: `SELECT uid, 'is the newest report of its image and is not found' AS wrong ${lostImages}`,
    repair: [
      `INSERT INTO examined_images (uid, create_time, update_time, digest, report_uid, scan_time)
      SELECT uid, create_time, create_time, digest, uid, scan_time ${lostImages} LIMIT ${maxRowsPerRepair}
      ON CONFLICT (parent, digest) DO UPDATE SET report_uid = excluded.report_uid,
        scan_time = excluded.scan_time, findings_version = 0`,
    ],
  },
  {
    table: "sboms",
    damaged: `SELECT uid, 'its image is not matched with records' AS wrong ${lostSbomImages}`,
    repair: [
      // The schedule then writes the packages again, and has them matched.
      `UPDATE indexed_sboms SET packages_version = 0 WHERE uid IN (SELECT uid ${lostSbomImages} LIMIT ${maxRowsPerRepair})`,
      `INSERT INTO examined_images (uid, create_time, update_time, digest, sbom_uid)
      SELECT uid, create_time, create_time, digest, uid ${lostSbomImages} LIMIT ${maxRowsPerRepair}
      ON CONFLICT (parent, digest) DO UPDATE SET sbom_uid = excluded.sbom_uid`,
    ],
  },
  {
    table: "examined_images",
    damaged: `SELECT uid, finding_count || ' findings were written, and others are stored' AS wrong ${miscounted}`,
    repair: [
      `UPDATE examined_images SET findings_version = 0 WHERE uid IN (SELECT uid ${miscounted} LIMIT ${maxRowsPerRepair})`,
    ],
  },
];

const lostSboms = `FROM sboms WHERE NOT EXISTS (SELECT 1 FROM indexed_sboms AS state WHERE state.uid = sboms.uid)`;

const miscountedSboms = `FROM indexed_sboms WHERE packages_version > 0 AND ${isPresent("substr(uid, 1, length(uid) - 17)")}
  AND package_count <> (SELECT count(*) FROM sbom_packages WHERE sbom_uid = indexed_sboms.uid)`;

const sbomParts: CheckPart[] = [
  {
    table: "sboms",
    damaged: `SELECT uid, 'its packages are not found' AS wrong ${lostSboms}`,
    repair: [`INSERT INTO indexed_sboms (uid) SELECT uid ${lostSboms} LIMIT ${maxRowsPerRepair}`],
  },
  {
    table: "indexed_sboms",
    damaged: `SELECT uid, package_count || ' packages were written, and others are stored' AS wrong ${miscountedSboms}`,
    repair: [
      `UPDATE indexed_sboms SET packages_version = 0 WHERE uid IN (SELECT uid ${miscountedSboms} LIMIT ${maxRowsPerRepair})`,
    ],
  },
];

/** A table that triggers fill: its columns, a SELECT of the rows that it must have, and the row that each is about. */
interface Derived {
  table: string;
  columns: string[];
  rows: string;
  /** The column with the uid of that row. */
  about: string;
}

const derived: Derived[] = [
  {
    table: "finding_ids",
    columns: ["id", "uid"],
    rows: `SELECT upper(vulnerability_id) AS id, uid FROM findings
      UNION SELECT upper(one.value), findings.uid FROM findings, json_each(findings.aliases) AS one
      UNION SELECT one.value ->> 'advisory', findings.uid FROM findings, json_each(findings.facts) AS one
        WHERE one.value ->> 'advisory' <> ''`,
    about: "uid",
  },
  {
    table: "index_entries",
    columns: ["repo_uid", "digest", "index_uid", "index_digest"],
    rows: `SELECT DISTINCT manifests.parent AS repo_uid, one.value ->> 'digest' AS digest, manifests.uid AS index_uid,
      manifests.digest AS index_digest FROM manifests, json_each(manifests.entries) AS one
      WHERE manifests.entries <> '[]' AND one.key < ${MAX_INDEX_ENTRIES} AND ${isPresent("manifests.parent")}`,
    about: "index_uid",
  },
  {
    table: "advisory_products",
    columns: ["alias", "product", "group_uid", "advisory_uid"],
    rows: `SELECT upper(one.value) AS alias, artifact_name AS product, advisories.parent AS group_uid, advisories.uid AS advisory_uid
      FROM advisories, json_each(advisories.aliases) AS one WHERE source <> 'osv'
      UNION SELECT upper(advisory_id), artifact_name, parent, uid FROM advisories WHERE source <> 'osv'`,
    about: "advisory_uid",
  },
];

function partsOf({ table, columns, rows, about }: Derived): CheckPart[] {
  const names = columns.join(", ");
  const isKept = table === "index_entries" ? `${isPresent("repo_uid")} AND ` : "";
  const stray = `FROM "${table}" WHERE ${isKept} (${names}) NOT IN (SELECT ${names} FROM (${rows}))`;
  const lost = `FROM (${rows}) AS wanted WHERE (${names}) NOT IN (SELECT ${names} FROM "${table}")`;
  return [
    {
      table,
      damaged: `SELECT ${about} AS uid, 'does not lead here, according to its own row' AS wrong ${stray}`,
      repair: [
        `DELETE FROM "${table}" WHERE (${names}) IN (SELECT ${names} ${stray} LIMIT ${maxRowsPerRepair})`,
      ],
    },
    {
      table,
      damaged: `SELECT ${about} AS uid, 'is not found in ${table}' AS wrong ${lost}`,
      repair: [
        `INSERT OR IGNORE INTO "${table}" (${names}) SELECT ${names} ${lost} LIMIT ${maxRowsPerRepair}`,
      ],
    },
  ];
}

/** The newest report of each image with the number of its findings, and each SBOM with that of its packages. */
export const scansCheck: FsckCheck = newCheck(
  {
    name: "scans",
    promise:
      "The findings of the newest report of each image are stored, and the packages of each SBOM.",
    remedy:
      "corrects the report and the SBOM of an image; the schedule of the registry then writes findings and packages again",
  },
  [...imagesParts, ...sbomParts],
);

/** The tables that triggers fill from rows of others. */
export const lookupsCheck: FsckCheck = newCheck(
  {
    name: "lookups",
    promise:
      "Each finding, manifest of an index and advisory is found by its keys, and by no others.",
    remedy: "deletes wrong keys and adds missing ones",
  },
  derived.flatMap(partsOf),
);
