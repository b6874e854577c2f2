/**
 * Writes the triggers that a table file declares: `export const triggers = () => [countRows(repos), …]`. It
 * is a function, so that no Worker contains the triggers. `npm run migration` writes the triggers that the
 * migrations lack, and `npm run check` compares the two.
 */
import { getTableName } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { beginTotal, checkGrowth, isDivided, refuseFirst } from "./quota_check.ts";

/** A trigger of the database. `sql` is its CREATE statement, without the semicolon at the end. */
export type Trigger = { name: string; table: string; sql: string };

/** A view of the database (schema/views). `sql` is its CREATE statement, without the semicolon at the end. */
export type View = { name: string; sql: string };

/** Keeps a row of `table` from being deleted while `condition`, written with OLD, holds. */
export type Restriction = { keeps: string; noun: string; column: string; condition: string };

/** The path of a row has 40 characters, and 17 more for each step (schema/tables/columns.ts). */
const below = "substr(NEW.uid, 1, length(NEW.uid) - 17)";

const abort = (reason: string) => `SELECT RAISE(ABORT, '${reason}');`;

/**
 * The time when a trigger runs. `on` is BEFORE or AFTER and an event, and `when` is a condition with NEW and
 * OLD.
 */
type Event = { on: string; when?: string };

/** A trigger with its own body: statements that end with a semicolon. */
export function trigger(
  table: SQLiteTable,
  suffix: string,
  { on, when }: Event,
  ...statements: string[]
): Trigger[] {
  const rows = getTableName(table);
  const name = `${rows}_${suffix}`;
  const body = statements.map((statement) => `\t${statement}\n`).join("");
  const sql = `CREATE TRIGGER ${name} ${on} ON ${rows}${when ? ` WHEN ${when}` : ""} BEGIN\n${body}END`;
  return [{ name, table: rows, sql }];
}

/** A trigger that undoes the whole batch. Its error contains the reason. */
export const refuse = (table: SQLiteTable, suffix: string, event: Event, reason: string) =>
  trigger(table, suffix, event, abort(reason));

/** SQL: whether OLD is left of a deleted parent (schema/tables/platform/deletions.ts). */
export const isOfDeleted = "EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.parent)";

type Counting = {
  /** The column that divides the counts of the table. Without one, all rows have the class 0. */
  class?: SQLiteColumn;
  /** The column that `class` is generated from, if it can change. */
  classChangesWith?: SQLiteColumn;
  /** Rows without a parent are counted as children of an empty text. */
  roots?: boolean;
  /** A row has the uid of its parent. */
  self?: boolean;
  /** Rows can be left of a deleted parent, and do not count any more. */
  mayBeLeft?: boolean;
};

/**
 * Counts the rows of a table in `counts`, in the transaction of the change. A row counts once for each of its
 * ancestors, and as a child of its parent.
 */
export function countRows(table: SQLiteTable, counting: Counting = {}): Trigger[] {
  const name = getTableName(table);
  const { class: classColumn, classChangesWith: source, mayBeLeft } = counting;
  const root = 'substr(NEW."uid", 1, 40)';
  // A root-level row, such as an organization or a person, is in no organization.
  const isBelow = counting.roots ? `iif(length(NEW."uid") > 40, ${root}, '')` : root;
  const triggers = [
    ...trigger(
      table,
      "count_insert",
      { on: "AFTER INSERT" },
      ...(isDivided(name)
        ? [beginTotal(isBelow, name, classColumn ? `NEW."${classColumn.name}"` : "0")]
        : []),
      counted(name, "NEW", counting, true),
      ...(isDivided(name) ? [] : [refuseFirst(isBelow, name)]),
    ),
    ...trigger(
      table,
      "count_delete",
      { on: "AFTER DELETE", ...(mayBeLeft ? { when: `NOT ${isOfDeleted}` } : {}) },
      counted(name, "OLD", counting, false),
    ),
  ];
  if (!classColumn || !source) return triggers;
  const event = {
    on: `AFTER UPDATE OF ${source.name}`,
    when: `OLD."${classColumn.name}" <> NEW."${classColumn.name}"`,
  };
  const moved = (["OLD", "NEW"] as const).map((row) =>
    counted(name, row, { class: classColumn }, false),
  );
  return [...triggers, ...trigger(table, "count_rename", event, ...moved)];
}

