/** Reads the packages of SBOMs that records can be about, with their images. */
import { type SQL, sql } from "drizzle-orm";
import { isPresent } from "../../schema/tables/platform/deletions.ts";
import { examinedImages, findingIds, findings } from "../../schema/tables/registry/findings.ts";
import { sbomPackages } from "../../schema/tables/registry/sbom_packages.ts";
import { valuesSubselect } from "../aip/any_of.ts";
import { type Database, isWritable } from "../auth/databases.ts";
import type { Interval } from "./intervals.ts";
import { packageColumns, selectStored } from "./stored_findings.ts";

const member = (name: string, place?: number) =>
  sql.raw(`("part"."value" ->> '$.${name}${place === undefined ? "" : `[${place}]`}')`);
const tuple = (name: string) =>
  sql.join(
    [0, 1, 2, 3].map((at) => member(name, at)),
    sql`, `,
  );

const indexed = sql`(${sbomPackages.release}, ${sbomPackages.matchOrder}, ${sbomPackages.matchSortKey}, ${sbomPackages.uid})`;

/** The packages in parts of the index, at most `limit`. With several parts, their order is not defined. */
export function selectCandidates(db: Database, intervals: Interval[], limit: number) {
  const select = db
    .select({
      ...{ record: sql<number>`${member("record")}`.as("record_number"), uid: sbomPackages.uid },
      ...packageColumns,
      matchKey: sbomPackages.matchKey,
      release: sbomPackages.release,
      matchOrder: sbomPackages.matchOrder,
      matchSortKey: sbomPackages.matchSortKey,
      imageUid: sql<string>`${examinedImages.uid}`.as("image_uid"),
      imageTime: sql<number>`${examinedImages.updateTime}`.as("image_time"),
      digest: examinedImages.digest,
    })
    .from(sql`json_each(${JSON.stringify(intervals)}) as "part"`)
    .crossJoin(sbomPackages)
    .crossJoin(examinedImages)
    .where(
      sql`${examinedImages.sbomUid} = ${sbomPackages.sbomUid}
        and ${sbomPackages.matchKey} = ${member("key")} and ${sbomPackages.ancestor0} = ${member("organization")}
        and ${indexed} > (${tuple("low")}) and ${indexed} < (${tuple("high")})
        and ${sbomPackages.uid} > ${member("scope")} || '/' and ${sbomPackages.uid} < ${member("scope")} || '0'
        and ${isPresent(examinedImages.parent)}`,
    )
    .$dynamic();
  const ordered = intervals.length === 1 ? select.orderBy(...order) : select;
  return ordered.limit(limit);
}

const order = [
  sbomPackages.release,
  sbomPackages.matchOrder,
  sbomPackages.matchSortKey,
  sbomPackages.uid,
];

export type Candidate = Awaited<ReturnType<typeof selectCandidates>>[number];

/** The organizations that have packages with these keys, at most `limit` pairs, in the order of the organizations. */
export function selectHolders(db: Database, keys: string[], after: string, limit: number) {
  const next = (key: SQL, above: SQL) => sql`(select ${sbomPackages.ancestor0} from ${sbomPackages}
    where ${sbomPackages.matchKey} = ${key} and ${sbomPackages.ancestor0} > ${above} order by ${sbomPackages.ancestor0} limit 1)`;
  return db
    .select({
      key: sql<string>`"holder"."key"`.as("holder_key"),
      organization: sql<string>`"holder"."organization"`.as("holder_organization"),
    })
    .from(
      sql`(with recursive "holders" ("key", "organization") as (
        select "value", ${next(sql`"value"`, sql`${after}`)} from json_each(${JSON.stringify(keys)})
        union all select "key", ${next(sql`"key"`, sql`"holders"."organization"`)} from "holders" where "organization" is not null)
      select "key", "organization" from "holders" where "organization" is not null) as "holder"`,
    )
    .where(isWritable(sql`"holder"."organization"`))
    .orderBy(sql`"holder"."organization"`, sql`"holder"."key"`)
    .limit(limit);
}

/** The packages that the facts of a finding are about, as JSON of {@link FactPackage}. */
const factPackages = sql<string>`(select json_group_array(json_object('uid', "own"."uid", 'matchKey', "own"."match_key",
    'release', "own"."release", 'matchOrder', "own"."match_order", 'matchSortKey', "own"."match_sort_key"))
  from json_each(${findings.facts}) as "fact" cross join ${sbomPackages} as "own"
    on "own"."uid" = ${findings.parent} || '/' || ("fact"."value" ->> 'package'))`;

/** The findings that records make, at most `limit`, in the order of their uids. */
export const selectMade = (db: Database, advisories: string[], after: string, limit: number) =>
  selectStored(
    db,
    sql`(select distinct "uid" from ${findingIds} where "id" in ${valuesSubselect(advisories)} and "uid" > ${after}
        and ${isPresent(findingIds.parent)} and ${isWritable(sql`"uid"`)} order by "uid" limit ${limit}) as "found"`,
    { packages: factPackages.as("fact_packages") },
  );

/** The findings of packages that have one of these ids. `prefix` is the beginning of their uids. */
export const selectNeighbors = (db: Database, wanted: { prefix: string; ids: string[] }[]) =>
  selectStored(
    db,
    sql`(select distinct "near"."uid" as "uid" from json_each(${JSON.stringify(wanted)}) as "wanted"
      cross join json_each("wanted"."value", '$.ids') as "one" cross join ${findingIds} as "near"
      on "near"."id" = "one"."value" and "near"."uid" > ("wanted"."value" ->> 'prefix')
        and "near"."uid" < ("wanted"."value" ->> 'prefix') || 'g') as "found"`,
    {},
  );
