import { type SQL, sql } from "drizzle-orm";
import {
  blob,
  index,
  integer,
  type SQLiteColumn,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { resourceColumns } from "../columns.ts";
import { leafIndexes, leafKeys, parentKeySql, rootKeySql } from "../list_indexes.ts";
import { keepDeleted } from "../platform/deletions.ts";
import { countRows, requireParent } from "../triggers.ts";
import { repos } from "./repos.ts";
import { TagClass } from "./tag_class.ts";

const classOfName = `case
  when "name" glob 'sha256-*' then ${TagClass.referrer}
  when "name" glob '*-20[0-9][0-9][0-9][0-9][0-9][0-9]' then ${TagClass.date}
  when "name" glob '*[0-9]' and rtrim("name", '0123456789') glob '*-r' then ${TagClass.epoch}
  else ${TagClass.plain} end`;

/** The tags at the end of their life, as the condition in their indexes. */
export const isDeprecated = sql.raw(`"deprecated" = 1`);

/** The tags that can replace others, as the condition in their index. A query must contain exactly these terms. */
const isReplacement = sql.raw(`"deprecated" = 0 and "line" <> ''`);

/** Tags. The parent is the repository. */
export const tags = sqliteTable(
  "tags",
  {
    ...resourceColumns(),
    /** Not the primary key: its index would be the longest, and `path` has the same in half of the bytes. */
    uid: text("uid").notNull(),
    ...leafKeys(),
    name: text("name").notNull(),
    digest: text("digest").notNull(),
    /** The first 8 bytes of the digest, so that an index of all digests is short. */
    digestKey: blob("digest_key", { mode: "buffer" }).generatedAlwaysAs(
      sql.raw(`unhex(substr("digest", 8, 16))`),
      { mode: "virtual" },
    ),
    deprecated: integer("deprecated", { mode: "boolean" }).notNull().default(false),
    /** When `deprecated` was set. 0 if it is not. */
    deprecatedTime: integer("deprecated_time").notNull().default(0),
    bundles: text("bundles", { mode: "json" }).$type<string[]>().notNull().default([]),
    /** The line and its key, from the name (src/packages/tag_lines.ts). Both are empty if the tag is in no line. */
    line: text("line").notNull().default(""),
    lineKey: text("line_key").notNull().default(""),
    class: integer("class").notNull().generatedAlwaysAs(sql.raw(classOfName), { mode: "virtual" }),
  },
  (t) => [
    ...leafIndexes("tag", t, {
      // The only names with capitals: they sort as if they had none, so that `name_prefix` reads this index too.
      orders: {
        created: t.createTime,
        updated: t.updateTime,
        name: sql`"name" collate nocase`,
      },
      partition: t.class,
      isPathUnique: true,
    }),
    uniqueIndex("tag_named").on(t.parentKey, t.name),
    index("tag_with_digest").on(t.digestKey, t.key0),
    ...leafIndexes("deprecated_tag", t, {
      orders: { time: t.deprecatedTime },
      partition: t.class,
      where: isDeprecated,
    }),
    index("tag_in_line").on(t.parentKey, t.line, t.lineKey).where(isReplacement),
  ],
);

/** An expression with the uid of a repository, or the uid itself. */
type Repo = SQL | SQLiteColumn | string;

/** Whether a tag is in a repository. `of` is an alias of the table. */
export const isInRepo = (repo: Repo, of?: string): SQL => {
  const [key, parent] = [column(tags.parentKey, of), column(tags.parent, of)];
  return sql`${key} = ${parentKeySql(repo)} and ${parent} = ${repo}`;
};

/** Whether a tag of a repository points to a digest. `of` is an alias of the table. */
export const pointsTo = (repo: Repo, digest: Repo, of?: string): SQL => {
  const [key, root] = [column(tags.digestKey, of), column(tags.key0, of)];
  return sql`${key} = unhex(substr(${digest}, 8, 16)) and ${root} = ${rootKeySql(repo)}
    and ${column(tags.digest, of)} = ${digest} and ${column(tags.parent, of)} = ${repo}`;
};

const column = ({ name }: SQLiteColumn, of: string | undefined): SQL =>
  sql`${of === undefined ? sql`${tags}` : sql.identifier(of)}.${sql.identifier(name)}`;

export const triggers = () => [
  countRows(tags, { roots: true, mayBeLeft: true, class: tags.class, classChangesWith: tags.name }),
  requireParent(tags, repos),
  keepDeleted(tags),
];
