/** Matches the advisories of some marks with the images below their groups. */
import type { Database } from "../auth/databases.ts";
import { commit, type Statement } from "../outbox/commit.ts";
import { type Candidate, selectCandidates, selectHolders, selectMade } from "./candidates.ts";
import type { MatchContext } from "./context.ts";
import { type Place as IndexPlace, type Interval, intervalsIn } from "./intervals.ts";
import { endMarks, type Mark, moveMark, onlyIfMarked } from "./marks.ts";
import { type MadeFinding, matchRecords } from "./match_records.ts";
import { type MatchedRecord, readRecords } from "./records.ts";
import { changeStatements } from "./stored_findings.ts";

/** The most packages, and the most findings, that one batch is about. */
const maxRows = 500;

/** The most parts of the index that one statement reads. */
const maxIntervals = 4_000;

/** Does one piece of the work of these marks, and ends those that are done. */
export async function matchAdvisories(context: MatchContext, marks: Mark[]): Promise<void> {
  const [first] = marks;
  if (!first) return;
  let taken = marks.filter(({ cursor }) => cursor === "");
  while (first.cursor === "" && taken.length > 0) {
    if (await matchAtOnce(context, taken)) return;
    taken = taken.length === 1 ? [] : taken.slice(0, Math.ceil(taken.length / 2));
  }
  await matchPart(context, first);
}

/** The databases with images that an organization's records match. */
const targetsOf = ({ db, databases, publicOrganization }: MatchContext, root: string) =>
  publicOrganization?.uid === root ? databases : [db];

/** False if there are too many packages or findings for one batch. */
async function matchAtOnce(context: MatchContext, marks: Mark[]): Promise<boolean> {
  const { db: home } = context;
  const root = marks[0]?.root ?? "";
  const uids = marks.map(({ uid }) => uid);
  const records = await readRecords(home, uids);
  if (!records) return false;
  for (const db of targetsOf(context, root)) {
    const intervals = await intervalsOfAll(context, db, root, records);
    if (intervals.length > maxIntervals) return false;
    const [made, candidates] = await db.batch([
      selectMade(db, uids, "", maxRows + 1),
      selectCandidates(db, intervals, maxRows + 1),
    ]);
    if (made.length > maxRows || candidates.length > maxRows) return false;
    await write({ home, db, marks }, { uids, records, made, candidates });
  }
  await endMarks(home, root, marks);
  return true;
}

/** The parts of the index in one database that the records are about. */
async function intervalsOfAll(
  { publicOrganization }: MatchContext,
  db: Database,
  root: string,
  records: MatchedRecord[],
): Promise<Interval[]> {
  if (publicOrganization?.uid !== root) return intervalsIn(records, root);
  const keys = records.flatMap(({ ranges }) => ranges.map(({ packageKey }) => packageKey));
  const holders = await selectHolders(db, [...new Set(keys)], "", maxIntervals + 1);
  const byOrganization = Map.groupBy(holders, ({ organization }) => organization);
  return [...byOrganization].flatMap(([organization, all]) =>
    intervalsIn(records, organization, { scope: organization, keys: all.map(({ key }) => key) }),
  );
}

interface Compared {
  uids: string[];
  records: MatchedRecord[];
  made: MadeFinding[];
  candidates: Candidate[];
}

/** The database with the marks, and the one with the images. */
interface Place {
  home: Database;
  db: Database;
  marks: Mark[];
}

/** Writes what the comparison changes, if the marks are still as they were read, and then `noted` into their database. */
async function write(
  { home, db, marks }: Place,
  { uids, records, made, candidates }: Compared,
  noted: Statement[] = [],
): Promise<void> {
  const { change, images } = await matchRecords(db, uids, records, made, candidates);
  const changes = changeStatements(db, images, change);
  const guard = onlyIfMarked(home, marks[0]?.root ?? "", marks);
  if (db === home) {
    if (changes.length + noted.length > 0) await commit({ db }, [guard, ...changes, ...noted]);
    return;
  }
  const [first, ...rest] = changes;
  if (first) await commit({ db }, [first, ...rest]);
  if (noted.length > 0) await commit({ db: home }, [guard, ...noted]);
}

/** Where the work for an advisory with many images continues. */
interface Cursor {
  /** The place of the database among those that have images. */
  database: number;
  /** The last finding that was compared. Null once all were, and packages are looked for. */
  made: string | null;
  /** The organization whose packages are looked for, or the last one before. */
  organization: string;
  /** The part of the index of that organization. Null if the next organization begins. */
  interval: number | null;
  /** The last place in that part. Null at its beginning. */
  last: IndexPlace | null;
}

const beginning: Cursor = { database: 0, made: "", organization: "", interval: null, last: null };

/** Does one batch of the work for an advisory that has more than one. */
async function matchPart(context: MatchContext, mark: Mark): Promise<void> {
  const { db: home } = context;
  // A cast, because only this file writes the text.
  const cursor = mark.cursor === "" ? beginning : (JSON.parse(mark.cursor) as Cursor);
  const db = targetsOf(context, mark.root)[cursor.database];
  if (!db) {
    await endMarks(home, mark.root, [mark]);
    return;
  }
  const [record] = (await readRecords(home, [mark.uid])) ?? [];
  const place = { home, db, marks: [mark] };
  const compared = { uids: [mark.uid], records: record ? [record] : [], made: [], candidates: [] };
  const note = (next: Partial<Cursor>) => [moveMark(home, mark, { ...cursor, ...next })];
  if (cursor.made !== null) {
    const made = await selectMade(db, [mark.uid], cursor.made, maxRows);
    const last = made.length === maxRows ? (made.at(-1)?.uid ?? null) : null;
    await write(place, { ...compared, made }, note({ made: last }));
    return;
  }
  const part = await nextPart(context, db, mark.root, record, cursor);
  if (!part) {
    await write(place, compared, note({ ...beginning, database: cursor.database + 1 }));
    return;
  }
  const { organization, interval, of } = part;
  const candidates = await selectCandidates(db, [of], maxRows);
  const lastOne = candidates.length === maxRows ? candidates.at(-1) : undefined;
  const next: Partial<Cursor> = lastOne
    ? { organization, interval, last: placeOf(lastOne) }
    : { organization, interval: interval + 1, last: null };
  await write(place, { ...compared, candidates }, note(next));
}

const placeOf = ({ release, matchOrder, matchSortKey, uid }: Candidate): IndexPlace => [
  release,
  matchOrder,
  matchSortKey,
  uid,
];

/** The part of the index that comes next. Undefined if the record has no more in this database. */
async function nextPart(
  { publicOrganization }: MatchContext,
  db: Database,
  root: string,
  record: MatchedRecord | undefined,
  { organization, interval, last }: Cursor,
): Promise<{ organization: string; interval: number; of: Interval } | undefined> {
  if (!record) return undefined;
  const isPublic = publicOrganization?.uid === root;
  const partsOf = (one: string) => intervalsIn([record], one, isPublic ? { scope: one } : {});
  if (interval !== null) {
    const of = partsOf(organization)[interval];
    if (of) return { organization, interval, of: last ? { ...of, low: last } : of };
  }
  const keys = [...new Set(record.ranges.map(({ packageKey }) => packageKey))];
  const [holder] = isPublic
    ? await selectHolders(db, keys, organization, 1)
    : [organization === "" ? { organization: root } : undefined];
  const [of] = holder ? partsOf(holder.organization) : [];
  return holder && of && { organization: holder.organization, interval: 0, of };
}
