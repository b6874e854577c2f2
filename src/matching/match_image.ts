/** Matches the packages in the SBOM of an image with all records about them. */
import { and, asc, eq, gt, type SQL, sql } from "drizzle-orm";
import { isPresent } from "../../schema/tables/platform/deletions.ts";
import { examinedImages, findings } from "../../schema/tables/registry/findings.ts";
import { sbomPackages } from "../../schema/tables/registry/sbom_packages.ts";
import { advisories } from "../../schema/tables/vulnerabilities/advisories.ts";
import { affectedPackages } from "../../schema/tables/vulnerabilities/affected_packages.ts";
import { valuesSubselect } from "../aip/any_of.ts";
import { ancestry, parentOf } from "../aip/uid_path.ts";
import type { Database } from "../auth/databases.ts";
import { commit, type Statement } from "../outbox/commit.ts";
import type { MatchContext, OrganizationAt } from "./context.ts";
import { decideChange, type FoundInImage, type ImageState } from "./decide.ts";
import { packageIdentity, uidPrefix } from "./finding_rows.ts";
import { endMarks, type Mark, moveMark, onlyIfMarked } from "./marks.ts";
import { recordColumns, toFact } from "./records.ts";
import {
  changeStatements,
  type Purls,
  packageColumns,
  selectStored,
  toPackageColumns,
} from "./stored_findings.ts";
import { verdictOf } from "./verdicts.ts";

/** The packages of one batch, and the most ranges that they are compared with. With more, a batch has fewer packages. */
const maxPackages = 200;
const maxMatches = 5_000;

/** The findings of one batch that are compared with the packages of the SBOM. */
const maxFindings = 500;

/** The last package that was matched. Null once all were. */
interface Cursor {
  after: string | null;
}

/** Does one batch of the work for an image, and ends its mark with the last one. */
export async function matchImage(context: MatchContext, mark: Mark): Promise<void> {
  const { db } = context;
  const [row] = await db
    .select({
      uid: examinedImages.uid,
      updateTime: examinedImages.updateTime,
      digest: examinedImages.digest,
      sbomUid: examinedImages.sbomUid,
    })
    .from(examinedImages)
    .where(and(eq(examinedImages.uid, mark.uid), isPresent(examinedImages.parent)));
  if (!row) {
    await endMarks(db, mark.root, [mark]);
    return;
  }
  const image = { ...row, repo: parentOf(row.uid) };
  // A cast, because only this file writes the text.
  const cursor: Cursor = mark.cursor === "" ? { after: "" } : (JSON.parse(mark.cursor) as Cursor);
  const purls = await import("../packages/purls.ts");
  const step =
    cursor.after === null || row.sbomUid === null
      ? await endLost(db, image, mark, purls)
      : await matchPackages(context, image, row.sbomUid, { mark, after: cursor.after, purls });
  await commit({ db }, [onlyIfMarked(db, mark.root, [mark]), ...step]);
}

const selectPackages = (db: Database, sbomUid: string, after: string) =>
  db
    .select({
      uid: sbomPackages.uid,
      ...packageColumns,
      matchKey: sbomPackages.matchKey,
      release: sbomPackages.release,
      matchOrder: sbomPackages.matchOrder,
      matchSortKey: sbomPackages.matchSortKey,
    })
    .from(sbomPackages)
    .where(and(eq(sbomPackages.sbomUid, sbomUid), gt(sbomPackages.uid, after)))
    .orderBy(asc(sbomPackages.uid))
    .limit(maxPackages);

type Package = Awaited<ReturnType<typeof selectPackages>>[number];

