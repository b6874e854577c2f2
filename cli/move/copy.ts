/** Copies all rows of an organization, and brings a copy up to date. */

import { changedTables, changePage, forgetChanges, readChanges } from "./changes.ts";
import {
  armDeliveries,
  deleteDeliveries,
  readCursor,
  readDeliveries,
  readEvents,
  writeDeliveries,
  writePassed,
  writeWaiting,
} from "./events.ts";
import { numbered, selectNumbered } from "./numbered.ts";
import type { NumberedTable } from "./numbered_table.ts";
import { deletePaths, parkPaths, readPaths, type Travelling, writePaths } from "./paths.ts";
import { copyPeople } from "./people.ts";
import type { Route } from "./route.ts";
import { deletionByKeys, isDamaged, jsonOf, run, toParameters } from "./sql.ts";
import { type PathTable, pathTables } from "./tables.ts";

/** A table as the steps of a move see it: how to read a page or some rows, to write them and to delete them. */
interface Step {
  name: string;
  read(where: { after: unknown[] } | { keys: string }): Promise<Travelling[]>;
  write(rows: string[]): Promise<void>;
  remove(keys: string): Promise<void>;
  park?(keys: string): Promise<void>;
}

/** The steps of a copy, in their order. */
export function stepsOf(route: Route, isArmed = false): Step[] {
  const paged = <Table extends { pageSize?: number }>(table: Table): Table => ({
    ...table,
    pageSize: Math.min(route.maxPage, table.pageSize ?? route.maxPage),
  });
  return [
    ...pathTables.map((table) => pathStep(route, paged(table), isArmed)),
    ...numbered.map((table) => numberedStep(route, paged(table))),
    deliveryStep(route),
  ];
}

const pathStep = ({ source, target, root }: Route, table: PathTable, isArmed: boolean): Step => ({
  name: table.name,
  read: (where) => readPaths(source, table, root, where),
  write: (rows) => writePaths(target, table, rows, isArmed),
  async remove(keys) {
    await target.batch([deletePaths(table, keys)]);
  },
  async park(keys) {
    await target.batch([parkPaths(table, keys)]);
  },
});

const numberedStep = ({ source, target, root }: Route, table: NumberedTable): Step => ({
  name: table.name,
  async read(where) {
    const rows = await source.batch([selectNumbered(table, root, where)]);
    const rowsRead = (rows[0] ?? []) as unknown as Travelling[];
    const damaged = rowsRead.filter(({ row }) => isDamaged(row));
    if (damaged.length === 0) return rowsRead;
    const keys = jsonOf(damaged.map(({ row_key }) => row_key));
    const [whole = []] = await source.batch([selectNumbered(table, root, { keys }, true)]);
    const byKey = new Map((whole as unknown as Travelling[]).map((row) => [row.row_key, row]));
    return rowsRead.map((row) => byKey.get(row.row_key) ?? row);
  },
  async write(rows) {
    for (const part of toParameters(rows)) await target.batch(table.write(jsonOf(part)));
  },
  async remove(keys) {
    await target.batch([table.remove(keys)]);
  },
});

/** Events never change, but the schedule of the source can delete old ones. */
const eventStep = ({ source, target }: Route): Step => ({
  name: "events",
  async read(where) {
    if (!("keys" in where)) return [];
    const sql = `SELECT '' AS row, json_array(uid) AS row_key, '' AS position FROM events
      WHERE uid IN (SELECT value ->> 0 FROM json_each(?))`;
    return (await run(source, sql, where.keys)) as unknown as Travelling[];
  },
  write: async () => {},
  async remove(keys) {
    await target.batch([deletionByKeys("events", ["uid"])(keys)]);
  },
});

const deliveryStep = ({ source, target, root, shift }: Route): Step => ({
  name: "deliveries",
  read: (where) => readDeliveries(source, root, where),
  write: (rows) => writeDeliveries(target, rows, shift),
  async remove(keys) {
    await target.batch([deleteDeliveries(keys)]);
  },
});

/** Whether a row could not be written, because the rows that it depends on have changed since they were copied. */
export const isOvertaken = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  /parent is gone|stale write|(UNIQUE|NOT NULL) constraint failed/.test(thrown.message);

