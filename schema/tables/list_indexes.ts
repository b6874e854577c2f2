/**
 * The indexes that Lists read (src/paging), and the columns that they consist of. Their entries are
 * short: an ancestor is a few bytes of its own step. Rows with the same value are in the order of their steps.
 */
import { getTableColumns, type SQL, sql } from "drizzle-orm";
import {
  blob,
  index,
  type SQLiteColumn,
  type SQLiteTable,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { lengthAt } from "./columns.ts";
import { TagClass } from "./registry/tag_class.ts";

/** The digits of the key of an ancestor, which has half as many bytes. */
const keyDigits = 10;

/** The key of an ancestor with this uid: the first bytes of its last step. */
export const ancestorKeyOf = (uid: string): SQL =>
  sql`unhex(${uid.slice(-16).slice(0, keyDigits)})`;

/** The key of a parent with this uid, which has 8 bytes. It is empty for the rows at root level. */
export const parentKeyOf = (uid: string): SQL => sql`unhex(${uid.slice(-16)})`;

/** A uid as hexadecimal digits, which sort in the same order. `unhex` makes a path of them. */
export const hexOf = (uid: string): string => uid.replaceAll("/", "");

/**
 * The hexadecimal number after a number, with as many digits. After the last one it is the last one with more digits.
 */
export function nextHex(hex: string): string {
  const next = (BigInt(`0x${hex}`) + 1n).toString(16).padStart(hex.length, "0");
  return next.length > hex.length ? "f".repeat(hex.length + 2) : next;
}

/** The condition that a path is below a uid. None is below another text. */
export const isPathBelow = (path: SQL | SQLiteColumn, uid: string): SQL =>
  /^[0-9a-f]+$/.test(hexOf(uid))
    ? sql`${path} > unhex(${hexOf(uid)}) and ${path} < unhex(${nextHex(hexOf(uid))})`
    : sql`false`;

/** SQL: {@link ancestorKeyOf} of an expression. */
export const ancestorKeySql = (uid: SQL): SQL =>
  sql`unhex(substr(${uid}, -16, ${sql.raw(String(keyDigits))}))`;

/** SQL: {@link parentKeyOf} of an expression. */
export const parentKeySql = (uid: SQL | SQLiteColumn | string): SQL =>
  sql`unhex(substr(${uid}, -16))`;

/** SQL: the key of the organization of a uid. `uid` is SQL or a uid. */
export const rootKeySql = (uid: SQL | SQLiteColumn | string): SQL =>
  sql`unhex(substr(${uid}, 25, ${sql.raw(String(keyDigits))}))`;

/** The key of the ancestor at a depth, for a row whose path is longer than `length`. */
const ancestorBytes = (name: string, depth: number, path: string, length: number) =>
  blob(name, { mode: "buffer" }).generatedAlwaysAs(
    sql.raw(
      `case when length(${path}) > ${length} then unhex(substr(${path}, ${lengthAt(depth) - 15}, ${keyDigits})) end`,
    ),
    { mode: "virtual" },
  );

/** The whole uid for a row at root level. */
const stepColumn = () =>
  blob("step", { mode: "buffer" }).generatedAlwaysAs(
    sql.raw(`unhex(case when length("uid") = 40 then "uid" else substr("uid", -16) end)`),
    { mode: "virtual" },
  );

const parentBytes = (path: string) =>
  blob("parent_key", { mode: "buffer" }).generatedAlwaysAs(
    sql.raw(`case when length(${path}) > 40 then unhex(substr(${path}, -33, 16)) else x'' end`),
    { mode: "virtual" },
  );

/** The uid with a step that is not read, for rows with the uid of their parent. */
const stepBelow = `("uid" || '/0000000000000000')`;

/**
 * The columns of {@link groupIndexes}, for rows whose parents are groups. `aboveN` is the ancestor at depth N if it is
 * above the parent. `step` is the last step of the row itself. With `self`, a row has the uid of its parent.
 *
 * A key is the 5 bytes at the beginning of a step, and `parentKey` and `step` have all 8. Steps are random, but two can
 * begin with the same bytes, so a query also compares the whole uid.
 */
export function groupKeys({ self = false } = {}) {
  const path = self ? stepBelow : `"uid"`;
  const above = (depth: number) => ancestorBytes(`above${depth}`, depth, path, lengthAt(depth + 1));
  return {
    step: stepColumn(),
    parentKey: parentBytes(path),
    above0: above(0),
    above1: above(1),
    above2: above(2),
    above3: above(3),
  };
}

/** The same for rows whose parents can also be repositories, which are one level below the deepest groups. */
export const deepGroupKeys = () => ({
  ...groupKeys(),
  above4: ancestorBytes("above4", 4, `"uid"`, lengthAt(5)),
});

/**
 * The columns of {@link leafIndexes}, for rows whose parents contain nothing else, such as the tags of a repository.
 * `keyN` is the ancestor at depth N, which can be the parent. See {@link groupKeys}.
 */
export function leafKeys() {
  const key = (depth: number) => ancestorBytes(`key${depth}`, depth, `"uid"`, lengthAt(depth));
  return {
    step: stepColumn(),
    /** The uid as bytes, which sort in the same order. */
    path: blob("path", { mode: "buffer" }).generatedAlwaysAs(
      sql.raw(`unhex(replace("uid", '/', ''))`),
      { mode: "virtual" },
    ),
    parentKey: parentBytes(`"uid"`),
    key0: key(0),
    key1: key(1),
    key2: key(2),
    key3: key(3),
    key4: key(4),
    key5: key(5),
  };
}

type Columns<Names extends string> = Record<Names, SQLiteColumn>;

type Above = Columns<"above0" | "above1" | "above2" | "above3"> & Partial<Columns<"above4">>;

/** A table with the columns of {@link groupKeys} or {@link deepGroupKeys}. */
export type GroupKeyed = Columns<
  | "uid"
  | "parent"
  | "step"
  | "parentKey"
  | "createTime"
  | "updateTime"
  | "above0"
  | "above1"
  | "above2"
  | "above3"
> &
  Partial<Columns<"above4">>;

/** A table with the columns of {@link leafKeys}. */
export type LeafKeyed = Columns<
  "uid" | "step" | "path" | "parentKey" | "key0" | "key1" | "key2" | "key3" | "key4" | "key5"
>;

/** The values of the partition of a table without an index of uids: tags are the only one. */
const partitions = sql.raw(`(${Object.values(TagClass).join(", ")})`);

/** A path from a uid, which is SQL or a text. */
const pathSql = (uid: SQL | SQLiteColumn | string): SQL =>
  typeof uid === "string" ? sql`unhex(${hexOf(uid)})` : sql`unhex(replace(${uid}, '/', ''))`;

/** The columns that find a row in a table whose uids have no index: the index by uid begins with the partition. */
const partitionedPath = (table: SQLiteTable & Columns<"uid">) => {
  const { path, class: partition } = getTableColumns(table) as Partial<Columns<"path" | "class">>;
  return table.uid.primary || !path || !partition ? undefined : { path, partition };
};

/** The condition that a row has a uid, which is SQL or a text. */
export function hasUid(table: SQLiteTable & Columns<"uid">, uid: SQL | SQLiteColumn | string): SQL {
  const columns = partitionedPath(table);
  const isSame = sql`${table.uid} = ${uid}`;
  return columns
    ? sql`${columns.partition} in ${partitions} and ${columns.path} = ${pathSql(uid)} and ${isSame}`
    : isSame;
}

/** The condition that a row has one of these uids. */
export function hasUidOf(table: SQLiteTable & Columns<"uid">, uids: string[]): SQL {
  const columns = partitionedPath(table);
  const uidsJson = JSON.stringify(uids);
  const isSame = sql`${table.uid} in (select value from json_each(${uidsJson}))`;
  return columns
    ? sql`${columns.partition} in ${partitions}
        and ${columns.path} in (select ${pathSql(sql`value`)} from json_each(${uidsJson})) and ${isSame}`
    : isSame;
}

/** The columns by depth. */
export const aboveOf = ({ above0, above1, above2, above3, above4 }: Above): SQLiteColumn[] => [
  above0,
  above1,
  above2,
  above3,
  ...(above4 ? [above4] : []),
];
export const keysOf = ({ key0, key1, key2, key3, key4, key5 }: LeafKeyed): SQLiteColumn[] => [
  key0,
  key1,
  key2,
  key3,
  key4,
  key5,
];

/** The columns that only indexes need, which no select returns. */
const onlyIndexed = /^(ancestor|above|key)\d$|^(step|path|parentKey|digestKey)$/;

type OnlyIndexed =
  | `${"ancestor" | "above" | "key"}${0 | 1 | 2 | 3 | 4 | 5}`
  | "step"
  | "path"
  | "parentKey"
  | "digestKey";

/** A row of a table without those columns. */
export type RowOf<Table extends SQLiteTable> = Omit<Table["$inferSelect"], OnlyIndexed>;

/** The columns of a table without those that only indexes need. */
export function rowColumns<Table extends SQLiteTable>(table: Table) {
  const columns = Object.entries(getTableColumns(table));
  return Object.fromEntries(columns.filter(([name]) => !onlyIndexed.test(name))) as Omit<
    Table["_"]["columns"],
    OnlyIndexed
  >;
}

interface IndexOptions {
  /** The columns that a List sorts by, each with its name in the names of the indexes. */
  orders: Record<string, SQLiteColumn | SQL>;
  /** Orders by columns that can be null. Their indexes contain only the rows that have a value. */
  sparse?: Record<string, SQLiteColumn>;
  /** A column that most Lists fix. It comes between the scope and the order. */
  partition?: SQLiteColumn;
  /** The rows that the indexes contain. By default all. */
  where?: SQL;
  /**
   * Whether the index by uid is the only one that finds a row by its uid. It then refuses a second
   * row of the same partition with that uid.
   */
  isPathUnique?: boolean;
  /**
   * The order that the unique index of the siblings (parent, value) has. Children in this order have no other index,
   * because no two of them have the same value.
   */
  siblings?: string;
  /** Whether the parents of {@link leafIndexes} have other parents below them. Their children are then indexed too. */
  isNested?: boolean;
}

/** One index for each order of a scope: (scope, partition, order, step). */
const orderIndexes = (
  name: string,
  scope: SQLiteColumn,
  { step }: { step: SQLiteColumn },
  { orders, sparse = {}, partition, where }: IndexOptions,
) => {
  const conditions = where ? [where] : [];
  const isPresent = (column: SQLiteColumn) =>
    column.name === "parent_key" ? [] : [sql`${sql.identifier(column.name)} is not null`];
  const orderIndex = (order: string, column: SQLiteColumn | SQL, more: SQL[]) => {
    const keys = [...(partition ? [partition] : []), column, step] as SQLiteColumn[];
    const made = index(`${name}_by_${order}`).on(scope, ...keys);
    const all = [...isPresent(scope), ...more, ...conditions];
    return all.length > 0 ? made.where(sql.join(all, sql` and `)) : made;
  };
  return [
    ...Object.entries(orders).map(([order, column]) => orderIndex(order, column, [])),
    ...Object.entries(sparse).map(([order, column]) =>
      orderIndex(order, column, isPresent(column)),
    ),
  ];
};

/**
 * The indexes that Lists of a table with {@link groupKeys} read. Each order has an index (parent, order, step), and one
 * for each ancestor above the parent (ancestor, order, step). No two rows share a step. The rows below a group are its
 * children and those further below, so a page merges two indexes. The order by uid below a group is a range of uids.
 */
export function groupIndexes(
  table: string,
  columns: GroupKeyed,
  { orders = {}, siblings, ...options }: Partial<IndexOptions> = {},
) {
  const times = { created: columns.createTime, updated: columns.updateTime };
  const all = { ...options, orders: { ...times, ...orders } };
  const others = Object.entries(all.orders).filter(([order]) => order !== siblings);
  const ofChildren = { ...all, orders: Object.fromEntries(others) };
  return [
    index(`${table}_children_by_uid`).on(columns.parent, columns.uid),
    ...orderIndexes(`${table}_of_parent`, columns.parentKey, columns, ofChildren),
    ...aboveOf(columns).flatMap((scope, depth) =>
      orderIndexes(`${table}_above${depth}`, scope, columns, all),
    ),
  ];
}

function byUid(
  table: string,
  partition: SQLiteColumn,
  path: SQLiteColumn,
  { where, isPathUnique = false }: IndexOptions,
) {
  const made = (isPathUnique ? uniqueIndex : index)(`${table}_by_path`).on(partition, path);
  return where ? made.where(where) : made;
}

/**
 * The indexes that Lists of a table with {@link leafKeys} read: (ancestor, partition, order, step) for each ancestor.
 * The order by uid is a range of uids, in the primary key or in the index (partition, path).
 */
export const leafIndexes = (table: string, columns: LeafKeyed, options: IndexOptions) => [
  ...(options.partition && !options.isNested
    ? [byUid(table, options.partition, columns.path, options)]
    : []),
  ...(options.isNested
    ? orderIndexes(`${table}_of_parent`, columns.parentKey, columns, options)
    : []),
  ...keysOf(columns).flatMap((scope, depth) =>
    orderIndexes(`${table}_key${depth}`, scope, columns, options),
  ),
];
