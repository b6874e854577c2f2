/** Runs the checks of the database one after another, and repairs what they find if `isRepairing` is set. */
import type { CheckedDatabase, CheckFinding, D1Row, DamagedRow, FsckCheck } from "./check.ts";
import { contentsCheck, storageCheck } from "./contents.ts";
import { countsCheck } from "./counts.ts";
import { deletionsCheck } from "./deletions.ts";
import { eventsCheck } from "./events.ts";
import { expiriesCheck } from "./expiries.ts";
import { lookupsCheck, scansCheck } from "./findings.ts";
import { objectsCheck } from "./objects.ts";
import { parentsCheck } from "./parents.ts";
import { recordsCheck, sourcesCheck } from "./records.ts";
import { aliasesCheck, referencesCheck } from "./references.ts";
import { tagLinesCheck } from "./tag_lines.ts";
import { historyCheck, tagDigestsCheck } from "./tags.ts";
import { readTriggers } from "./triggers.ts";

/** How a check ended: what it found, what it repaired, and what is left. */
export type CheckOutcome = Pick<FsckCheck, "name" | "promise" | "remedy"> & {
  rows: number;
  found: number;
  repaired: number;
  left: number;
  examples: DamagedRow[];
};

/**
 * The checks of a database. A check whose repair causes problems for other checks comes first: deleting orphans leaves
 * dangling references, and every deletion changes counts.
 */
async function fsckChecks(store: CheckedDatabase): Promise<FsckCheck[]> {
  const triggers = await readTriggers(store);
  return [
    parentsCheck(triggers),
    referencesCheck(triggers),
    ...[aliasesCheck, historyCheck, tagDigestsCheck, recordsCheck, sourcesCheck],
    ...[contentsCheck, objectsCheck, storageCheck, scansCheck, lookupsCheck],
    ...[tagLinesCheck, expiriesCheck, eventsCheck, deletionsCheck],
    countsCheck(triggers),
  ];
}

/** Runs the checks. With `isRepairing`, it repairs and looks again until nothing is left or nothing improves. */
export async function runFsck(
  store: CheckedDatabase,
  isRepairing: boolean,
): Promise<CheckOutcome[]> {
  const checks = await fsckChecks(store);
  const first = await look(checks, store);
  const repaired = checks.map(() => 0);
  let now = first;
  let isBetter = isRepairing;
  while (isBetter && now.some(({ problems }) => problems > 0)) {
    const repairs = now.flatMap(({ repair }) => repair);
    if (repairs.length === 0) break;
    await store.execute(repairs);
    const next = await look(checks, store);
    const done = next.map((after, i) => progress(now[i], after));
    for (const [i, count] of done.entries()) repaired[i] = (repaired[i] ?? 0) + count;
    isBetter = done.some((count) => count > 0);
    now = next;
  }
  return checks.map(({ name, promise, remedy }, i) => {
    const { rows = 0, examples = [] } = first[i] ?? {};
    const left = now[i]?.problems ?? 0;
    const solved = repaired[i] ?? 0;
    const shown = examples.length > 0 ? examples : (now[i]?.examples ?? []);
    return {
      name,
      promise,
      remedy,
      rows,
      found: left + solved,
      repaired: solved,
      left,
      examples: shown,
    };
  });
}

/** Returns how many problems a repair solved. Deleting a row may reveal other problems, such as its children. */
const progress = (before: CheckFinding | undefined, after: CheckFinding) =>
  before?.problems ? Math.max(0, before.problems - after.problems, before.rows - after.rows) : 0;

const look = (checks: FsckCheck[], store: CheckedDatabase): Promise<CheckFinding[]> => {
  const joined = batchedStore(store);
  return Promise.all(checks.map((check) => check.look(joined)));
};

/** Combines all queries of one moment into a single request, because each request takes seconds. */
function batchedStore(store: CheckedDatabase): Pick<CheckedDatabase, "query" | "pageSize"> {
  let waiting: string[] = [];
  let answers: Promise<D1Row[][]> | undefined;
  return {
    pageSize: store.pageSize,
    async query(statements) {
      const from = waiting.length;
      waiting.push(...statements);
      answers ??= Promise.resolve().then(() => {
        const all = waiting;
        waiting = [];
        answers = undefined;
        return store.query(all);
      });
      return (await answers).slice(from, from + statements.length);
    },
  };
}
