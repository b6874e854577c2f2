import { sql } from "drizzle-orm";
import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { resourceColumns } from "../columns.ts";
import { groups } from "../iam/groups.ts";
import { leafIndexes, leafKeys } from "../list_indexes.ts";
import { countRows, requireParent } from "../triggers.ts";
import { repos } from "./repos.ts";

const patterns = (name: string) =>
  text(name, { mode: "json" }).$type<string[]>().notNull().default([]);

/** The rules for daily plans. A query must contain exactly this expression. */
export const isDaily = sql.raw(`"expire" ->> '$.daily'`);

/** Rules about tags. The parent is a group or a repository. */
export const tagRules = sqliteTable(
  "tag_rules",
  {
    ...resourceColumns(),
    ...leafKeys(),
    name: text("name").notNull(),
    description: text("description").notNull().default(""),
    includeRepos: patterns("include_repos"),
    excludeRepos: patterns("exclude_repos"),
    includeTags: patterns("include_tags"),
    excludeTags: patterns("exclude_tags"),
    /** The JSON of a platform.registry.v2.KeepRule. Null for another kind. */
    keep: text("keep", { mode: "json" }),
    /** The JSON of a platform.registry.v2.ServeRule. Null for another kind. */
    serve: text("serve", { mode: "json" }),
    /** The JSON of a platform.registry.v2.ExpireRule. Null for another kind. */
    expire: text("expire", { mode: "json" }),
  },
  (t) => [
    ...leafIndexes("tag_rules", t, {
      orders: { created: t.createTime, updated: t.updateTime, name: t.name },
      isNested: true,
    }),
    uniqueIndex("tag_rules_siblings").on(t.parent, t.name),
    index("tag_rules_daily").on(t.parent).where(isDaily),
  ],
);

/** The moves of tags that were made although a rule refused them. The migration creates the table WITHOUT ROWID. */
export const tagOverrides = sqliteTable(
  "tag_overrides",
  {
    repoUid: text("repo_uid").notNull(),
    tag: text("tag").notNull(),
    /** That of the record in the history. */
    updateTime: integer("update_time").notNull(),
    /** The name of the rule. */
    rule: text("rule").notNull(),
    reason: text("reason").notNull(),
  },
  (t) => [primaryKey({ columns: [t.repoUid, t.tag, t.updateTime] })],
);

export const triggers = () => [countRows(tagRules), requireParent(tagRules, [groups, repos])];
