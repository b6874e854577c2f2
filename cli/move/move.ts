/**
 * Moves an organization to another database (docs/decisions/0010). Each step can be interrupted and repeated.
 *
 * 1. Copy all rows, while triggers note those that change.
 * 2. Copy the changed rows, until few are left.
 * 3. Refuse writes, copy the last changes, and compare both databases.
 * 4. Switch: the source refuses everything, the target sends the events that wait, and the directory names the target.
 * 5. Delete the old rows.
 */

import { armRows } from "./armed.ts";
import { countChanges, forgetChanges, noteChanges, stopNoting } from "./changes.ts";
import { applyChanges, finishEvents } from "./copy.ts";
import { copyAll, copyPassedEvents } from "./copy_all.ts";
import { chooseShift } from "./events.ts";
import { purge } from "./purge.ts";
import { keep, type Move, type Moved, MoveError, type MoveRequest, routeOf } from "./request.ts";
import { changedSchema, unplannedTables } from "./schema.ts";
import { rangeOf, run, type Sql } from "./sql.ts";
import {
  advanceMoveRow,
  deleteMoveRow,
  type MoveRow,
  openCopy,
  type Progress,
  readLocation,
  readMoveRow,
  writeLocation,
  writeMoveRow,
} from "./state.ts";
import { type Difference, differences } from "./verify.ts";

const maxAttempts = 5;

/** Moves an organization, or continues a move that was interrupted. Throws MoveError. */
export async function moveOrganization(request: MoveRequest): Promise<Moved> {
  const { root, to, databases, onStep = () => {}, maxPause = 10_000, maxPage = 500 } = request;
  const first = need(databases, "DB");
  const from = await sourceOf(request, first);
  const move: Move = {
    root,
    to,
    onStep,
    maxPause,
    maxPage,
    first,
    from,
    source: need(databases, from),
    target: need(databases, to),
  };
  let pause = 0;
  let row = await readMoveRow(move.source, root);
  if (row && row.database !== to && !row.progress.ended)
    throw new MoveError(
      `The organization is moving to ${row.database}. Continue or undo that first.`,
    );
  if (!row || row.progress.ended === "purged" || (await isGivenUp(move, row)))
    row = await begin(move);
  if (row.state === "copying" || row.state === "leaving") {
    await refuseDeletions(move);
    await copyAll(move, row.progress);
    pause = await pauseAndSwitch(move, row.progress);
  } else if (row.progress.ended === undefined) await finishSwitch(move, row.progress);
  await deleteOld(move);
  await onStep("done");
  return { from, to, pause };
}

function need(databases: Map<string, Sql>, name: string): Sql {
  const database = databases.get(name);
  if (database) return database;
  throw new MoveError(
    `There is no database ${name}. The databases are: ${[...databases.keys()].join(", ")}.`,
  );
}

/** The name of the database that the organization leaves. After the switch, the directory names the other one. */
async function sourceOf({ databases, root, to }: MoveRequest, first: Sql): Promise<string> {
  const location = await readLocation(first, root);
  if (location !== to) return location;
  for (const [name, database] of databases) {
    const row = await readMoveRow(database, root);
    const isOpen = row?.state === "departed" && row.progress.ended !== "purged";
    if (isOpen && row.database === to) return name;
  }
  throw new MoveError(`The organization is in ${to} already.`);
}

/** Whether the schedule has given up the copy. The source then serves the organization again. */
async function isGivenUp({ target, root }: Move, { state }: MoveRow): Promise<boolean> {
  return state === "copying" && (await readMoveRow(target, root))?.database === "";
}

async function begin({ root, from, to, source, target, onStep }: Move): Promise<MoveRow> {
  const [groupRow] = await run(source, "SELECT name FROM groups WHERE uid = ?", root);
  if (root.length !== 40 || !groupRow) throw new MoveError(`There is no organization ${root}.`);
  const unplanned = await unplannedTables(source);
  if (unplanned.length > 0)
    throw new MoveError(`A move does not know these tables: ${unplanned.join(", ")}.`);
  const changed = await changedSchema(source, target);
  if (changed.length > 0)
    throw new MoveError(
      `${from} and ${to} have different tables or triggers: ${changed.join(", ")}. Run \`npm run deploy\` first.`,
    );
  await onStep("begin");
  const left = await readMoveRow(target, root);
  if (left) await purge(target, root);
  const shift = await chooseShift(source, target);
  const progress: Progress = { step: 0, after: [], event: Number.MIN_SAFE_INTEGER, shift };
  await writeMoveRow(target, root, { state: "arriving", database: from, progress }, Date.now());
  await noteChanges(source, root);
  const row: MoveRow = { state: "copying", database: to, progress };
  await writeMoveRow(source, root, row, Date.now());
  return row;
}

