/**
 * Announces which vulnerabilities affect the tagged images, and which no longer do: it compares those of now with those that
 * events have announced. One batch writes the events and the rows of `announced_vulnerabilities`.
 */
import { sql } from "drizzle-orm";
import { AffectedImage_Reason as Reason } from "../../../schema/gen/platform/events/v2/occurrences_pb.js";
import { VexStatus } from "../../../schema/gen/platform/registry/findings/v2/findings_pb.js";
import { announcedVulnerabilities } from "../../../schema/tables/registry/announced_vulnerabilities.ts";
import { examinedImages } from "../../../schema/tables/registry/findings.ts";
import { insertFrom } from "../../aip/insert_from.ts";
import { fromParameter, toJsonParameters } from "../../aip/json_parameters.ts";
import { areUnchanged, StaleError } from "../../aip/stale.ts";
import { commit, onlyIf, type Statement } from "../../outbox/commit.ts";
import { type CompleteEvent, insertCompleteEvents } from "../../outbox/outbox.ts";
import type { MatchContext } from "../context.ts";
import { endMarks, type Mark, moveMark, onlyIfMarked } from "../marks.ts";
import { vexOf } from "../vex.ts";
import { affectedEvent, endedEvent, type Image } from "./events.ts";
import {
  type Detail,
  type ImageRow,
  selectAnnounced,
  selectDetails,
  selectImages,
  selectShortFindings,
} from "./read.ts";
import { readUses } from "./uses.ts";
import {
  type Announced,
  changedIds,
  type State,
  stateOf,
  type Vulnerability,
  vulnerabilitiesOf,
} from "./vulnerabilities.ts";

/** The most images of one piece, and the most findings of several images. */
const maxImages = 50;
const maxFindings = 2_000;

/** The most findings whose details one piece reads, unless one vulnerability has more. */
const maxDetails = 200;

/** A vulnerability that is to be announced, or whose announcement can have ended. */
interface Work {
  image: Image;
  vulnerability: Vulnerability;
  state: State;
}

/** The last vulnerability that was compared. */
interface Cursor {
  after: string;
}

/** Does one piece of the work of these marks, and ends those that are done. */
export async function announceImages(context: MatchContext, marks: Mark[]): Promise<void> {
  const { db } = context;
  const images = await readImages(context, marks);
  const taken = takeMarks(marks, images);
  const root = marks[0]?.root ?? "";
  const { works, done, moved } = await planWork(context, taken, images);
  const changes = await decide(context, works);
  const touched = new Set(works.map(({ image }) => image));
  await commit(
    { db },
    [
      onlyIfMarked(db, root, moved ? [...done, moved.mark] : done),
      onlyIf(db, areUnchanged(examinedImages, [...touched])),
      ...changeStatements(context, changes),
      ...(moved ? [moveMark(db, moved.mark, moved.cursor)] : []),
      ...(done.length > 0 ? [endMarks(db, root, done)] : []),
    ],
    // Another run has announced the same.
    () => new StaleError(),
  );
}

async function readImages({ db }: MatchContext, marks: Mark[]): Promise<Map<string, Image>> {
  const uids = marks.slice(0, maxImages).map(({ uid }) => uid);
  const toImage = (row: ImageRow): Image => ({ ...row, tags: JSON.parse(row.tags) });
  return new Map((await selectImages(db, uids)).map((row) => [row.uid, toImage(row)]));
}

/** The first marks, with about so many findings as one piece can compare. One image can have more. */
function takeMarks(marks: Mark[], images: Map<string, Image>): Mark[] {
  let sum = 0;
  const most = marks.slice(0, maxImages);
  const end = most.findIndex(({ uid }) => {
    sum += images.get(uid)?.findingCount ?? 0;
    return sum > maxFindings;
  });
  return end < 0 ? most : most.slice(0, Math.max(end, 1));
}

/** The work of a piece, the marks that are done with it, and the one that the next piece continues. */
interface Plan {
  works: Work[];
  done: Mark[];
  moved?: { mark: Mark; cursor: Cursor };
}

async function planWork(
  { db }: MatchContext,
  marks: Mark[],
  images: Map<string, Image>,
): Promise<Plan> {
  const present = marks.flatMap(({ uid }) => images.get(uid) ?? []);
  const tagged = present.filter(({ tagCount }) => tagCount > 0).map(({ uid }) => uid);
  const [found, announced] = await db.batch([
    selectShortFindings(db, tagged),
    selectAnnounced(
      db,
      present.map(({ uid }) => uid),
    ),
  ]);
  const findingsOf = Map.groupBy(found, ({ imageUid }) => imageUid);
  const announcedOf = Map.groupBy(announced, ({ imageUid }) => imageUid);
  const plan: Plan = { works: [], done: [] };
  let details = 0;
  for (const mark of marks) {
    const image = images.get(mark.uid);
    // A cast, because only this file writes the text.
    let { after } = mark.cursor === "" ? { after: "" } : (JSON.parse(mark.cursor) as Cursor);
    const all = image
      ? vulnerabilitiesOf(findingsOf.get(image.uid) ?? [], announcedOf.get(image.uid) ?? [])
      : [];
    for (const vulnerability of all) {
      const state = stateOf(vulnerability);
      if (!image || vulnerability.key <= after || !needsWork(vulnerability, state)) continue;
      details += Math.max(vulnerability.findings.length, 1);
      if (details > maxDetails && plan.works.length > 0)
        return { ...plan, moved: { mark, cursor: { after } } };
      plan.works.push({ image, vulnerability, state });
      after = vulnerability.key;
    }
    plan.done.push(mark);
  }
  return plan;
}

