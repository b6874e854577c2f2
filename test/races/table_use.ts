/** The reads and writes of a call. Two calls race only if their order can matter. */
import type { SentStatement } from "../world/recorder.ts";

/** The rows of a table by the uids that they contain, or any rows. */
export type RowUids = Set<string> | "any";

/** The tables that a call needs. */
export interface TableUse {
  reads: Map<string, RowUids>;
  writes: Map<string, RowUids>;
}

/** Every call adds to the events and none reads them. Counts change with their rows. Guards leave nothing. */
const apart = ["events", "counts", "write_guards", "json_each", "given"];

const written = /(?:\binsert into|(?<!do )\bupdate|\bdelete from) "?([a-z_]+)"?/g;
const mentioned = /(?:\bfrom|\bjoin|\binsert into|(?<!do )\bupdate) "?([a-z_]+)"?/g;
/** A use of a table that is only about the row of a uid. */
const ofOneRow =
  /(?:\bfrom "([a-z_]+)"|(?<!do )\bupdate "([a-z_]+)" set .*?) where \(?"([a-z_]+)"\."uid" = \?/g;
/**
 * The tables with the access of a caller, read or guarded. Of these tables, a call with our own token needs
 * the rows that name the caller or their roles.
 */
const ofCaller =
  /^select [^()]* from \(select "identities"\."uid" as "identity", .*where "identities"\."uid" = \?|insert into "write_guards" \("reason"\) select \? where exists \(/s;
const tablesOfCaller = ["identities", "role_bindings", "roles"];

const named = (text: string, before: RegExp) =>
  [...text.matchAll(before)].map(([, table = ""]) => table).filter((one) => !apart.includes(one));

const uidForm = /[0-9a-f]{40}(?:\/[0-9a-f]{16})*/g;
/** The uids in the parameters of a statement. */
export const uidsIn = (values: unknown[]) => new Set(JSON.stringify(values).match(uidForm));

/** The uids in the columns of a row. */
export const uidsOf = (row: Record<string, unknown>): string[] =>
  Object.values(row).filter(
    (value): value is string => typeof value === "string" && value.match(uidForm)?.[0] === value,
  );

function add(all: Map<string, RowUids>, table: string, rows: RowUids): void {
  const before = all.get(table) ?? new Set();
  all.set(table, before === "any" || rows === "any" ? "any" : new Set([...before, ...rows]));
}

const times = (tables: string[], table: string) => tables.filter((one) => one === table).length;

/** The roles of the callers by their identities. The statement that reads their grants can name no role. */
export type RolesByIdentity = Map<string, string>;

const withRoles = (uids: Set<string>, held: RolesByIdentity): Set<string> =>
  new Set([...uids, ...[...uids].flatMap((uid) => held.get(uid) ?? [])]);

function addReads(
  reads: Map<string, RowUids>,
  { sql, params }: SentStatement,
  held: RolesByIdentity,
): void {
  const tables = named(sql, mentioned);
  const single = [...sql.matchAll(ofOneRow)].flatMap(([, read, updated, table = ""]) =>
    (read ?? updated) === table ? [table] : [],
  );
  for (const table of new Set(tables)) {
    const isOfCaller = tablesOfCaller.includes(table) && ofCaller.test(sql);
    const isKnown = isOfCaller || times(single, table) === times(tables, table);
    add(reads, table, isKnown ? withRoles(uidsIn(params), held) : "any");
  }
}

/** The use of tables, from the statements of a call and the uids in the rows that it changed. */
export function tableUseOf(
  trips: SentStatement[][],
  changed: Record<string, RowUids>,
  held: RolesByIdentity,
): TableUse {
  const [reads, writes] = [new Map<string, RowUids>(), new Map<string, RowUids>()];
  for (const statement of trips.flat()) {
    addReads(reads, statement, held);
    for (const table of named(statement.sql, written)) add(writes, table, new Set());
  }
  for (const [table, rows] of Object.entries(changed)) {
    if (!apart.includes(table)) add(writes, table, rows);
  }
  return { reads, writes };
}

/** Whether one can write what the other reads. */
function touches({ writes }: TableUse, { reads }: TableUse): boolean {
  return [...writes].some(([table, rows]) => {
    const read = reads.get(table);
    if (read === undefined) return false;
    return read === "any" || rows === "any" || [...rows].some((uid) => read.has(uid));
  });
}

/** Whether both write a table: a UNIQUE index can then allow only one of them. */
const collide = (one: TableUse, other: TableUse) =>
  [...one.writes.keys()].some((table) => other.writes.has(table));

export const haveCommonRows = (one: TableUse, other: TableUse) =>
  collide(one, other) || touches(one, other) || touches(other, one);
