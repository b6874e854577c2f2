/** Reads and writes the findings of images. A write names the images that it was decided by, and fails if one changed. */
import { type SQL, sql } from "drizzle-orm";
import { isPresent } from "../../schema/tables/platform/deletions.ts";
import { examinedImages, findings } from "../../schema/tables/registry/findings.ts";
import { sbomPackages } from "../../schema/tables/registry/sbom_packages.ts";
import { valuesSubselect } from "../aip/any_of.ts";
import { type InsertRow, insertFrom } from "../aip/insert_from.ts";
import { fromParameter, toJsonParameters } from "../aip/json_parameters.ts";
import { areUnchanged } from "../aip/stale.ts";
import { type Database, isWritable } from "../auth/databases.ts";
import { onlyIf, type Statement } from "../outbox/commit.ts";
import type { packageKey, readPurl } from "../packages/purls.ts";
import { type FindingRow, type Found, factsOf, type PackageColumns } from "./finding_rows.ts";

/** Loaded when it is needed, because the library takes a while to start. */
export type Purls = { readPurl: typeof readPurl; packageKey: typeof packageKey };

/** The columns that are written. The database computes the others. */
const written = {
  uid: findings.uid,
  imageUid: findings.imageUid,
  vulnerabilityId: findings.vulnerabilityId,
  aliases: findings.aliases,
  severity: findings.severity,
  fixState: findings.fixState,
  fixVersions: findings.fixVersions,
  hasFix: findings.hasFix,
  packageName: findings.packageName,
  packageVersion: findings.packageVersion,
  purl: findings.purl,
  packageKey: findings.packageKey,
  productName: findings.productName,
  foundBy: findings.foundBy,
  unknown: findings.unknown,
  facts: findings.facts,
};

/** The columns of `sbom_packages` that a finding shows. */
export const packageColumns = {
  name: sbomPackages.name,
  version: sbomPackages.version,
  purl: sbomPackages.purl,
  packageKey: sbomPackages.packageKey,
};

export type SbomPackageRow = { name: string; version: string; purl: string; packageKey: string };

/** The package of an SBOM as a finding shows it. */
export function toPackageColumns(row: SbomPackageRow, { readPurl: read }: Purls): PackageColumns {
  const { name, version, purl, packageKey: key } = row;
  const productName = (purl === "" ? undefined : read(purl)?.name) ?? name;
  return { packageName: name, packageVersion: version, purl, packageKey: key, productName };
}

const firstPackage = sql`(select "fact"."value" ->> 'package' from json_each(${findings.facts}) as "fact"
  where "fact"."value" ->> 'package' <> '' limit 1)`;

/** A finding, and the package of its SBOM as JSON of {@link SbomPackageRow}. */
const ofSbom = sql<
  string | null
>`(select json_object('name', "own"."name", 'version', "own"."version", 'purl', "own"."purl",
    'packageKey', "own"."package_key") from ${sbomPackages} as "own"
  where "own"."uid" = ${findings.parent} || '/' || ${firstPackage})`;

/** The statement that reads the findings in a subquery of uids, called "found", with their images and `more`. */
export const selectStored = <More extends Record<string, SQL.Aliased>>(
  db: Database,
  found: SQL,
  more: More,
) =>
  db
    .select({
      ...written,
      ofSbom: ofSbom.as("of_sbom"),
      digest: sql<string>`${examinedImages.digest}`.as("image_digest"),
      imageTime: sql<number>`${examinedImages.updateTime}`.as("image_time"),
      ...more,
    })
    .from(found)
    .crossJoin(findings)
    .crossJoin(examinedImages)
    .where(
      sql`${findings.uid} = "found"."uid" and ${examinedImages.uid} = ${findings.imageUid}
        and ${isPresent(findings.parent)} and ${isWritable(sql`${findings.uid}`)}`,
    )
    .$dynamic();

export type StoredFinding = FindingRow & {
  ofSbom: string | null;
  digest: string;
  imageTime: number;
};

/** The facts of a stored finding. */
export function factsOfStored(row: StoredFinding, purls: Purls): Found[] {
  const read = row.ofSbom === null ? undefined : (JSON.parse(row.ofSbom) as SbomPackageRow);
  return factsOf(row, read && toPackageColumns(read, purls));
}

/** An image as it was read. */
export interface ReadImage {
  uid: string;
  updateTime: number;
}

const of = (name: string) => sql`"given"."value" ->> ${sql.raw(`'${name}'`)}`;
const json = (name: string) => sql`"given"."value" -> ${sql.raw(`'${name}'`)}`;