/** `isNew` says that the row did not exist before, under another class. Its organization may then be at its quota. */
function counted(table: string, row: "NEW" | "OLD", counting: Counting, isNew: boolean): string {
  const uid = counting.self ? `(${row}."uid" || '/0000000000000000')` : `${row}."uid"`;
  const isRoot = `length(${uid}) = 40`;
  const ancestor = `substr(${uid}, 1, 40 + 17 * step.value)`;
  const isParent = `length(${uid}) = 57 + 17 * step.value`;
  const isBelow = `length(${uid}) > 40 + 17 * step.value`;
  const { roots } = counting;
  const n = row === "NEW" ? "1" : "-1";
  return `INSERT INTO counts (ancestor, kind, class, children, descendants)
	SELECT
		${roots ? `CASE WHEN ${isRoot} THEN '' ELSE ${ancestor} END` : ancestor},
		'${table}',
		${counting.class ? `${row}."${counting.class.name}"` : "0"},
		iif(${roots ? `${isRoot} OR ${isParent}` : isParent}, ${n}, 0),
		${n}
	FROM json_each('[0,1,2,3,4,5]') AS step
	WHERE ${roots ? `${isBelow} OR (step.value = 0 AND ${isRoot})` : isBelow}
	ON CONFLICT (ancestor, kind, class) DO UPDATE SET
		children = children + excluded.children,
		descendants = descendants + excluded.descendants${isNew ? `,\n\t\t${checkGrowth(table, "excluded.descendants")}` : ""};`;
}

/**
 * Adds up a number of an organization that does not count the rows of a table with paths, such as bytes of documents. The
 * kind is the name of the total in `counts`.
 */
type Summing = {
  kind: string;
  /** SQL: the uid of the organization of a row. By default its `uid` begins with it. */
  root?: (row: "NEW" | "OLD") => string;
  /** SQL: what the row adds. A row that adds nothing writes nothing. */
  amount: (row: "NEW" | "OLD") => string;
  /** The columns that the amount follows from, if they can change. */
  columns?: SQLiteColumn[];
};

/** Keeps a total of organizations in `counts`, in the transaction of the change. */
export function sumRows(
  table: SQLiteTable,
  { kind, root = (row) => `substr(${row}.uid, 1, 40)`, amount, columns = [] }: Summing,
): Trigger[] {
  const [added, removed] = [amount("NEW"), amount("OLD")];
  const isTotal = (row: "NEW" | "OLD") =>
    `ancestor = ${root(row)} AND kind = '${kind}' AND class = 0`;
  const add = (n: string) =>
    `UPDATE counts SET descendants = descendants + ${n}, ${checkGrowth(kind, n)}\n\t\tWHERE ${isTotal("NEW")};`;
  const take = (n: string) =>
    `UPDATE counts SET descendants = descendants - ${n} WHERE ${isTotal("OLD")};`;
  const unlessNothing = (n: string) => (columns.length === 0 ? {} : { when: `${n} > 0` });
  const on = `AFTER UPDATE OF ${columns.map(({ name }) => name).join(", ")}`;
  const [growth, shrinkage] = [`(${added} - ${removed})`, `(${removed} - ${added})`];
  return [
    ...trigger(
      table,
      "sum_insert",
      { on: "AFTER INSERT", ...unlessNothing(added) },
      beginTotal(root("NEW"), kind, "0"),
      add(added),
    ),
    ...(columns.length === 0
      ? []
      : [
          ...trigger(
            table,
            "sum_growth",
            { on, when: `${growth} > 0` },
            beginTotal(root("NEW"), kind, "0"),
            add(growth),
          ),
          ...trigger(table, "sum_shrinkage", { on, when: `${growth} < 0` }, take(shrinkage)),
        ]),
    ...trigger(
      table,
      "sum_delete",
      { on: "AFTER DELETE", ...unlessNothing(removed) },
      take(removed),
    ),
  ];
}

/** The kind of the bytes that documents take, as they are stored. */
export const DOCUMENT_BYTES = "document_bytes";

/**
 * Adds up the bytes of some columns of a table whose rows have paths, above a number of bytes that the quota of the rows
 * accounts for.
 */
export const sumLongBytes = (
  table: SQLiteTable,
  usual: number,
  ...columns: SQLiteColumn[]
): Trigger[] =>
  sumRows(table, {
    kind: DOCUMENT_BYTES,
    amount: (row) =>
      `max(0, ${columns.map(({ name }) => `ifnull(octet_length(${row}.${name}), 0)`).join(" + ")} - ${usual})`,
    columns,
  });