/** The statements that write the matches of the next packages. */
async function matchPackages(
  { db, publicOrganization }: MatchContext,
  image: ImageState,
  sbomUid: string,
  { mark, after, purls }: { mark: Mark; after: string; purls: Purls },
): Promise<Statement[]> {
  const all = await selectPackages(db, sbomUid, after);
  const { packages, added } = await matchedOf({ db, publicOrganization, image, purls }, all);
  const prefixes = new Set(
    await Promise.all(
      packages.map((one) => uidPrefix(image, packageIdentity(toPackageColumns(one, purls)))),
    ),
  );
  const near = await selectStored(
    db,
    sql`(select "near"."uid" as "uid" from json_each(${JSON.stringify([...prefixes])}) as "prefix" cross join ${findings} as "near"
      on "near"."uid" > "prefix"."value" and "near"."uid" < "prefix"."value" || 'g' and "near"."image_uid" = ${image.uid}) as "found"`,
    {},
  );
  const steps = new Set(packages.map(({ uid }) => uid.slice(-16)));
  const { change } = await decideChange(
    near,
    (fact) => (steps.has(fact.package) ? undefined : fact),
    added,
    purls,
  );
  const isLast = packages.length === all.length && all.length < maxPackages;
  const next = isLast ? null : (packages.at(-1)?.uid ?? null);
  return [...changeStatements(db, [image], change), moveMark(db, mark, { after: next })];
}

interface Matching {
  db: Database;
  publicOrganization: OrganizationAt | undefined;
  image: ImageState;
  purls: Purls;
}

/** The facts of records about the first packages: about so many that one batch can write their findings. */
async function matchedOf(
  { db, publicOrganization, image, purls }: Matching,
  all: Package[],
): Promise<{ packages: Package[]; added: FoundInImage[] }> {
  const { repo } = image;
  const above = sql`${advisories.parent} in ${valuesSubselect(ancestry(parentOf(repo)))}`;
  for (let packages = all; ; packages = packages.slice(0, Math.ceil(packages.length / 2))) {
    const sources = [selectRanges(db, repo.slice(0, 40), packages, above)];
    // Its own images are below it.
    if (publicOrganization)
      sources.push(
        selectRanges(publicOrganization.db, publicOrganization.uid, packages, sql`true`),
      );
    const rows = (await Promise.all(sources)).flat();
    if (rows.length > maxMatches && packages.length > 1) continue;
    return { packages, added: factsOf(packages, rows, image, purls) };
  }
}

/** The ranges that packages can be in, with their advisories. It leaves out those that they are certainly not in. */
function selectRanges(db: Database, root: string, packages: Package[], condition: SQL) {
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
        and ${advisories.uid} = ${affectedPackages.advisoryUid} and ${advisories.deleteTime} is null and ${condition}`,
    )
    .limit(maxMatches + 1);
}

type MatchedRange = Awaited<ReturnType<typeof selectRanges>>[number];

function factsOf(
  packages: Package[],
  rows: MatchedRange[],
  image: ImageState,
  purls: Purls,
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

/** The statements that end the facts about packages which the SBOM does not have any more, and with the last ones the mark. */
async function endLost(
  db: Database,
  image: ImageState,
  mark: Mark,
  purls: Purls,
): Promise<Statement[]> {
  const isLost = sql`"fact"."value" ->> 'package' <> '' and not exists (select 1 from ${sbomPackages}
    where ${sbomPackages.uid} = ${image.repo} || '/' || ("fact"."value" ->> 'package'))`;
  const lost = await selectStored(
    db,
    sql`(select "own"."uid" as "uid" from ${findings} as "own" where "own"."image_uid" = ${image.uid}
      and "own"."facts" <> '[]' and exists (select 1 from json_each("own"."facts") as "fact" where ${isLost})
      limit ${maxFindings}) as "found"`,
    {
      lost: sql<string>`(select json_group_array("fact"."value" ->> 'package') from json_each(${findings.facts}) as "fact"
        where ${isLost})`.as("lost_packages"),
    },
  );
  const gone = new Set(lost.flatMap((row) => JSON.parse(row.lost) as string[]));
  const { change } = await decideChange(
    lost,
    (fact) => (gone.has(fact.package) ? undefined : fact),
    [],
    purls,
  );
  const end = lost.length < maxFindings ? [endMarks(db, mark.root, [mark])] : [];
  return [...changeStatements(db, [image], change), ...end];
}
