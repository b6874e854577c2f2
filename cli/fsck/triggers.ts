/**
 * What the database's own triggers say of its tables: which are counted, what each row's parent is, and which
 * columns name rows of others. schema/tables/triggers.ts gives them their form. So a new resource is checked as
 * soon as a migration makes its triggers, and an older database is checked for what it has.
 */
import { refusedFailure } from "../failure.ts";
import type { CheckedDatabase } from "./check.ts";

export type Trigger = { name: string; table: string; sql: string };

/** A table whose rows are counted in `counts`. */
export type CountedTable = {
  table: string;
  /** The column that parts the counts of a table; undefined: they have the class 0. */
  classColumn?: string;
  /** Rows without a parent are counted as children of ''. */
  hasRoots: boolean;
};

/** A table whose rows need a parent. */
export type ParentedTable = { table: string; parents: string; mayBeRoot: boolean };

/** A column that names a row of another table by its uid. */
export type Reference = {
  table: string;
  column: string;
  target: string;
  /** Which rows name one, in SQL; all of them unless it is said. */
  where?: string;
  /** What the column becomes where nothing has the uid. Unless it is said the row goes. */
  becomes?: string;
};

/** Every trigger that the database has. */
export async function readTriggers(store: CheckedDatabase): Promise<Trigger[]> {
  const sql = `SELECT name, tbl_name AS "table", sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name`;
  const [triggers = []] = await store.query([sql]);
  return triggers as Trigger[];
}

/** The tables whose inserts are counted. Throws a Failure where a trigger counts in another way. */
export function countedTables(triggers: Trigger[]): CountedTable[] {
  const counting = triggers.filter(({ sql }) => {
    return /\bAFTER INSERT\b/.test(sql) && /\bINTO counts\b/.test(sql);
  });
  return counting.map((trigger) => {
    const [, kind, one] =
      /\bSELECT\b[\s\S]*?,\s*'(\w+)',\s*(0|NEW\."\w+"),/.exec(trigger.sql) ?? [];
    if (kind !== trigger.table || !one) throw unknownTrigger(trigger);
    const hasRoots = /THEN '' ELSE/.test(trigger.sql);
    const [, classColumn] = /^NEW\."(\w+)"$/.exec(one) ?? [];
    return { table: kind, hasRoots, ...(classColumn ? { classColumn } : {}) };
  });
}

/** The tables whose inserts need a parent, those of parents before those of their children. */
export function parentedTables(triggers: Trigger[]): ParentedTable[] {
  const guards = triggers.filter(({ name }) => name.endsWith("_require_parent"));
  const left = guards.map((trigger): ParentedTable => {
    const [, parents] = /SELECT 1 FROM (\w+) WHERE uid = /.exec(trigger.sql) ?? [];
    if (!parents) throw unknownTrigger(trigger);
    const mayBeRoot = /length\(NEW\.uid\) > 40 AND NOT EXISTS/.test(trigger.sql);
    return { table: trigger.table, parents, mayBeRoot };
  });
  const depthOf = ({ table, parents }: ParentedTable): number => {
    const above = left.find((one) => one.table === parents);
    return above && parents !== table ? 1 + depthOf(above) : 0;
  };
  return left.sort((a, b) => depthOf(a) - depthOf(b));
}

/** The columns whose values have to name a row. What may be empty is emptied where they do not. */
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
      ...{ table, column, target },
      ...(where ? { where } : {}),
      ...(mayBeEmpty ? { becomes: "''" } : {}),
    };
  });
}

const unknownTrigger = ({ name }: Trigger) =>
  refusedFailure(
    "TRIGGERS",
    `The trigger ${name} has a form that fsck does not know. Use fsck of the checkout that made it.`,
  );
