/**
 * Announces which vulnerabilities affect the tagged images, and which no longer do: it compares those of now with those that
 * events have announced. One batch writes the events and the rows of `announced_vulnerabilities`.
 */
import { sql } from "drizzle-orm";
import { announcedVulnerabilities } from "../../../schema/tables/registry/announced_vulnerabilities.ts";
import { examinedImages } from "../../../schema/tables/registry/findings.ts";
import { insertFrom } from "../../aip/insert_from.ts";
import { fromParameter, toJsonParameters } from "../../aip/json_parameters.ts";
import { areUnchanged, StaleError } from "../../aip/stale.ts";
import { commit, onlyIf, type Statement } from "../../outbox/commit.ts";
import { insertCompleteEvents } from "../../outbox/outbox.ts";
import type { MatchContext } from "../context.ts";
import { endMarks, type Mark, moveMark, onlyIfMarked } from "../marks.ts";
import { type Changes, decide } from "./decide.ts";
import { planWork, readImages, takeMarks } from "./plan.ts";
import type { Announced } from "./vulnerabilities.ts";

/** Does one piece of the work of these marks, and ends those that are done. */
export async function announceImages(context: MatchContext, marks: Mark[]): Promise<void> {
  const { db } = context;
  const images = await readImages(db, marks);
  const taken = takeMarks(marks, images);
  const root = marks[0]?.root ?? "";
  const { works, carried, done, moved } = await planWork(context, taken, images);
  const changes = await decide(context, works, carried, moved?.mark.uid);
  const touched = new Set([
    ...works.map(({ image }) => image),
    ...carried.flatMap(({ from, to }) => [from, to]),
  ]);
  await commit(
    { db },
    [
      // A carried one can belong to a mark that a later piece does.
      onlyIfMarked(db, root, carried.length > 0 ? taken : moved ? [...done, moved.mark] : done),
      onlyIf(db, areUnchanged(examinedImages, [...touched])),
      ...changeStatements(context, changes),
      ...(moved ? [moveMark(db, moved.mark, moved.cursor)] : []),
      ...(done.length > 0 ? [endMarks(db, root, done)] : []),
    ],
    // Another run has announced the same.
    () => new StaleError(),
  );
}

const given = (name: string) => sql`"given"."value" ->> ${sql.raw(`'${name}'`)}`;
const rowsOf = (all: Announced[]) => toJsonParameters(all.map((one) => JSON.stringify(one)));

/** The statements of the changes. They fail if another run has made one of them. */
function changeStatements(
  { db, config }: MatchContext,
  { events, added, renamed, removed }: Changes,
): Statement[] {
  const { imageUid, vulnerability } = announcedVulnerabilities;
  const isOne = sql`"announced_vulnerabilities"."image_uid" = ${given("imageUid")}
    and "announced_vulnerabilities"."vulnerability" = ${given("vulnerability")}`;
  const isThere = sql`exists (select 1 from ${announcedVulnerabilities} where ${isOne})`;
  const key = sql`(${imageUid}, ${vulnerability})`;
  const row = {
    ...{ imageUid: given("imageUid"), vulnerability: given("vulnerability") },
    ...{ severity: given("severity"), ids: sql`"given"."value" -> 'ids'` },
  };
  return [
    ...rowsOf([...renamed, ...removed]).map((list) =>
      onlyIf(db, sql`not exists (select 1 ${fromParameter(list, sql`not ${isThere}`)})`),
    ),
    ...rowsOf(removed).map((list) =>
      db
        .delete(announcedVulnerabilities)
        .where(
          sql`${key} in (select ${given("imageUid")}, ${given("vulnerability")} ${fromParameter(list)})`,
        ),
    ),
    ...rowsOf(renamed).map((list) =>
      insertFrom(db, announcedVulnerabilities, row, fromParameter(list)).onConflictDoUpdate({
        target: [imageUid, vulnerability],
        set: { ids: sql`excluded."ids"` },
      }),
    ),
    ...rowsOf(added).map((list) =>
      insertFrom(db, announcedVulnerabilities, row, fromParameter(list)),
    ),
    ...insertCompleteEvents({ db, config, now: Date.now(), headers: new Headers() }, events),
  ];
}