function needsWork(vulnerability: Vulnerability, state: State): boolean {
  const { announced } = vulnerability;
  if (state === "undecided") return true;
  if (state === "ended") return announced.length > 0;
  return announced.length === 0 || announced.some((one) => changedIds(vulnerability, one));
}

/** The rows and events that a piece writes. */
interface Changes {
  events: CompleteEvent[];
  begun: Announced[];
  renamed: Announced[];
  ended: Announced[];
}

async function decide(context: MatchContext, works: Work[]): Promise<Changes> {
  const details = await readDetails(context, works);
  const decided = works.map((work) => ({ ...work, ...openOf(context, work, details) }));
  const begun = decided.filter(
    ({ open, vulnerability }) => open.length > 0 && vulnerability.announced.length === 0,
  );
  const uses = await readUses(context.db, begun);
  const changes: Changes = { events: [], begun: [], renamed: [], ended: [] };
  for (const { image, vulnerability, state, open, reason } of decided) {
    const isAffected = state === "affected" || open.length > 0;
    for (const one of vulnerability.announced) {
      const ids = changedIds(vulnerability, one);
      if (isAffected && ids) changes.renamed.push({ ...one, ids });
      if (isAffected) continue;
      changes.ended.push(one);
      changes.events.push(endedEvent(image, one, reason));
    }
    if (open.length === 0 || vulnerability.announced.length > 0) continue;
    const { event, announced } = affectedEvent(
      image,
      vulnerability,
      open,
      uses(image, vulnerability),
    );
    changes.begun.push(announced);
    changes.events.push(event);
  }
  return changes;
}

/** The details of the findings that decide, or that an event shows. */
async function readDetails({ db }: MatchContext, works: Work[]): Promise<Map<string, Detail>> {
  const uids = works
    .filter(({ state, vulnerability: { announced } }) =>
      state === "affected" ? announced.length === 0 : state === "undecided",
    )
    .flatMap(({ vulnerability: { findings } }) => findings)
    .filter(({ unknown }) => unknown === "")
    .map(({ uid }) => uid);
  const rows = uids.length === 0 ? [] : await selectDetails(db, uids);
  return new Map(rows.map((row) => [row.uid, row]));
}

/** The findings of the work that no statement has ended, and the reason if there is none. */
function openOf(
  { config, purls }: MatchContext,
  { image, vulnerability: { findings } }: Work,
  details: Map<string, Detail>,
): { open: Detail[]; reason: Reason } {
  const digests = [image.digest, ...(JSON.parse(image.indexDigests) as string[])];
  const { host } = new URL(config.registryUrl);
  const tags = image.tags.map(([name]) => name);
  const statuses = new Set<VexStatus>();
  const open = findings
    .flatMap(({ uid }) => details.get(uid) ?? [])
    .filter(({ candidates, purl, packageName, packageVersion }) => {
      const read = purl === "" ? undefined : purls.readPurl(purl);
      const named = { repoName: image.repoName, packageName, packageVersion };
      const { statement } = vexOf(
        candidates,
        { ...named, digests, tags, package: read },
        host,
        purls,
      );
      const status = statement?.status ?? VexStatus.UNSPECIFIED;
      statuses.add(status);
      return status !== VexStatus.NOT_AFFECTED && status !== VexStatus.FIXED;
    });
  return { open, reason: reasonOf(image, findings.length, statuses) };
}

function reasonOf({ tagCount }: Image, findingCount: number, statuses: Set<VexStatus>): Reason {
  if (tagCount === 0) return Reason.UNTAGGED;
  if (findingCount === 0) return Reason.NOT_FOUND;
  if (statuses.has(VexStatus.FIXED)) return Reason.FIXED;
  return statuses.has(VexStatus.NOT_AFFECTED) ? Reason.NOT_AFFECTED : Reason.UNKNOWN;
}

const given = (name: string) => sql`"given"."value" ->> ${sql.raw(`'${name}'`)}`;
const rowsOf = (all: Announced[]) => toJsonParameters(all.map((one) => JSON.stringify(one)));

/** The statements of the changes. They fail if another run has made one of them. */
function changeStatements(
  { db, config }: MatchContext,
  { events, begun, renamed, ended }: Changes,
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
    ...rowsOf([...renamed, ...ended]).map((list) =>
      onlyIf(db, sql`not exists (select 1 ${fromParameter(list, sql`not ${isThere}`)})`),
    ),
    ...rowsOf(ended).map((list) =>
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
    ...rowsOf(begun).map((list) =>
      insertFrom(db, announcedVulnerabilities, row, fromParameter(list)),
    ),
    ...insertCompleteEvents({ db, config, now: Date.now(), headers: new Headers() }, events),
  ];
}
