/** Copies all rows of an organization, and brings a copy up to date. */

import { restoreBursts } from "./bursts.ts";
import { changedTables, forgetChanges, readChanges } from "./changes.ts";
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
import { type NumberedTable, numbered, selectNumbered } from "./numbered.ts";
import {
  columnsOf,
  deletePaths,
  parkPaths,
  readPaths,
  type Travelling,
  writePaths,
} from "./paths.ts";
import {
  decoded,
  encodedRow,
  isDamaged,
  jsonOf,
  quoted,
  rangeOf,
  run,
  type Sql,
  toParameters,
} from "./sql.ts";
import { type PathTable, pathTables } from "./tables.ts";

/** The two databases of a move, its organization, and the difference between the numbers of events. */
export interface Route {
  source: Sql;
  target: Sql;
  root: string;
  shift: number;
  /** The most rows of a page. A table with long rows has fewer. */
  maxPage: number;
}

/** A table as the steps of a move see it: how to read a page or some rows, to write them and to delete them. */
interface Step {
  name: string;
  read(where: { after: unknown[] } | { keys: string }): Promise<Travelling[]>;
  write(rows: string[]): Promise<void>;
  remove(keys: string): Promise<void>;
  park?(keys: string): Promise<void>;
}

/**
 * The steps of a copy, in their order. The moves of tags come twice: when a record is written, a trigger computes what
 * the second time restores.
 */
export function stepsOf(route: Route, isArmed = false): Step[] {
  const paths = pathTables.flatMap((table) =>
    table.name === "tag_moves" ? [table, { ...table, again: true }] : [table],
  );
  const paged = <Table extends { pageSize?: number }>(table: Table): Table => ({
    ...table,
    pageSize: Math.min(route.maxPage, table.pageSize ?? route.maxPage),
  });
  return [
    ...paths.map((table) => pathStep(route, paged(table), isArmed)),
    ...numbered.map((table) => numberedStep(route, paged(table))),
    deliveryStep(route),
  ];
}

const pathStep = (
  { source, target, root }: Route,
  table: PathTable & { again?: boolean },
  isArmed: boolean,
): Step => ({
  name: table.again ? `${table.name} again` : table.name,
  read: (where) => readPaths(source, table, root, where),
  async write(rows) {
    await writePaths(target, table, rows, isArmed);
    if (table.name === "tag_moves") await restoreBursts(source, target, rows);
  },
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
    const found = (rows[0] ?? []) as unknown as Travelling[];
    const damaged = found.filter(({ row }) => isDamaged(row));
    if (damaged.length === 0) return found;
    const keys = jsonOf(damaged.map(({ row_key }) => row_key));
    const [whole = []] = await source.batch([selectNumbered(table, root, { keys }, true)]);
    const byKey = new Map((whole as unknown as Travelling[]).map((one) => [one.row_key, one]));
    return found.map((one) => byKey.get(one.row_key) ?? one);
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
    const sql = `SELECT '' AS row, json_array(uid) AS row_key, '' AS place FROM events
      WHERE uid IN (SELECT value ->> 0 FROM json_each(?))`;
    return (await run(source, sql, where.keys)) as unknown as Travelling[];
  },
  write: async () => {},
  async remove(keys) {
    await run(
      target,
      "DELETE FROM events WHERE uid IN (SELECT value ->> 0 FROM json_each(?))",
      keys,
    );
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
  /parent is gone|stale write|UNIQUE constraint failed/.test(thrown.message);

/** Copies one page of a step. Returns the place where the next one begins, or undefined after the last. */
export async function copyPage(step: Step, after: unknown[]): Promise<unknown[] | undefined> {
  const rows = await step.read({ after });
  if (rows.length > 0) await step.write(rows.map(({ row }) => row));
  const last = rows.at(-1);
  return last && (JSON.parse(last.place) as unknown[]);
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
  return last && Number((JSON.parse(last.place) as unknown[])[0]);
}

/**
 * Applies the changes up to a note: first it deletes what the source no longer has, from the last table to the first,
 * and then it writes what the source has. Then it forgets the notes, unless it applies only those of the first tables.
 */
export async function applyChanges(
  route: Route,
  last: number,
  { isArmed = false, first = Number.POSITIVE_INFINITY },
): Promise<void> {
  const changed = await changedTables(route.source, route.root, last);
  const all = [...stepsOf(route, isArmed), eventStep(route)].slice(0, first);
  const steps = all.filter(({ name }) => changed.has(name.replace(" again", "")));
  await copyPeople(route);
  for (const step of steps.toReversed()) {
    if (!step.name.endsWith(" again")) await eachChange(route, step, last, removeMissing);
  }
  for (const step of steps) await writeChanges(route, step, last);
  if (first === Number.POSITIVE_INFINITY)
    while (await forgetChanges(route.source, route.root, last));
}

type Work = (step: Step, keys: string[], rows: Travelling[]) => Promise<void>;

async function eachChange({ source, root }: Route, step: Step, last: number, work: Work) {
  const table = step.name.replace(" again", "");
  for (let after = ""; ; ) {
    const keys = await readChanges(source, root, { table, last, after });
    if (keys.length === 0) return;
    // A key of a row whose repository is gone is null.
    const whole = keys.filter((key) => !(JSON.parse(key) as unknown[]).includes(null));
    await work(step, whole, whole.length > 0 ? await step.read({ keys: jsonOf(whole) }) : []);
    after = keys.at(-1) ?? "";
  }
}

const removeMissing: Work = async (step, keys, rows) => {
  const found = new Set(rows.map(({ row_key }) => row_key));
  const missing = keys.filter((key) => !found.has(key));
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

/** The uids of people whom rows of the organization name. */
const people = `SELECT identity_uid AS uid FROM role_bindings WHERE uid >= ? AND uid < ?
  UNION SELECT identity_uid FROM sign_ins WHERE identity_provider_uid >= ? AND identity_provider_uid < ?
  UNION SELECT identity_uid FROM scim_users WHERE uid >= ? AND uid < ?`;

/** Copies the people who have come into the organization. Each database that names them has their row. */
export async function copyPeople({ source, target, root }: Route): Promise<void> {
  const columns = await columnsOf(source, "identities");
  const params = [...rangeOf(root), ...rangeOf(root), ...rangeOf(root)];
  for (let after = ""; ; ) {
    const rows = await run(
      source,
      `SELECT uid, ${encodedRow(columns.map(quoted))} AS row FROM identities
        WHERE uid IN (${people}) AND length(uid) = 40 AND uid > ? ORDER BY uid LIMIT 200`,
      ...params,
      after,
    );
    if (rows.length === 0) return;
    await run(
      target,
      `INSERT INTO identities (${columns.map(quoted).join(", ")}) SELECT ${columns.map((_, n) => decoded(n + 1)).join(", ")}
        FROM json_each(?) WHERE true ON CONFLICT (uid) DO UPDATE SET email = excluded.email,
          email_unverified = excluded.email_unverified, update_time = excluded.update_time
        WHERE excluded.update_time > identities.update_time`,
      jsonOf(rows.map(({ row }) => String(row))),
    );
    after = String(rows.at(-1)?.uid);
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
    after = last && Number((JSON.parse(last.place) as unknown[])[0]);
  }
  await armDeliveries(source, target, root);
}
