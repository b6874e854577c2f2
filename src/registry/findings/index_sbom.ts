/** Writes the packages of an SBOM as rows that ListPackages reads. */
import { and, eq, sql } from "drizzle-orm";
import { examinedImages, FINDINGS_VERSION } from "../../../schema/tables/registry/findings.ts";
import { MARK } from "../../../schema/tables/registry/match_marks.ts";
import {
  indexedSboms,
  PACKAGES_VERSION,
  sbomPackages,
} from "../../../schema/tables/registry/sbom_packages.ts";
import { type InsertRow, insertFrom } from "../../aip/insert_from.ts";
import { fromParameter, toJsonParameters } from "../../aip/json_parameters.ts";
import { sha256 } from "../../aip/sha256.ts";
import type { Database } from "../../auth/call.ts";
import { insertMarks } from "../../matching/marks.ts";
import type { Statement } from "../../outbox/commit.ts";
import type { Sbom } from "../sboms/sbom.ts";

/** A row of `sbom_packages` without the columns that follow from its SBOM. */
type PackageRow = Omit<typeof sbomPackages.$inferInsert, "uid" | "sbomUid">;

/** The package URL types of images. An SBOM also lists the image that it describes. */
const imageTypes = ["oci", "docker"];

/** The rows of the packages in an SBOM, each package in each version once. */
export async function packageRows({ nodes, operatingSystem }: Sbom): Promise<PackageRow[]> {
  // Imported here, because package URLs would add milliseconds to the start of every registry Worker.
  const { readPackage } = await import("./read_package.ts");
  const rows = new Map<string, PackageRow>();
  for (const node of nodes) {
    if (node.kind !== "package") continue;
    const row = { ...readPackage(node, operatingSystem), license: node.license };
    if (imageTypes.includes(row.type)) continue;
    const key = keyOf(row);
    const before = rows.get(key);
    if (!before) rows.set(key, row);
    else if (before.license === "") before.license = node.license;
  }
  return [...rows.values()];
}

const keyOf = ({ name, namespace, version, purl }: PackageRow) =>
  JSON.stringify([name, namespace, version, purl]);

const of = (name: string) => sql`"given"."value" ->> ${sql.raw(`'${name}'`)}`;

/**
 * The statements that replace the rows of an SBOM, and have them matched with records. They write only rows that differ
 * from those of the SBOM before. `time` is in milliseconds.
 */
export async function packageStatements(
  db: Database,
  { uid: sbomUid, repo, digest, time }: { uid: string; repo: string; digest: string; time: number },
  rows: PackageRow[],
): Promise<Statement[]> {
  const written: string[] = [];
  const uids: string[] = [];
  for (const row of rows) {
    const uid = `${repo}/${(await sha256(`${sbomUid}\n${keyOf(row)}`)).slice(0, 16)}`;
    uids.push(JSON.stringify(uid));
    written.push(JSON.stringify({ ...row, uid }));
  }
  const kept = toJsonParameters(uids).map(
    (list) => sql`${sbomPackages.uid} not in (select value from json_each(${list}))`,
  );
  const state = { packagesVersion: PACKAGES_VERSION, packageCount: rows.length };
  return [
    db.delete(sbomPackages).where(and(eq(sbomPackages.sbomUid, sbomUid), ...kept)),
    ...toJsonParameters(written).map((parameter) => upsertPackages(db, sbomUid, parameter)),
    db
      .insert(indexedSboms)
      .values({ uid: sbomUid, ...state })
      .onConflictDoUpdate({ target: indexedSboms.uid, set: state }),
    db
      .insert(examinedImages)
      .values({
        ...{ uid: sbomUid, digest, sbomUid, createTime: time, updateTime: time },
        findingsVersion: FINDINGS_VERSION,
      })
      .onConflictDoUpdate({
        target: [examinedImages.parent, examinedImages.digest],
        set: {
          sbomUid,
          updateTime: sql`max(excluded.update_time, ${examinedImages.updateTime} + 1)`,
        },
      }),
    markImage(db, repo, digest),
  ];
}

/** The statement that marks an image, which has matching to be done. */
const markImage = (db: Database, repo: string, digest: string) =>
  insertMarks(
    db,
    MARK.image,
    examinedImages.uid,
    sql`from ${examinedImages} where ${examinedImages.parent} = ${repo} and ${examinedImages.digest} = ${digest}`,
  );

const { license, versionOrder, sortKey, matchKey, release, matchOrder, matchSortKey } =
  sbomPackages;
/** The columns that another reading of the same package can change. */
const changing = { license, versionOrder, sortKey, matchKey, release, matchOrder, matchSortKey };
const excluded = Object.fromEntries(
  Object.entries(changing).map(([property, { name }]) => [property, sql.raw(`excluded."${name}"`)]),
);

function upsertPackages(db: Database, sbomUid: string, parameter: string): Statement {
  const columns = {
    uid: of("uid"),
    sbomUid,
    name: of("name"),
    namespace: of("namespace"),
    version: of("version"),
    type: of("type"),
    purl: of("purl"),
    packageKey: of("packageKey"),
    versionOrder: of("versionOrder"),
    sortKey: of("sortKey"),
    license: of("license"),
    matchKey: of("matchKey"),
    release: of("release"),
    matchOrder: of("matchOrder"),
    matchSortKey: of("matchSortKey"),
  } satisfies InsertRow<typeof sbomPackages>;
  return insertFrom(db, sbomPackages, columns, fromParameter(parameter)).onConflictDoUpdate({
    target: sbomPackages.uid,
    set: excluded,
    setWhere: sql`(${sql.join(Object.values(changing), sql`, `)}) <> (${sql.join(Object.values(excluded), sql`, `)})`,
  });
}
