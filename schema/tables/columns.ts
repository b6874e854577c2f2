import { sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";

/**
 * The levels of groups below an organization. The uid of a group has at most `1 + GROUP_LEVELS` steps. A row
 * of a group therefore has at most that many ancestors, and a tag has one more, its repository.
 */
export const GROUP_LEVELS = 4;

/**
 * The length of the ancestor's uid at a depth: 40 hexadecimal digits, and 17 characters (`/` and 16 digits)
 * for each step.
 */
export const lengthAt = (depth: number) => 40 + 17 * depth;

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
