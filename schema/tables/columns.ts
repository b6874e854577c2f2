import { type SQL, sql } from "drizzle-orm";
import { index, integer, type SQLiteColumn, text } from "drizzle-orm/sqlite-core";

/**
 * Group levels below an organization. A group uid has at most `1 + GROUP_LEVELS` steps, so a row
 * of a group has at most that many ancestors and a tag one more (its repo).
 */
export const GROUP_LEVELS = 4;

/** Text length of the ancestor at a depth: 40 hex characters, then 17 (`/` and 16 hex) a step. */
const lengthAt = (depth: number) => 40 + 17 * depth;

/** `self` makes a row its own ancestor at its own depth, for tables whose rows are groups. */
const ancestorAt = (depth: number, self: boolean): SQL =>
  sql.raw(
    `case when length("uid") ${self ? ">=" : ">"} ${lengthAt(depth)} then substr("uid", 1, ${lengthAt(depth)}) end`,
  );

const ancestor = (depth: number, self: boolean) =>
  text(`ancestor${depth}`).generatedAlwaysAs(ancestorAt(depth, self), { mode: "virtual" });

/**
 * The columns every resource has. `uid` is the row's path and primary key; `parent` is the path
 * without its last step (empty for a root-level row); `ancestorN` is the path cut at depth N, null
 * where the path is not that deep. Times are integers, milliseconds since 1970 UTC; `updateTime`
 * grows with every change of a row, so it also serves as the row's version.
 */
export const resourceColumns = ({ self = false } = {}) => ({
  uid: text("uid").primaryKey(),
  parent: text("parent")
    .notNull()
    .generatedAlwaysAs(
      sql.raw(`case when length("uid") > 40 then substr("uid", 1, length("uid") - 17) else '' end`),
      { mode: "virtual" },
    ),
  ancestor0: ancestor(0, self),
  ancestor1: ancestor(1, self),
  ancestor2: ancestor(2, self),
  ancestor3: ancestor(3, self),
  ancestor4: ancestor(4, self),
  ancestor5: ancestor(5, self),
  createTime: integer("create_time").notNull(),
  updateTime: integer("update_time").notNull(),
});

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
 * One index for each way a List walks a table: (ancestor at a depth, order column, uid), partial
 * so that a row stands only in the indexes of the ancestors it has, and (parent, order column,
 * uid). With `partition` (a column that most Lists fix) it stands between scope and order.
 */
export function listIndexes(
  table: string,
  columns: Ordered,
  options: {
    depths: number;
    orders: Record<string, SQLiteColumn>;
    partition?: SQLiteColumn;
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
  const orders = { created: columns.createTime, updated: columns.updateTime, ...options.orders };
  const walks = Object.entries(orders).map(([order, column]) => [order, [column, columns.uid]]);
  const byUid: [string, SQLiteColumn[]] = ["uid", [columns.uid]];
  const scoped = (partition.length > 0 ? [byUid, ...walks] : walks) as [string, SQLiteColumn[]][];
  const parented = [byUid, ...walks] as [string, SQLiteColumn[]][];
  return [
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
