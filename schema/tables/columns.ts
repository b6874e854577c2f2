import { type SQL, sql } from "drizzle-orm";
import { blob, index, integer, type SQLiteColumn, text } from "drizzle-orm/sqlite-core";

/**
 * The levels of groups below an organization. The uid of a group has at most `1 + GROUP_LEVELS` steps. A row
 * of a group therefore has at most that many ancestors, and a tag has one more, its repository.
 */
export const GROUP_LEVELS = 4;

/**
 * The length of the ancestor's uid at a depth: 40 hexadecimal digits, and 17 characters (`/` and 16 digits)
 * for each step.
 */
const lengthAt = (depth: number) => 40 + 17 * depth;

/**
 * The uid of the ancestor at a depth. `path` is the column with the path. With `self`, a row is its own
 * ancestor at its own depth. Use it for tables whose rows are groups.
 */
export const ancestorColumn = (depth: number, { self = false, path = "uid" } = {}) =>
  text(`ancestor${depth}`).generatedAlwaysAs(
    sql.raw(
      `case when length("${path}") ${self ? ">=" : ">"} ${lengthAt(depth)} then substr("${path}", 1, ${lengthAt(depth)}) end`,
    ),
    { mode: "virtual" },
  );

/**
 * The columns that follow from `uid`, the path of a row. `parent` is the path without its last step, and
 * empty for a root-level row. `ancestorN` is the path cut at depth N, and null if the path is shorter.
 */
export const pathColumns = ({ self = false } = {}) => ({
  parent: text("parent")
    .notNull()
    .generatedAlwaysAs(
      sql.raw(`case when length("uid") > 40 then substr("uid", 1, length("uid") - 17) else '' end`),
      { mode: "virtual" },
    ),
  ancestor0: ancestorColumn(0, { self }),
  ancestor1: ancestorColumn(1, { self }),
  ancestor2: ancestorColumn(2, { self }),
  ancestor3: ancestorColumn(3, { self }),
  ancestor4: ancestorColumn(4, { self }),
  ancestor5: ancestorColumn(5, { self }),
});

/**
 * The columns of every resource. `uid` is the path of the row and the primary key. Times are integers, in
 * milliseconds since 1970 in UTC. `updateTime` increases with every change of a row, so it is also the
 * version of the row.
 */
export const resourceColumns = (options?: { self?: boolean }) => ({
  uid: text("uid").primaryKey(),
  ...pathColumns(options),
  createTime: integer("create_time").notNull(),
  updateTime: integer("update_time").notNull(),
});

/** A day, in milliseconds. The use of identities and role bindings is recorded to the day, in UTC. */
export const DAY_MS = 24 * 3600 * 1000;

/**
 * The columns that record the use of a row. `lastUsedTime` is 0 for a row that was never used. Otherwise it is
 * the time of the first use on the last day (UTC) on which the row was used. `idleSinceTime` is the time since
 * when the row has certainly not been used: the end of that day, or `since` if it was never used.
 */
export const useColumns = (since: string) => ({
  lastUsedTime: integer("last_used_time").notNull().default(0),
  idleSinceTime: integer("idle_since_time")
    .notNull()
    .generatedAlwaysAs(
      sql.raw(
        `case when "last_used_time" = 0 then ${since} else ("last_used_time" / ${DAY_MS} + 1) * ${DAY_MS} end`,
      ),
      { mode: "virtual" },
    ),
});

/**
 * The ancestor of a row at a depth, as an index has it: the 8 bytes of its own step. Two ancestors can have the same
 * bytes, so a query also compares the whole uid.
 */
const keyColumn = (depth: number) =>
  blob(`key${depth}`, { mode: "buffer" }).generatedAlwaysAs(
    sql.raw(
      `case when length("uid") > ${lengthAt(depth)} then unhex(substr("uid", ${lengthAt(depth) - 15}, 16)) end`,
    ),
    { mode: "virtual" },
  );

/** The columns of {@link compactListIndexes}. `keyN` belongs to `ancestorN`, and `step` to the row itself. */
export const keyColumns = () => ({
  step: blob("step", { mode: "buffer" })
    .notNull()
    .generatedAlwaysAs(sql.raw(`unhex(substr("uid", -16))`), { mode: "virtual" }),
  key0: keyColumn(0),
  key1: keyColumn(1),
  key2: keyColumn(2),
  key3: keyColumn(3),
  key4: keyColumn(4),
  key5: keyColumn(5),
});

