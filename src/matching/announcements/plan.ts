/** Plans a piece of the announcements: which vulnerabilities of which images are looked at. */
import type { Database } from "../../auth/databases.ts";
import type { MatchContext } from "../context.ts";
import type { Mark } from "../marks.ts";
import type { Image } from "./events.ts";
import { type ImageRow, selectAnnounced, selectImages, selectShortFindings } from "./read.ts";
import { type Carried, carryOver, type ImageState } from "./replaced.ts";
import {
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
export interface Work {
  image: Image;
  vulnerability: Vulnerability;
  state: State;
  /** Whether an earlier piece has done a part of the image. */
  isContinued: boolean;
}

/** The last vulnerability that was compared. */
interface Cursor {
  after: string;
}

/** The work of a piece, the marks that are done with it, and the one that the next piece continues. */
export interface Plan {
  works: Work[];
  carried: Carried[];
  done: Mark[];
  moved?: { mark: Mark; cursor: Cursor };
}

/** Reads the images of the first marks, by their uid. An image that is gone is left out. */
export async function readImages(db: Database, marks: Mark[]): Promise<Map<string, Image>> {
  const uids = marks.slice(0, maxImages).map(({ uid }) => uid);
  const toImage = (row: ImageRow): Image => ({ ...row, tags: JSON.parse(row.tags) });
  return new Map((await selectImages(db, uids)).map((row) => [row.uid, toImage(row)]));
}

/** The first marks, with about so many findings as one piece can compare. One image can have more. */
export function takeMarks(marks: Mark[], images: Map<string, Image>): Mark[] {
  let sum = 0;
  const most = marks.slice(0, maxImages);
  const end = most.findIndex(({ uid }) => {
    sum += images.get(uid)?.findingCount ?? 0;
    return sum > maxFindings;
  });
  return end < 0 ? most : most.slice(0, Math.max(end, 1));
}

async function readStates(db: Database, present: Image[]): Promise<ImageState[]> {
  const tagged = present.filter(({ tagCount }) => tagCount > 0).map(({ uid }) => uid);
  const uids = present.map(({ uid }) => uid);
  const [found, announced] = await db.batch([
    selectShortFindings(db, tagged),
    selectAnnounced(db, uids),
  ]);
  const findingsOf = Map.groupBy(found, ({ imageUid }) => imageUid);
  const announcedOf = Map.groupBy(announced, ({ imageUid }) => imageUid);
  return present.map((image) => ({
    image,
    vulnerabilities: vulnerabilitiesOf(
      findingsOf.get(image.uid) ?? [],
      announcedOf.get(image.uid) ?? [],
    ),
  }));
}

/** Plans the work of marks, up to about so many findings as one piece can read. */
export async function planWork(
  { db }: MatchContext,
  marks: Mark[],
  images: Map<string, Image>,
): Promise<Plan> {
  const states = await readStates(
    db,
    marks.flatMap(({ uid }) => images.get(uid) ?? []),
  );
  const plan: Plan = { works: [], carried: await carryOver(db, states), done: [] };
  const stateOfUid = new Map(states.map((state) => [state.image.uid, state]));
  let details = 0;
  for (const mark of marks) {
    const { image, vulnerabilities } = stateOfUid.get(mark.uid) ?? { vulnerabilities: [] };
    const isContinued = mark.cursor !== "";
    // A cast, because only this file writes the text.
    let { after } = isContinued ? (JSON.parse(mark.cursor) as Cursor) : { after: "" };
    for (const vulnerability of vulnerabilities) {
      const state = stateOf(vulnerability);
      if (!image || vulnerability.key <= after || !needsWork(vulnerability, state)) continue;
      details += Math.max(vulnerability.findings.length, 1);
      if (details > maxDetails && plan.works.length > 0)
        return { ...plan, moved: { mark, cursor: { after } } };
      plan.works.push({ image, vulnerability, state, isContinued });
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
