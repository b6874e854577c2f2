/** Copies an organization while others can write. */
import { countChanges } from "./changes.ts";
import { applyChanges, copyEvents, copyPage, isOvertaken, stepsOf } from "./copy.ts";
import { readCursor } from "./events.ts";
import { copyPeople } from "./people.ts";
import { keep, type Move, routeOf } from "./request.ts";
import type { Progress } from "./state.ts";

/** Few changes are left if there are no more than these. They are copied within a second. */
const fewChanges = 100;
const maxRounds = 50;

/** Copies everything that is not copied yet. The progress is stored after each page. */
export async function copyAll(move: Move, progress: Progress): Promise<void> {
  const route = routeOf(move, progress);
  const steps = stepsOf(route);
  await move.onStep("copy");
  await copyPeople(route);
  while (progress.step < steps.length) {
    const after = await copyNext(move, progress, steps);
    if (after) progress.after = after;
    else Object.assign(progress, { step: progress.step + 1, after: [] });
    await keep(move, "copying", progress);
    await move.onStep("page");
  }
  await copyPassedEvents(move, progress);
  for (let round = 0; round < maxRounds; round += 1) {
    const { last, n } = await countChanges(move.source, move.root);
    if (n === 0) break;
    await move.onStep("catch up");
    const isApplied = await isNotOvertaken(applyChanges(route, last, {}));
    if (isApplied && n <= fewChanges) break;
  }
}

/** Copies the next page. If it depends on rows that changed after they were copied, those come first. */
async function copyNext(
  move: Move,
  progress: Progress,
  steps: ReturnType<typeof stepsOf>,
): Promise<unknown[] | undefined> {
  const [step] = steps.slice(progress.step);
  if (!step) return undefined;
  for (let round = 0; round < maxRounds; round += 1) {
    try {
      return await copyPage(step, progress.after);
    } catch (thrown) {
      if (!isOvertaken(thrown)) throw thrown;
      const { last } = await countChanges(move.source, move.root);
      const first = progress.step + 1;
      await isNotOvertaken(applyChanges(routeOf(move, progress), last, { first }));
    }
  }
  return copyPage(step, progress.after);
}

/** Returns false if rows changed while they were copied. The next round copies them again. */
async function isNotOvertaken(work: Promise<void>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (thrown) {
    if (isOvertaken(thrown)) return false;
    throw thrown;
  }
}

/** Copies the events that have passed the sender of the source. */
export async function copyPassedEvents(move: Move, progress: Progress): Promise<void> {
  const route = routeOf(move, progress);
  const until = await readCursor(move.source);
  for (;;) {
    const last = await copyEvents(route, progress.event, until);
    if (last === undefined) return;
    progress.event = last;
  }
}