/** Rows that are left of deleted resources could not be written to the copy. The schedules remove them first. */
async function refuseDeletions({ source, root }: Move): Promise<void> {
  const [first, end] = rangeOf(root);
  const left = await run(
    source,
    "SELECT name FROM deletions WHERE uid >= ? AND uid < ? ORDER BY name LIMIT 3",
    first,
    end,
  );
  if (left.length === 0) return;
  const names = left.map(({ name }) => name).join(", ");
  throw new MoveError(
    `Rows of deleted repositories, groups or identity providers are not removed yet: ${names}. Writes continue. A schedule removes them. Run the command again later.`,
  );
}

/** Refuses writes until the copy is complete and compared. Returns the milliseconds without writes. */
async function pauseAndSwitch(move: Move, progress: Progress): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    await move.onStep("pause");
    const start = Date.now();
    await keep(move, "leaving", progress);
    try {
      const isInTime = await completeCopy(move, progress, start + move.maxPause);
      if (isInTime) {
        await move.onStep("switch");
        if (await advance(move, "leaving", progress)) {
          await finishSwitch(move, progress);
          return Date.now() - start;
        }
      }
    } catch (thrown) {
      const row = await readMoveRow(move.source, move.root);
      if (row?.state === "leaving") await keep(move, "copying", progress);
      throw thrown;
    }
    await keep(move, "copying", progress);
    if (attempt === maxAttempts)
      throw new MoveError(
        `The last changes could not be copied within ${move.maxPause} ms. Writes continue. Run the command again later.`,
      );
    await copyAll(move, progress);
  }
}

/** Copies the last changes and compares. Returns whether that took no longer than it may. Throws MoveError. */
async function completeCopy(move: Move, progress: Progress, deadline: number): Promise<boolean> {
  const { source, target, root } = move;
  const { last } = await countChanges(source, root);
  await applyChanges(routeOf(move, progress), last, { isArmed: true });
  await copyPassedEvents(move, progress);
  await refuseDeletions(move);
  if (Date.now() > deadline) return false;
  await move.onStep("compare");
  const differencesFound = await differences(source, target, root, progress.event);
  if (differencesFound.length > 0) throw new MoveError(differenceText(differencesFound));
  return Date.now() <= deadline;
}

const differenceText = (differencesFound: Difference[]) =>
  `The copy differs from its source, so nothing was switched:\n${differencesFound
    .map(
      ({ table, source, target }) => `  ${table}: ${source} in the source, ${target} in the copy`,
    )
    .join("\n")}`;

/** The source refuses everything from now on, if it is still in the state. Also renews the time of its row. */
const advance = ({ source, root }: Move, state: MoveRow["state"], progress: Progress) =>
  advanceMoveRow(source, root, [state, "departed"], progress);

/** The source refuses everything by now. Each statement can be repeated. */
async function finishSwitch(move: Move, progress: Progress): Promise<void> {
  const { source, target, first, root, to } = move;
  await move.onStep("arm");
  await advance(move, "departed", progress);
  await armRows(source, target, root);
  await advance(move, "departed", progress);
  await finishEvents(routeOf(move, progress), progress.event);
  if (!(await openCopy(target, root)))
    throw new MoveError(
      "The move was interrupted for too long, so the organization stays where it is. Run the command again.",
    );
  await move.onStep("name");
  const [group] = await run(
    source,
    "SELECT iif(verified = 1, name, NULL) AS name FROM groups WHERE uid = ?",
    root,
  );
  await writeLocation(first, root, to, (group?.name as string | null | undefined) ?? null);
  await keep(move, "departed", { ...progress, ended: "switched" });
}

/** Deletes the rows that the source no longer needs. */
async function deleteOld(move: Move): Promise<void> {
  const { source, root } = move;
  await move.onStep("delete");
  await stopNoting(source, root);
  while (await forgetChanges(source, root, Number.MAX_SAFE_INTEGER));
  await purge(source, root);
  const row = await readMoveRow(source, root);
  if (row) await keep(move, "departed", { ...row.progress, ended: "purged" });
}

/** Gives up a move that has not switched: the source stays, and the copy is deleted. Throws MoveError. */
export async function undoMove({ databases, root, to }: MoveRequest): Promise<void> {
  const from = await readLocation(need(databases, "DB"), root);
  const [source, target] = [need(databases, from), need(databases, to)];
  const row = await readMoveRow(source, root);
  if (from === to || row?.state === "departed")
    throw new MoveError(
      "The move has switched already. Run it again to finish it, and then move back.",
    );
  const copy = await readMoveRow(target, root);
  if (!row && copy?.state !== "arriving") throw new MoveError("There is no move to undo.");
  await stopNoting(source, root);
  await deleteMoveRow(source, root);
  while (await forgetChanges(source, root, Number.MAX_SAFE_INTEGER));
  if (copy?.state !== "arriving") return;
  await purge(target, root);
  await deleteMoveRow(target, root);
}
