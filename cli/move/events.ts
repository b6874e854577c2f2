/**
 * Moves events and their deliveries. An event that has passed the sender of the source keeps its position before all
 * events of the target: its number becomes negative. The sender of the target therefore never sends it again. An event
 * that has not passed yet gets a new number there, and is sent like a new one.
 */

import { columnsOf, type Travelling } from "./paths.ts";
import {
  decoded,
  deletionByKeys,
  encodedRow,
  jsonOf,
  literal,
  quoted,
  rangeOf,
  run,
  type Sql,
  type Statement,
  toParameters,
} from "./sql.ts";

const pageSize = 200;

/** Room for the events that the source gets while it is copied. */
const headroom = 1_000_000_000;

/** The selects of the numbers of an organization's events: those of its own, and those of the groups below it. */
const eventsOf = (root: string, more = "true"): [string, string] => {
  const [uid, step] = [literal(root), `substr(${literal(root)}, -16)`];
  const select = (condition: string) => `SELECT seq FROM events WHERE ${condition} AND ${more}`;
  return [
    select(`parent_key = unhex(${step}) AND parent = ${uid}`),
    select(`above0 = unhex(substr(${step}, 1, 10)) AND ancestor0 = ${uid}`),
  ];
};

/** The statement that counts the events of an organization up to a number. */
export const countEvents = (root: string, until: number): Statement => ({
  sql: `SELECT count(*) AS n FROM (${eventsOf(root, `seq <= ${until}`).join(" UNION ALL ")})`,
});

/** The number of the last event of a database that has passed its sender. */
export async function readCursor(database: Sql): Promise<number> {
  const [row] = await run(database, "SELECT event_seq AS seq FROM delivery_cursor");
  return Number(row?.seq ?? 0);
}

/** The difference between the numbers in the source and in the target. */
export async function chooseShift(source: Sql, target: Sql): Promise<number> {
  const [last] = await run(source, "SELECT ifnull(max(seq), 0) AS seq FROM events");
  const [first] = await run(target, "SELECT min(0, ifnull(min(seq), 0)) AS seq FROM events");
  return Number(last?.seq) + headroom - Number(first?.seq);
}

/** A page of events up to a number, after another one. */
export async function readEvents(
  source: Sql,
  root: string,
  { after, until }: { after: number; until: number },
): Promise<Travelling[]> {
  const columns = await columnsOf(source, "events");
  const inOrder = `seq > ${after} AND seq <= ${until} ORDER BY seq LIMIT ${pageSize}`;
  const parts = eventsOf(root, inOrder).map((part) => `SELECT seq FROM (${part})`);
  const sql = `SELECT ${encodedRow(columns.map(quoted))} AS row, json_array(uid) AS row_key, json_array(seq) AS position
    FROM events WHERE seq IN (${parts.join(" UNION ALL ")}) ORDER BY seq LIMIT ${pageSize}`;
  return (await run(source, sql)) as unknown as Travelling[];
}

/** Writes events that have passed the sender. */
export async function writePassed(target: Sql, rows: string[], shift: number): Promise<void> {
  const columns = await columnsOf(target, "events");
  const values = columns.map((name, index) =>
    name === "seq" ? `${decoded(index + 1)} - ${shift}` : decoded(index + 1),
  );
  for (const part of toParameters(rows)) await target.batch([insert(columns, values, part)]);
}

/** Writes events that have not passed the sender, in their order. */
export async function writeWaiting(target: Sql, rows: string[]): Promise<void> {
  const all = await columnsOf(target, "events");
  const columns = all.filter((name) => name !== "seq");
  const values = columns.map((name) => decoded(all.indexOf(name) + 1));
  for (const part of toParameters(rows)) await target.batch([insert(columns, values, part)]);
}

const insert = (columns: string[], values: string[], rows: string[]): Statement => ({
  sql: `INSERT INTO events (${columns.map(quoted).join(", ")}) SELECT ${values.join(", ")}
    FROM json_each(?) WHERE true ORDER BY key ON CONFLICT (uid) DO NOTHING`,
  params: [jsonOf(rows)],
});

/** A page of deliveries after a uid, or those of some uids. */
export async function readDeliveries(
  source: Sql,
  root: string,
  where: { after: unknown[] } | { keys: string },
): Promise<Travelling[]> {
  const columns = await columnsOf(source, "deliveries");
  const row = `${encodedRow(columns.map(quoted))} AS row, json_array(uid) AS row_key, json_array(uid) AS position`;
  const [first, end] = rangeOf(root);
  const [condition, params] =
    "keys" in where
      ? ["uid >= ? AND uid IN (SELECT value ->> 0 FROM json_each(?))", [first, where.keys]]
      : ["uid > ?", [where.after[0] ?? first]];
  const sql = `SELECT ${row} FROM deliveries WHERE uid < ? AND ${condition}
    ORDER BY uid LIMIT ${"keys" in where ? -1 : pageSize}`;
  return (await run(source, sql, end, ...params)) as unknown as Travelling[];
}

/** Writes deliveries. No sender has them, and none is due, before {@link armDeliveries}. */
export async function writeDeliveries(target: Sql, rows: string[], shift: number): Promise<void> {
  const columns = await columnsOf(target, "deliveries");
  const unarmed: Record<string, string> = { due_time: "NULL", lease: "''" };
  const values = columns.map((name, index) =>
    name === "event_seq"
      ? `${decoded(index + 1)} - ${shift}`
      : (unarmed[name] ?? decoded(index + 1)),
  );
  const changes = columns
    .filter((name) => name !== "uid")
    .map((name) => `${quoted(name)} = excluded.${quoted(name)}`);
  for (const part of toParameters(rows)) {
    await target.batch([
      {
        sql: `INSERT INTO deliveries (${columns.map(quoted).join(", ")}) SELECT ${values.join(", ")}
          FROM json_each(?) WHERE true ON CONFLICT (uid) DO UPDATE SET ${changes.join(", ")}`,
        params: [jsonOf(part)],
      },
    ]);
  }
}

/** Makes the deliveries due that are due in the source. One that a sender has just begun is sent again. */
export async function armDeliveries(source: Sql, target: Sql, root: string): Promise<void> {
  const [first, end] = rangeOf(root);
  let after = first;
  for (;;) {
    const rows = await run(
      source,
      `SELECT uid, due_time AS due FROM deliveries WHERE uid > ? AND uid < ? AND due_time IS NOT NULL
        ORDER BY uid LIMIT 1000`,
      after,
      end,
    );
    if (rows.length === 0) return;
    const dueTimes = JSON.stringify(rows.map(({ uid, due }) => [uid, due]));
    await run(
      target,
      `UPDATE deliveries SET due_time = given.value ->> 1 FROM json_each(?) AS given WHERE deliveries.uid = given.value ->> 0`,
      dueTimes,
    );
    after = String(rows.at(-1)?.uid);
  }
}

export const deleteDeliveries = deletionByKeys("deliveries", ["uid"]);

/** The statements that delete events and deliveries of an organization, at most `limit` of each. */
export const purgeEvents = (root: string, limit: number): Statement[] => [
  {
    sql: `DELETE FROM deliveries WHERE uid IN (SELECT uid FROM deliveries WHERE uid >= ? AND uid < ? LIMIT ${limit})`,
    params: rangeOf(root),
  },
  {
    sql: `DELETE FROM events WHERE seq IN (SELECT seq FROM (${eventsOf(root).join(" UNION ALL ")}) LIMIT ${limit})`,
  },
];
