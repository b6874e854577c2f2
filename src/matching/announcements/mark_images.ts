/** Marks the images that VEX statements about a vulnerability can be about. */
import { and, asc, eq, gt, lt, sql } from "drizzle-orm";
import { findingIds, findings } from "../../../schema/tables/registry/findings.ts";
import { MARK } from "../../../schema/tables/registry/match_marks.ts";
import { commit } from "../../outbox/commit.ts";
import type { MatchContext } from "../context.ts";
import { endMarks, type Mark, markStatements, moveMark, onlyIfMarked } from "../marks.ts";

/** The findings of one piece. */
const maxFindings = 1_000;

/** The last finding whose image was marked. */
interface Cursor {
  after: string;
}

/** Does one piece of the work of a mark, and ends the mark with the last one. */
export async function markImages({ db }: MatchContext, mark: Mark): Promise<void> {
  const [group = "", ...id] = mark.uid.split(" ");
  // A cast, because only this file writes the text.
  const { after } =
    mark.cursor === "" ? { after: `${group}/` } : (JSON.parse(mark.cursor) as Cursor);
  const rows = await db
    .select({ uid: findingIds.uid, imageUid: findings.imageUid })
    .from(findingIds)
    .innerJoin(findings, eq(findings.uid, findingIds.uid))
    .where(
      and(
        sql`${findingIds.id} = ${id.join(" ")}`,
        gt(findingIds.uid, after),
        lt(findingIds.uid, `${group}0`),
      ),
    )
    .orderBy(asc(findingIds.uid))
    .limit(maxFindings);
  const last = rows.length === maxFindings ? rows.at(-1) : undefined;
  const images = [...new Set(rows.map(({ imageUid }) => imageUid))];
  await commit({ db }, [
    onlyIfMarked(db, mark.root, [mark]),
    ...markStatements(db, MARK.announcement, images),
    last ? moveMark(db, mark, { after: last.uid }) : endMarks(db, mark.root, [mark]),
  ]);
}
