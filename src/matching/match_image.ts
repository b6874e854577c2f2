/** Matches the packages in the SBOM of an image with all records about them. */
import { and, asc, eq, gt, sql } from "drizzle-orm";
import { isPresent } from "../../schema/tables/platform/deletions.ts";
import { examinedImages, findings } from "../../schema/tables/registry/findings.ts";
import { sbomPackages } from "../../schema/tables/registry/sbom_packages.ts";
import { parentOf } from "../aip/uid_path.ts";
import type { Database } from "../auth/databases.ts";
import { commit, type Statement } from "../outbox/commit.ts";
import { compareRecords } from "./compare_records.ts";
import type { MatchContext } from "./context.ts";
import { decideChange, type ImageState } from "./decide.ts";
import { packageIdentity, uidPrefix } from "./finding_rows.ts";
import { endMarks, type Mark, moveMark, onlyIfMarked } from "./marks.ts";
import {
  changeStatements,
  type Purls,
  packageColumns,
  selectStored,
  toPackageColumns,
} from "./stored_findings.ts";

/** The packages of one batch. */
const maxPackages = 200;

/** The findings of one batch that are compared with the packages of the SBOM. */
const maxFindings = 500;

/** The place where the work continues. */
interface Cursor {
  /** The last package that was matched. Null once all were. */
  after: string | null;
  /** The last record that was compared with the next package. Without one, none was. */
  record?: string;
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
      : await matchPackages(context, image, row.sbomUid, {
          ...{ mark, after: cursor.after, record: cursor.record ?? "", purls },
        });
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

/** The statements that write the matches of the next packages. */
async function matchPackages(
  { db, publicOrganization }: MatchContext,
  image: ImageState,
  sbomUid: string,
  { mark, after, record, purls }: { mark: Mark; after: string; record: string; purls: Purls },
): Promise<Statement[]> {
  const all = await selectPackages(db, sbomUid, after);
  const matching = { db, publicOrganization, image, purls };
  const { packages, added, through } = await compareRecords(matching, all, record);
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
  const isCompared = (uid: string) => uid > record && (through === undefined || uid <= through);
  const { change } = await decideChange(
    near,
    (fact) => (steps.has(fact.package) && isCompared(fact.advisory) ? undefined : fact),
    added,
    purls,
  );
  const isLast = packages.length === all.length && all.length < maxPackages;
  const next = isLast ? null : (packages.at(-1)?.uid ?? null);
  const cursor: Cursor = through === undefined ? { after: next } : { after, record: through };
  return [...changeStatements(db, [image], change), moveMark(db, mark, cursor)];
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