/** Adds up the stored bytes of some columns of a table whose rows have paths. */
export const sumBytes = (table: SQLiteTable, ...columns: SQLiteColumn[]): Trigger[] =>
  sumRows(table, {
    kind: DOCUMENT_BYTES,
    amount: (row) => `(${columns.map(({ name }) => `octet_length(${row}.${name})`).join(" + ")})`,
    columns,
  });

/**
 * A row can only be written below an existing parent, even if another call deletes the parent in between.
 * With `roots` it can have no parent. With `self` it has the uid of its parent. With several tables, the parent is in one
 * of them.
 */
export function requireParent(
  table: SQLiteTable,
  parents: SQLiteTable | SQLiteTable[],
  { roots = false, self = false } = {},
): Trigger[] {
  const uid = self ? "NEW.uid" : below;
  const isMissing = [parents]
    .flat()
    .map((each) => `NOT EXISTS (SELECT 1 FROM ${getTableName(each)} WHERE uid = ${uid})`);
  const when = `${roots ? "length(NEW.uid) > 40 AND " : ""}${isMissing.join(" AND ")}`;
  return refuse(table, "require_parent", { on: "BEFORE INSERT", when }, "parent is gone");
}

type Referring = {
  /** SQL that says which values refer to a row. By default all of them do. */
  where?: (column: string) => string;
  /** Updates write the column too. */
  mayChange?: boolean;
  /**
   * A row that others refer to cannot be deleted. The text is a condition with OLD that finds them, if no index has the
   * column alone.
   */
  restrict?: boolean | string;
};

/** For {@link requireRow}: an empty text refers to nothing. */
export const unlessEmpty = (column: string) => `${column} <> ''`;

/**
 * For {@link requireRow}: the uid of a person, which has only one step, follows from their issuer and
 * subject. A row can therefore refer to a person before their first login. Identities of groups must exist
 * first.
 */
export const unlessPerson = (column: string) => `length(${column}) > 40`;

/**
 * Refuses a value in a column that refers to a row by its uid while there is no such row. The error contains
 * `noun`. src/outbox/commit.ts reads "stale write" and runs the call again. `platformctl fsck` looks for
 * values that refer to nothing.
 */
export function requireRow(
  column: SQLiteColumn,
  target: SQLiteTable,
  noun: string,
  { where, mayChange = false, restrict = false }: Referring = {},
): (Trigger | Restriction)[] {
  const { name, table } = column;
  const rows = getTableName(target);
  const gone = `${where ? `${where(`NEW.${name}`)} AND ` : ""}NOT EXISTS (SELECT 1 FROM ${rows} WHERE uid = NEW.${name})`;
  const reason = `stale write: the ${noun} is gone`;
  const changed = {
    on: `BEFORE UPDATE OF ${name}`,
    when: `NEW.${name} <> OLD.${name} AND ${gone}`,
  };
  const named = `${name} = OLD.uid${where ? ` AND ${where(name)}` : ""}`;
  const all = `EXISTS (SELECT 1 FROM ${getTableName(table)} WHERE ${named})`;
  const condition = typeof restrict === "string" ? restrict : all;
  return [
    ...refuse(table, `require_${noun}`, { on: "BEFORE INSERT", when: gone }, reason),
    ...(mayChange ? refuse(table, `keep_${noun}`, changed, reason) : []),
    ...(restrict ? [{ keeps: rows, noun, column: name, condition }] : []),
  ];
}

/** One trigger for each table whose rows others keep from being deleted. */
export function keepUsed(restrictions: Restriction[]): Trigger[] {
  // Any order would work. This one matches the migrations.
  const key = ({ column, condition }: Restriction) => `${column} ${condition}`;
  const sorted = restrictions.toSorted((a, b) => (key(a) < key(b) ? 1 : -1));
  return Object.entries(Object.groupBy(sorted, ({ keeps }) => keeps)).map(([table, all = []]) => {
    const name = `${table}_keep_used`;
    const when = all.map(({ condition }) => condition).join(" OR ");
    const body = abort(`stale write: the ${all[0]?.noun} is in use`);
    const sql = `CREATE TRIGGER ${name} BEFORE DELETE ON ${table} WHEN ${when} BEGIN\n\t${body}\nEND`;
    return { name, table, sql };
  });
}
