import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { compactListIndexes, GROUP_LEVELS, keyColumns, resourceColumns } from "../columns.ts";
import { countRows, requireParent } from "../triggers.ts";
import { repos } from "./repos.ts";

/**
 * The class of a tag, which follows from its name. A List shows only `plain` tags unless it asks for others.
 * A tag has one class, the first that matches: referrer (`sha256-…`), date (`…-20yymmdd`), epoch (`…-rN`).
 */
export const TagClass = { plain: 0, referrer: 1, date: 2, epoch: 3 } as const;

const classOfName = `case
  when "name" glob 'sha256-*' then ${TagClass.referrer}
  when "name" glob '*-20[0-9][0-9][0-9][0-9][0-9][0-9]' then ${TagClass.date}
  when "name" glob '*[0-9]' and rtrim("name", '0123456789') glob '*-r' then ${TagClass.epoch}
  else ${TagClass.plain} end`;

/** The tags at the end of their life, as the condition in their indexes. */
export const isDeprecated = sql.raw(`"deprecated" = 1`);

/** The tags that can replace others, as the condition in their index. A query must contain exactly these terms. */
const isReplacement = sql.raw(`"deprecated" = 0 and "line" <> ''`);

/** The tags whose names have not been read, as the condition in their index. */
export const isUnread = sql.raw(`"line" is null`);

/** Tags. The parent is the repository. */
export const tags = sqliteTable(
  "tags",
  {
    ...resourceColumns(),
    ...keyColumns(),
    name: text("name").notNull(),
    digest: text("digest").notNull(),
    deprecated: integer("deprecated", { mode: "boolean" }).notNull().default(false),
    /** When `deprecated` was set. 0 if it is not, or was set before the platform recorded this. */
    deprecatedTime: integer("deprecated_time").notNull().default(0),
    bundles: text("bundles", { mode: "json" }).$type<string[]>().notNull().default([]),
    /** The line and its key, from the name (src/packages/tag_lines.ts). Null until the name is read. */
    line: text("line"),
    lineKey: text("line_key").notNull().default(""),
    class: integer("class").notNull().generatedAlwaysAs(sql.raw(classOfName), { mode: "virtual" }),
  },
  (t) => [
    ...compactListIndexes("tags", t, {
      depths: 2 + GROUP_LEVELS,
      partition: t.class,
      orders: {
        created: t.createTime,
        updated: t.updateTime,
        name: t.name,
        // Only tags can have capitals in their names, so only they need another index for `name_prefix`.
        folded_name: sql`"name" collate nocase`,
      },
    }),
    uniqueIndex("tags_siblings").on(t.parent, t.name),
    index("tags_by_digest").on(t.digest, t.uid),
    index("tags_deprecated").on(t.class, t.uid).where(isDeprecated),
    index("tags_deprecated_children").on(t.parent, t.class, t.uid).where(isDeprecated),
    ...[t.ancestor0, t.ancestor1, t.ancestor2, t.ancestor3, t.ancestor4, t.ancestor5].map(
      (scope, depth) =>
        index(`tags_deprecated_${depth}_by_time`)
          .on(scope, t.class, t.deprecatedTime, t.uid)
          .where(sql`${sql.identifier(scope.name)} is not null and ${isDeprecated}`),
    ),
    index("tags_deprecated_children_by_time")
      .on(t.parent, t.class, t.deprecatedTime, t.uid)
      .where(isDeprecated),
    index("tags_by_line").on(t.parent, t.line, t.lineKey).where(isReplacement),
    index("tags_unread").on(t.uid).where(isUnread),
  ],
);

export const triggers = () => [
  countRows(tags, { roots: true, class: tags.class, classChangesWith: tags.name }),
  requireParent(tags, repos),
];
