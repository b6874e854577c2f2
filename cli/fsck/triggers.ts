/**
 * What the database's own triggers say of its tables: which are counted, and what each row's parent
 * is. So a new resource is checked as soon as a migration makes its triggers.
 */
import { refused } from "../failure.ts";
import type { Store } from "./check.ts";

export type Trigger = { name: string; table: string; sql: string };

/** A table whose rows are counted in `counts`. */
export type Counted = {
  table: string;
  /** The column that parts the counts of a table; undefined: they have the class 0. */
  classColumn?: string;
  /** Rows without a parent are counted as children of ''. */
  hasRoots: boolean;
};

/** A table whose rows need a parent. */
export type Parented = { table: string; parents: string; mayBeRoot: boolean };

/** Every trigger that the database has. */
export async function readTriggers(store: Store): Promise<Trigger[]> {
  const sql = `SELECT name, tbl_name AS "table", sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name`;
  const [triggers = []] = await store.query([sql]);
  return triggers as Trigger[];
}

/** The tables whose inserts are counted. Throws a Failure where a trigger counts in another way. */
export function countedTables(triggers: Trigger[]): Counted[] {
  const counting = triggers.filter(({ sql }) => {
    return /\bAFTER INSERT\b/.test(sql) && /\bINTO counts\b/.test(sql);
  });
  return counting.map((trigger) => {
    const [, kind, one] =
      /\bSELECT\b[\s\S]*?,\s*'(\w+)',\s*(0|NEW\."\w+"),/.exec(trigger.sql) ?? [];
    if (kind !== trigger.table || !one) throw strange(trigger);
    const hasRoots = /THEN '' ELSE/.test(trigger.sql);
    const [, classColumn] = /^NEW\."(\w+)"$/.exec(one) ?? [];
    return { table: kind, hasRoots, ...(classColumn ? { classColumn } : {}) };
  });
}

/** The tables whose inserts need a parent, those of parents before those of their children. */
export function parentedTables(triggers: Trigger[]): Parented[] {
  const guards = triggers.filter(({ name }) => name.endsWith("_require_parent"));
  const left = guards.map((trigger): Parented => {
    const [, parents] = /SELECT 1 FROM (\w+) WHERE uid = /.exec(trigger.sql) ?? [];
    if (!parents) throw strange(trigger);
    const mayBeRoot = /length\(NEW\.uid\) > 40 AND NOT EXISTS/.test(trigger.sql);
    return { table: trigger.table, parents, mayBeRoot };
  });
  const depthOf = ({ table, parents }: Parented): number => {
    const above = left.find((one) => one.table === parents);
    return above && parents !== table ? 1 + depthOf(above) : 0;
  };
  return left.sort((a, b) => depthOf(a) - depthOf(b));
}

const strange = ({ name }: Trigger) =>
  refused(
    "TRIGGERS",
    `The trigger ${name} has a form that fsck does not know. Use fsck of the checkout that made it.`,
  );