/** Copies one page of a step. Returns the position where the next one begins, or undefined after the last. */
export async function copyPage(step: Step, after: unknown[]): Promise<unknown[] | undefined> {
  const rows = await step.read({ after });
  if (rows.length > 0) await step.write(rows.map(({ row }) => row));
  const last = rows.at(-1);
  return last && (JSON.parse(last.position) as unknown[]);
}

/** Copies one page of the events that have passed the sender. Returns the number of the last one, or undefined. */
export async function copyEvents(
  { source, target, root, shift }: Route,
  after: number,
  until: number,
): Promise<number | undefined> {
  const rows = await readEvents(source, root, { after, until });
  if (rows.length > 0)
    await writePassed(
      target,
      rows.map(({ row }) => row),
      shift,
    );
  const last = rows.at(-1);
  return last && Number((JSON.parse(last.position) as unknown[])[0]);
}

/**
 * Applies the changes up to a note. First it deletes rows that the source no longer has, from the last table to the
 * first. Then it writes the others, and forgets the notes, unless it applies only those of the first tables.
 */
export async function applyChanges(
  route: Route,
  last: number,
  { isArmed = false, first = Number.POSITIVE_INFINITY },
): Promise<void> {
  const changed = await changedTables(route.source, route.root, last);
  const all = [...stepsOf(route, isArmed), eventStep(route)].slice(0, first);
  const steps = all.filter(({ name }) => changed.has(name));
  await copyPeople(route);
  for (const step of steps.toReversed()) {
    await eachChange(route, step, last, removeMissing);
  }
  for (const step of steps) await writeChanges(route, step, last);
  if (first === Number.POSITIVE_INFINITY)
    while (await forgetChanges(route.source, route.root, last));
}

type Work = (step: Step, keys: string[], rows: Travelling[]) => Promise<void>;

async function eachChange({ source, root }: Route, step: Step, last: number, work: Work) {
  const table = step.name;
  for (let after = ""; ; ) {
    const keys = await readChanges(source, root, { table, last, after });
    if (keys.length === 0) return;
    // A key of a row whose repository is gone is null.
    const whole = keys.filter((key) => !(JSON.parse(key) as unknown[]).includes(null));
    await work(step, whole, whole.length > 0 ? await step.read({ keys: jsonOf(whole) }) : []);
    if (keys.length < changePage) return;
    after = keys.at(-1) ?? "";
  }
}

const removeMissing: Work = async (step, keys, rows) => {
  const present = new Set(rows.map(({ row_key }) => row_key));
  const missing = keys.filter((key) => !present.has(key));
  if (missing.length > 0) await step.remove(jsonOf(missing));
};

const writeFound: Work = async (step, _, rows) => {
  if (rows.length > 0) await step.write(rows.map(({ row }) => row));
};

/** Two rows can have exchanged values that only one row can have. They then make room first. */
async function writeChanges(route: Route, step: Step, last: number): Promise<void> {
  try {
    await eachChange(route, step, last, writeFound);
  } catch (thrown) {
    const isTaken = thrown instanceof Error && thrown.message.includes("UNIQUE constraint failed");
    const { park } = step;
    if (!isTaken || !park) throw thrown;
    await eachChange(route, step, last, async (_, keys) => park(jsonOf(keys)));
    await eachChange(route, step, last, writeFound);
  }
}

/** Copies what only the frozen source can say: due deliveries, and events that have not passed its sender. */
export async function finishEvents(route: Route, passed: number): Promise<void> {
  const { source, target, root } = route;
  const cursor = await readCursor(source);
  for (let after: number | undefined = passed; after !== undefined; ) {
    after = await copyEvents(route, after, cursor);
  }
  for (let after: number | undefined = cursor; after !== undefined; ) {
    const rows = await readEvents(source, root, { after, until: Number.MAX_SAFE_INTEGER });
    if (rows.length > 0)
      await writeWaiting(
        target,
        rows.map(({ row }) => row),
      );
    const last = rows.at(-1);
    after = last && Number((JSON.parse(last.position) as unknown[])[0]);
  }
  await armDeliveries(source, target, root);
}
