/** Reads the ranges that the packages of an image can be in, and decides which records are about them. */
import { type SQL, sql } from "drizzle-orm";
import { advisories } from "../../schema/tables/vulnerabilities/advisories.ts";
import { affectedPackages } from "../../schema/tables/vulnerabilities/affected_packages.ts";
import { valuesSubselect } from "../aip/any_of.ts";
import { ancestry, parentOf } from "../aip/uid_path.ts";
import type { Database } from "../auth/databases.ts";
import type { MatchColumns } from "../packages/match_columns.ts";
import type { OrganizationAt } from "./context.ts";
import type { FoundInImage, ImageState } from "./decide.ts";
import { recordColumns, toFact } from "./records.ts";
import { type Purls, type SbomPackageRow, toPackageColumns } from "./stored_findings.ts";
import { verdictOf } from "./verdicts.ts";

/** The most ranges that one batch compares. With more, it has fewer packages, or fewer records about one. */
const maxMatches = 5_000;

/** A package of an SBOM, with the columns that records are matched by. */
export type MatchedPackage = MatchColumns & SbomPackageRow & { uid: string };

export interface Matching {
  db: Database;
  publicOrganization: OrganizationAt | undefined;
  image: ImageState;
  purls: Purls;
}

/** The packages of one batch, and the facts about them. */
interface Compared {
  packages: MatchedPackage[];
  added: FoundInImage[];
  /** The last record that was compared with the only package. Undefined if all were. */
  through: string | undefined;
}

/**
 * The facts of records about the first packages: about so many that one batch can write their findings. If one package
 * alone is in too many ranges, its records take several batches. `after` is the last record of the batch before.
 */
export async function compareRecords(
  matching: Matching,
  all: MatchedPackage[],
  after: string,
): Promise<Compared> {
  let packages = after === "" ? all : all.slice(0, 1);
  let rows = await readRanges(matching, packages, after);
  while (rows.length > maxMatches && packages.length > 1) {
    packages = packages.slice(0, Math.ceil(packages.length / 2));
    rows = await readRanges(matching, packages, after);
  }
  const next = rows[maxMatches]?.uid;
  if (next === undefined)
    return { packages, added: factsOf(packages, rows, matching), through: undefined };
  const complete = rows.filter(({ uid }) => uid < next);
  // A record in which one version is in so many ranges says the same in each.
  const compared = complete.length > 0 ? complete : rows.filter(({ uid }) => uid === next);
  const through = compared.at(-1)?.uid;
  return { packages, added: factsOf(packages, compared, matching), through };
}

/** The ranges of both sources, in the order of their records. */
async function readRanges(
  { db, publicOrganization, image: { repo } }: Matching,
  packages: MatchedPackage[],
  after: string,
): Promise<MatchedRange[]> {
  const above = sql`${advisories.parent} in ${valuesSubselect(ancestry(parentOf(repo)))}`;
  const sources = [selectRanges(db, repo.slice(0, 40), packages, { after, condition: above })];
  // Its own images are below it.
  if (publicOrganization) {
    const { db: publicDb, uid } = publicOrganization;
    sources.push(selectRanges(publicDb, uid, packages, { after, condition: sql`true` }));
  }
  const rows = (await Promise.all(sources)).flat();
  return rows.sort((a, b) => (a.uid < b.uid ? -1 : 1));
}

/** The ranges that packages can be in, with their advisories. It leaves out those that they are certainly not in. */
function selectRanges(
  db: Database,
  root: string,
  packages: MatchedPackage[],
  { after, condition }: { after: string; condition: SQL },
) {
  const asked = packages.flatMap(({ matchKey, release, matchOrder, matchSortKey }, at) =>
    matchKey === "" ? [] : [[at, matchKey, release, matchOrder, matchSortKey]],
  );
  const member = (at: number) => sql.raw(`("asked"."value" ->> ${at})`);
  const [release, order, key] = [member(2), member(3), member(4)];
  const { packageKey, versionOrder, from, below, fixed, severity } = affectedPackages;
  return db
    .select({
      package: sql<number>`${member(0)}`.as("package_number"),
      ...recordColumns,
      range: {
        packageKey,
        release: affectedPackages.release,
        versionOrder,
        from,
        below,
        fixed,
        severity,
      },
    })
    .from(sql`json_each(${JSON.stringify(asked)}) as "asked"`)
    .crossJoin(affectedPackages)
    .crossJoin(advisories)
    .where(
      sql`${affectedPackages.root} = ${root} and ${packageKey} = ${member(1)}
        and (${affectedPackages.release} in (${release}, '?') or ${release} = '?')
        and (${versionOrder} in ('?', '*') or (${versionOrder} = ${order} and ${from} <= ${key} and (${below} = '' or ${below} > ${key}))
          or (${order} = '' and (${versionOrder} <> '' or ${key} in (${from}, ''))))
        and ${advisories.uid} = ${affectedPackages.advisoryUid} and ${advisories.deleteTime} is null and ${condition}
        and ${affectedPackages.advisoryUid} > ${after}`,
    )
    .orderBy(...(packages.length > 1 ? [] : [affectedPackages.advisoryUid]))
    .limit(maxMatches + 1);
}

type MatchedRange = Awaited<ReturnType<typeof selectRanges>>[number];

function factsOf(
  packages: MatchedPackage[],
  rows: MatchedRange[],
  { image, purls }: Matching,
): FoundInImage[] {
  const byPair = Map.groupBy(rows, (row) => `${row.package} ${row.uid}`);
  return [...byPair.values()].flatMap((all): FoundInImage[] => {
    const [record] = all;
    const of = record && packages[record.package];
    const ranges = all.map(({ range }) => range);
    const verdict = of && verdictOf(ranges, of);
    if (!verdict) return [];
    return [{ fact: toFact(record, of.uid, verdict), package: toPackageColumns(of, purls), image }];
  });
}