/** The columns of a table with {@link compactListIndexes}. */
export type KeyColumns = Record<
  "step" | "key0" | "key1" | "key2" | "key3" | "key4" | "key5",
  SQLiteColumn
>;

export const keysOf = ({ key0, key1, key2, key3, key4, key5 }: KeyColumns): SQLiteColumn[] => [
  ...[key0, key1, key2, key3, key4, key5],
];

/**
 * The indexes of a table with many rows: (key of the ancestor, partition, order, step). Rows with the same value are in
 * the order of their steps, which are random and 64 bits long, so no two rows share one. One index has the rows of each
 * partition by uid, for every scope: a scope is a range of uids.
 */
export function compactListIndexes(
  table: string,
  columns: KeyColumns & { uid: SQLiteColumn },
  {
    depths,
    partition,
    orders,
  }: { depths: number; partition: SQLiteColumn; orders: Record<string, SQLiteColumn | SQL> },
) {
  return [
    index(`${table}_by_uid`).on(partition, columns.uid),
    ...keysOf(columns)
      .slice(0, depths)
      .flatMap((key, depth) =>
        Object.entries(orders).map(([order, column]) =>
          index(`${table}_${depth}_by_${order}`)
            .on(key, partition, column as SQLiteColumn, columns.step)
            .where(sql`${sql.identifier(key.name)} is not null`),
        ),
      ),
  ];
}

type Ordered = Record<
  | "uid"
  | "parent"
  | "createTime"
  | "updateTime"
  | "ancestor0"
  | "ancestor1"
  | "ancestor2"
  | "ancestor3"
  | "ancestor4"
  | "ancestor5",
  SQLiteColumn
>;

/**
 * One index for each way that a List reads a table: (ancestor at a depth, order column, uid) and (parent,
 * order column, uid). The first kind is partial, so that a row is only in the indexes of its own ancestors.
 * `partition`, a column that most Lists fix, comes between the scope and the order.
 */
export function listIndexes(
  table: string,
  columns: Ordered,
  options: {
    depths: number;
    orders: Record<string, SQLiteColumn | SQL>;
    partition?: SQLiteColumn;
    /** Orders by columns that can be null. Their indexes contain only the rows that have a value. */
    sparse?: Record<string, SQLiteColumn>;
    /** Whether a List also sorts by the two times of a row, which is the default. */
    times?: boolean;
  },
) {
  const partition = options.partition ? [options.partition] : [];
  const scopes = [
    columns.ancestor0,
    columns.ancestor1,
    columns.ancestor2,
    columns.ancestor3,
    columns.ancestor4,
    columns.ancestor5,
  ].slice(0, options.depths);
  const times = { created: columns.createTime, updated: columns.updateTime };
  const orders = { ...(options.times === false ? {} : times), ...options.orders };
  const walks = Object.entries(orders).map(([order, column]) => [order, [column, columns.uid]]);
  const byUid: [string, SQLiteColumn[]] = ["uid", [columns.uid]];
  const scoped = (partition.length > 0 ? [byUid, ...walks] : walks) as [string, SQLiteColumn[]][];
  const parented = [byUid, ...walks] as [string, SQLiteColumn[]][];
  const sparse = Object.entries(options.sparse ?? {});
  return [
    ...sparse.flatMap(([order, column]) => [
      ...scopes.map((scope, depth) =>
        index(`${table}_${depth}_by_${order}`)
          .on(scope, column, columns.uid)
          .where(
            sql`${sql.identifier(scope.name)} is not null and ${sql.identifier(column.name)} is not null`,
          ),
      ),
      index(`${table}_children_by_${order}`)
        .on(columns.parent, column, columns.uid)
        .where(sql`${sql.identifier(column.name)} is not null`),
    ]),
    ...scopes.flatMap((scope, depth) =>
      scoped.map(([order, keys]) =>
        index(`${table}_${depth}_by_${order}`)
          .on(scope, ...partition, ...(keys as [SQLiteColumn]))
          .where(sql`${sql.identifier(scope.name)} is not null`),
      ),
    ),
    ...parented.map(([order, keys]) =>
      index(`${table}_children_by_${order}`).on(
        columns.parent,
        ...partition,
        ...(keys as [SQLiteColumn]),
      ),
    ),
  ];
}