const columns = {
  uid: of("uid"),
  imageUid: of("imageUid"),
  vulnerabilityId: of("vulnerabilityId"),
  aliases: json("aliases"),
  severity: of("severity"),
  fixState: of("fixState"),
  fixVersions: json("fixVersions"),
  hasFix: of("hasFix"),
  packageName: of("packageName"),
  packageVersion: of("packageVersion"),
  purl: of("purl"),
  packageKey: of("packageKey"),
  productName: of("productName"),
  foundBy: of("foundBy"),
  unknown: of("unknown"),
  facts: json("facts"),
} satisfies InsertRow<typeof findings>;

/** The columns that can change while the uid stays. */
const changing = [
  ...["vulnerabilityId", "aliases", "severity", "fixState", "fixVersions", "hasFix", "packageName"],
  ...["packageVersion", "purl", "productName", "foundBy", "unknown", "facts"],
] as const;

const nameOf = (property: string) => written[property as keyof typeof written].name;

/** The statements that write rows of findings, except those that are stored already. They take one parameter each. */
export function upsertFindings(db: Database, rows: FindingRow[], image?: SQL): Statement[] {
  const own = { ...columns, createTime: sql`${Date.now()}` };
  const values = image ? { ...own, imageUid: image } : own;
  const isChanged = sql.join(
    changing.map((one) => sql.raw(`"findings"."${nameOf(one)}" <> excluded."${nameOf(one)}"`)),
    sql` or `,
  );
  return toJsonParameters(rows.map((row) => JSON.stringify(row))).map((parameter) =>
    insertFrom(
      db,
      findings,
      values,
      fromParameter(parameter, image ? sql`${image} is not null` : undefined),
    ).onConflictDoUpdate({
      target: findings.uid,
      set: Object.fromEntries(changing.map((one) => [one, sql.raw(`excluded."${nameOf(one)}"`)])),
      setWhere: isChanged,
    }),
  );
}

const textOf = (row: FindingRow) => JSON.stringify([row.uid, ...changing.map((one) => row[one])]);

/** A change of findings: the rows that end, and the rows that begin or change. */
export interface FindingsChange {
  /** The findings that were stored, by uid. */
  before: Map<string, FindingRow>;
  ended: FindingRow[];
  written: FindingRow[];
}

/** Compares the stored rows with those that are wanted. */
export function changeOf(before: FindingRow[], wanted: FindingRow[]): FindingsChange {
  const stored = new Map(before.map((row) => [row.uid, row]));
  const kept = new Set(wanted.map(({ uid }) => uid));
  return {
    before: stored,
    ended: before.filter(({ uid }) => !kept.has(uid)),
    written: wanted.filter((row) => {
      const own = stored.get(row.uid);
      return !own || textOf(own) !== textOf(row);
    }),
  };
}

/**
 * The statements of a change. `images` are those that the rows belong to, as they were read. This is the place where a
 * finding begins and ends, apart from a new report (src/registry/findings/index_report.ts).
 */
export function changeStatements(
  db: Database,
  images: ReadImage[],
  { before, ended, written: rows }: FindingsChange,
): Statement[] {
  if (ended.length + rows.length === 0) return [];
  const growth = new Map<string, number>();
  const grow = ({ imageUid }: FindingRow, by: number) =>
    growth.set(imageUid, (growth.get(imageUid) ?? 0) + by);
  for (const row of ended) grow(row, -1);
  for (const row of rows) grow(row, before.has(row.uid) ? 0 : 1);
  const touched = images.filter(({ uid }) => growth.has(uid));
  const parameter = JSON.stringify(Object.fromEntries(growth));
  const ownGrowth = sql`(select "grown"."value" from json_each(${parameter}) as "grown" where "grown"."key" = ${examinedImages.uid})`;
  return [
    onlyIf(db, areUnchanged(examinedImages, touched)),
    ...(ended.length === 0
      ? []
      : [
          db
            .delete(findings)
            .where(sql`${findings.uid} in ${valuesSubselect(ended.map(({ uid }) => uid))}`),
        ]),
    ...upsertFindings(db, rows),
    db
      .update(examinedImages)
      .set({
        findingCount: sql`${examinedImages.findingCount} + ${ownGrowth}`,
        updateTime: sql`${examinedImages.updateTime} + 1`,
      })
      .where(sql`${examinedImages.uid} in ${valuesSubselect(touched.map(({ uid }) => uid))}`),
  ];
}
