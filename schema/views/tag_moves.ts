/** The view `tag_moves`: the history of tags (schema/tables/registry/tag_records.ts) with whole uids and digests. */
import { sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { ancestorColumn, lengthAt } from "../tables/columns.ts";
import {
  appendOnly,
  digestText,
  kindOf,
  MoveKind,
  warningsOf,
} from "../tables/registry/tag_records.ts";
import { refuse, trigger, type View } from "../tables/triggers.ts";
import { deleteStatement, insertStatements } from "./tag_move_triggers.ts";

const path = "repo_uid";

/**
 * The columns of the view. Name the repository and the tag to read records by their key. To read them by time, read
 * `tag_records`. An insert ignores `kind`, `previousDigest` and `warnings`, because triggers compute them.
 */
export const tagMoves = sqliteTable("tag_moves", {
  repoUid: text("repo_uid").notNull(),
  tag: text("tag").notNull(),
  /** In milliseconds since 1970. It increases within a tag. */
  updateTime: integer("update_time").notNull(),
  /** Empty if the tag was deleted. */
  digest: text("digest").notNull(),
  /** The name of the repository at that time. */
  repo: text("repo").notNull().default(""),
  /** The uid of the identity that moved the tag, and its name at that time. */
  identity: text("identity").notNull().default(""),
  identityName: text("identity_name").notNull().default(""),
  /** Number of TagMoveMethod. */
  method: integer("method").notNull().default(0),
  /** Number of MoveKind. */
  kind: integer("kind").notNull().default(0),
  previousDigest: text("previous_digest").notNull().default(""),
  /** Bits of MoveWarning. */
  warnings: integer("warnings").notNull().default(0),
  uid: text("uid").notNull().generatedAlwaysAs(sql.raw(`"repo_uid" || '/' || "tag"`)),
  parent: text("parent").notNull().generatedAlwaysAs(sql.raw(`"repo_uid"`)),
  ancestor0: ancestorColumn(0, { path }),
  ancestor1: ancestorColumn(1, { path }),
  ancestor2: ancestorColumn(2, { path }),
  ancestor3: ancestorColumn(3, { path }),
  ancestor4: ancestorColumn(4, { path }),
  ancestor5: ancestorColumn(5, { path }),
});

/**
 * SQL: the digest before a record, which is that of the record next to it. A created tag has none. `record` is the name
 * of the table of the record.
 */
export const previousDigest = (record: string) =>
  `iif(${kindOf(`${record}.flags`)} = ${MoveKind.created}, '', ifnull((SELECT ${digestText("earlier.digest")}
		FROM tag_records AS earlier WHERE earlier.tag_id = ${record}.tag_id AND earlier.update_time < ${record}.update_time
		ORDER BY earlier.update_time DESC LIMIT 1), ''))`;

const ancestor = (depth: number) =>
  `iif(length(tag_repos.repo_uid) > ${lengthAt(depth)}, substr(tag_repos.repo_uid, 1, ${lengthAt(depth)}), NULL) AS ancestor${depth}`;

/** A subquery, because SQLite leaves it out if a statement does not select it. It does not always leave out a join. */
const ofOrigin = (column: string) =>
  `(SELECT ${column} FROM tag_origins WHERE id = tag_records.origin_id) AS ${column}`;

export const views = (): View[] => [
  {
    name: "tag_moves",
    sql: `CREATE VIEW tag_moves AS SELECT
	tag_repos.repo_uid AS repo_uid,
	tag_names.tag AS tag,
	tag_records.update_time AS update_time,
	${digestText("tag_records.digest")} AS digest,
	${ofOrigin("repo")},
	${ofOrigin("identity")},
	${ofOrigin("identity_name")},
	${ofOrigin("method")},
	${kindOf("tag_records.flags")} AS kind,
	${previousDigest("tag_records")} AS previous_digest,
	${warningsOf("tag_records.flags")} AS warnings,
	tag_repos.repo_uid || '/' || tag_names.tag AS uid,
	tag_repos.repo_uid AS parent,
	${[0, 1, 2, 3, 4, 5].map(ancestor).join(",\n\t")}
FROM tag_records
JOIN tag_names ON tag_names.id = tag_records.tag_id
JOIN tag_repos ON tag_repos.id = tag_names.repo_id`,
  },
];

export const triggers = () => [
  trigger(tagMoves, "insert", { on: "INSTEAD OF INSERT" }, ...insertStatements()),
  trigger(tagMoves, "delete", { on: "INSTEAD OF DELETE" }, deleteStatement),
  refuse(tagMoves, "update", { on: "INSTEAD OF UPDATE" }, appendOnly),
];
