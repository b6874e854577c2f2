/** The statements that store the ranges of versions which records name, and have them matched with images. */
import { sql } from "drizzle-orm";
import { MARK } from "../../schema/tables/registry/match_marks.ts";
import { affectedPackages } from "../../schema/tables/vulnerabilities/affected_packages.ts";
import { valuesSubselect } from "../aip/any_of.ts";
import { type InsertRow, insertFrom } from "../aip/insert_from.ts";
import { fromParameter, toJsonParameters } from "../aip/json_parameters.ts";
import type { Database } from "../auth/databases.ts";
import { markStatements } from "../matching/marks.ts";
import type { Statement } from "../outbox/commit.ts";
import type { AffectedRange } from "../packages/affected_ranges.ts";

/** The ranges of one record. */
export interface RecordRanges {
  /** The uid of its advisory. */
  uid: string;
  ranges: AffectedRange[];
  /** Number of FindingSeverity. */
  severity: number;
}

/** The most ranges of one record. With more, each package of the record counts as one range that cannot be read. */
const maxRanges = 2_000;

function bounded(ranges: AffectedRange[]): AffectedRange[] {
  if (ranges.length <= maxRanges) return ranges;
  const packages = new Map(ranges.map((one) => [`${one.packageKey} ${one.release}`, one]));
  return [...packages.values()]
    .slice(0, maxRanges)
    .map((one) => ({ ...one, order: "?", from: "", below: "", fixed: "" }));
}

const of = (name: string) => sql`"given"."value" ->> ${sql.raw(`'${name}'`)}`;

const columns = {
  advisoryUid: of("uid"),
  number: of("number"),
  packageKey: of("packageKey"),
  release: of("release"),
  versionOrder: of("order"),
  from: of("from"),
  below: of("below"),
  fixed: of("fixed"),
  severity: of("severity"),
} satisfies InsertRow<typeof affectedPackages>;

const { packageKey, release, versionOrder, from, below, fixed, severity } = affectedPackages;
const compared = { packageKey, release, versionOrder, from, below, fixed, severity };
const excluded = Object.fromEntries(
  Object.entries(compared).map(([property, { name }]) => [property, sql.raw(`excluded."${name}"`)]),
);
const isChanged = sql`(${sql.join(Object.values(compared), sql`, `)})
  <> (${sql.join(Object.values(excluded), sql`, `)})`;

/** The statements that replace the ranges of records whose advisories are written before. They mark these advisories. */
export function replaceRanges(db: Database, records: RecordRanges[]): Statement[] {
  const all = records.map((record) => ({ ...record, ranges: bounded(record.ranges) }));
  const rows = all.flatMap(({ uid, ranges, severity: rating }) =>
    ranges.map((range, number) => JSON.stringify({ ...range, uid, number, severity: rating })),
  );
  const [named, unnamed] = [true, false].map((isNamed) =>
    all.filter(({ ranges }) => ranges.length > 0 === isNamed).map(({ uid }) => uid),
  ) as [string[], string[]];
  const counts = toJsonParameters(
    all.map(({ uid, ranges }) => JSON.stringify([uid, ranges.length])),
  );
  return [
    ...markStatements(db, MARK.advisory, named),
    ...markStatements(db, MARK.advisory, unnamed, hasRanges(sql`"given"."value"`)),
    ...counts.map((parameter) =>
      db.delete(affectedPackages).where(
        sql`(${affectedPackages.advisoryUid}, ${affectedPackages.number}) in (
          select "row"."advisory_uid", "row"."number" from json_each(${parameter}) as "given"
          cross join ${affectedPackages} as "row" on "row"."advisory_uid" = "given"."value" ->> 0
            and "row"."number" >= "given"."value" ->> 1)`,
      ),
    ),
    ...toJsonParameters(rows).map((parameter) =>
      insertFrom(db, affectedPackages, columns, fromParameter(parameter)).onConflictDoUpdate({
        target: [affectedPackages.advisoryUid, affectedPackages.number],
        set: excluded,
        setWhere: isChanged,
      }),
    ),
  ];
}

const hasRanges = (uid: ReturnType<typeof of>) =>
  sql`exists (select 1 from ${affectedPackages} where ${affectedPackages.advisoryUid} = ${uid})`;

/** The statements that delete the ranges of advisories that stay. They mark these advisories. */
export const deleteRanges = (db: Database, uids: string[]): Statement[] => [
  ...markStatements(db, MARK.advisory, uids, hasRanges(sql`"given"."value"`)),
  db
    .delete(affectedPackages)
    .where(sql`${affectedPackages.advisoryUid} in ${valuesSubselect(uids)}`),
];
