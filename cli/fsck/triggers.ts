/**
 * Reads from the database's own triggers which tables are counted, what the parent of each row is, and which columns
 * name other rows. `schema/tables/triggers.ts` defines the form of these triggers. A new resource is checked as soon as
 * a migration creates its triggers. An older database is checked for what it contains.
 */
import { refusedFailure } from "../failure.ts";
import type { CheckedDatabase } from "./check.ts";

export type Trigger = { name: string; table: string; sql: string };

/** A table whose rows are counted in `counts`. */
export type CountedTable = {
  table: string;
  /** The column that separates the counts of a table into classes. Without it, they have the class 0. */
  classColumn?: string;
  /** Whether rows without a parent are counted as children of ''. */
  hasRoots: boolean;
};

/** A table whose rows add something to a total of their organization. `root` and `amount` are SQL over a row `NEW`. */
export type SummedTable = { table: string; kind: string; root: string; amount: string };

/** A table whose rows need a parent, in one of the tables `parents`. */
export type ParentedTable = { table: string; parents: string[]; mayBeRoot: boolean };

/** A column that names a row of another table by its uid. */
export type Reference = {
  table: string;
  column: string;
  target: string;
  /** A condition in SQL for the rows that name one. The default is all rows. */
  where?: string;
  /** The new value of the column if no row has the uid. Without it, the row is deleted. */
  becomes?: string;
};

/** Returns every trigger of the database. */
export async function readTriggers(store: CheckedDatabase): Promise<Trigger[]> {
  const sql = `SELECT name, tbl_name AS "table", sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name`;
  const [triggers = []] = await store.query([sql]);
  return triggers as Trigger[];
}

/** Returns the tables whose inserts are counted. Throws a Failure if a trigger counts in a different way. */
export function countedTables(triggers: Trigger[]): CountedTable[] {
  const counting = triggers.filter(({ name, sql }) => {
    return /\bAFTER INSERT\b/.test(sql) && /\bINTO counts\b/.test(sql) && !isSum(name);
  });
  return counting.map((trigger) => {
    const [, kind, column] =
      /\bSELECT\b[\s\S]*?,\s*'(\w+)',\s*(0|NEW\."\w+"),/.exec(trigger.sql) ?? [];
    if (kind !== trigger.table || !column) throw unknownTrigger(trigger);
    const hasRoots = /THEN '' ELSE/.test(trigger.sql);
    const [, classColumn] = /^NEW\."(\w+)"$/.exec(column) ?? [];
    return { table: kind, hasRoots, ...(classColumn ? { classColumn } : {}) };
  });
}

const isSum = (name: string) => name.endsWith("_sum_insert");

/** Returns the tables whose rows add up to a total. Throws a Failure if a trigger adds in a different way. */
export function summedTables(triggers: Trigger[]): SummedTable[] {
  const adding = triggers.filter(({ name }) => isSum(name));
  return adding.map((trigger) => {
    const [, kind] = /\bSELECT root\.uid, '(\w+)', 0, 0, 0 /.exec(trigger.sql) ?? [];
    const [, root] = / FROM \(SELECT (.+) AS uid\) AS root\b/.exec(trigger.sql) ?? [];
    const [, amount] =
      /\bSET descendants = descendants \+ (.+), warning = /.exec(trigger.sql) ?? [];
    if (!kind || !root || !amount) throw unknownTrigger(trigger);
    return { table: trigger.table, kind, root, amount };
  });
}

/** Returns the tables whose inserts need a parent. Parents come before their children. */
export function parentedTables(triggers: Trigger[]): ParentedTable[] {
  const guards = triggers.filter(({ name }) => name.endsWith("_require_parent"));
  const left = guards.map((trigger): ParentedTable => {
    const parents = [...trigger.sql.matchAll(/SELECT 1 FROM (\w+) WHERE uid = /g)].flatMap(
      ([, table]) => table ?? [],
    );
    if (parents.length === 0) throw unknownTrigger(trigger);
    const mayBeRoot = /length\(NEW\.uid\) > 40 AND NOT EXISTS/.test(trigger.sql);
    return { table: trigger.table, parents, mayBeRoot };
  });
  const depthOf = ({ table, parents }: ParentedTable): number => {
    const above = left.filter((other) => other.table !== table && parents.includes(other.table));
    return Math.max(-1, ...above.map(depthOf)) + 1;
  };
  return left.sort((a, b) => depthOf(a) - depthOf(b));
}

/** Returns the columns whose values must name a row. A repair clears them where they may be empty. */
export function references(triggers: Trigger[]): Reference[] {
  const guards = triggers.filter(({ name }) => /_require_(?!parent$)\w+$/.test(name));
  return guards.map((trigger) => {
    const { table, sql } = trigger;
    const form =
      /\bWHEN (?:(.+) AND )?NOT EXISTS \(SELECT 1 FROM (\w+) WHERE uid = NEW\.(\w+)\) BEGIN/;
    const [, condition, target, column] = form.exec(sql) ?? [];
    if (!target || !column) throw unknownTrigger(trigger);
    const where = condition?.replaceAll("NEW.", "");
    const mayBeEmpty = where === `${column} <> ''`;
    return {
      table,
      column,
      target,
      ...(where ? { where } : {}),
      ...(mayBeEmpty ? { becomes: "''" } : {}),
    };
  });
}

const unknownTrigger = ({ name }: Trigger) =>
  refusedFailure(
    "TRIGGERS",
    `fsck does not know the form of the trigger ${name}. Run fsck from the checkout that created it.`,
  );
