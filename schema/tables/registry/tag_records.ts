/**
 * The history of tags in short rows. The view `tag_moves` (schema/views/tag_moves.ts) shows it with whole uids and
 * digests, and its triggers write these tables. The rows outlive the tags and the repositories.
 */
import { type SQL, sql } from "drizzle-orm";
import {
  blob,
  index,
  integer,
  primaryKey,
  type SQLiteTable,
  sqliteTable,
  text,
  unique,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { refuse } from "../triggers.ts";

/** The kinds of records, with the numbers of TagMoveKind. */
export const MoveKind = { created: 1, moved: 2, rolledBack: 3, deleted: 4 } as const;

/** The bits of the warnings of a record. */
export const MoveWarning = { release: 1, older: 2, many: 4 } as const;

/** SQL: the kind and the warnings of a record. */
export const kindOf = (flags: string) => `(${flags} & 7)`;
export const warningsOf = (flags: string) => `(${flags} >> 3)`;

/** SQL: a digest as text. */
export const digestText = (stored: string) =>
  `iif(typeof(${stored}) = 'blob', 'sha256:' || lower(hex(${stored})), ${stored})`;

/** SQL: a digest as it is stored. It must be a valid one. */
export const storedDigest = (text: SQL): SQL =>
  sql`iif(${text} glob 'sha256:*', unhex(substr(${text}, 8)), ${text})`;

/** The repositories with a history. */
export const tagRepos = sqliteTable("tag_repos", {
  id: integer("id").primaryKey(),
  repoUid: text("repo_uid").notNull().unique(),
  /** The `id` of the first of these repositories in the organization. */
  organization: integer("organization_id").notNull(),
});

/** The names of tags with a history. */
export const tagNames = sqliteTable(
  "tag_names",
  {
    id: integer("id").primaryKey(),
    /** The id in `tag_repos`. */
    repo: integer("repo_id").notNull(),
    tag: text("tag").notNull(),
  },
  (t) => [uniqueIndex("tag_names_of_repo").on(t.repo, t.tag)],
);

/** The identities that moved tags, with the method and the repository. Many records have the same origin. */
export const tagOrigins = sqliteTable(
  "tag_origins",
  {
    id: integer("id").primaryKey(),
    /** The repository, as in `tag_repos`, so that a List reads one row for all of this. */
    repoUid: text("repo_uid").notNull(),
    /** The name of the repository at that time. */
    repo: text("repo").notNull(),
    /** The uid of the identity that moved the tag, and its name at that time. */
    identity: text("identity").notNull(),
    identityName: text("identity_name").notNull(),
    /** Number of TagMoveMethod. */
    method: integer("method").notNull(),
  },
  (t) => [unique("tag_origins_once").on(t.repoUid, t.repo, t.identity, t.identityName, t.method)],
);

/** The condition of the partial indexes. A query must contain exactly this expression to use them. */
export const hasWarnings = sql.raw(`"flags" > 7`);

/**
 * The records: every digest that a tag has pointed to, and every deletion. Triggers refuse to change a record. They
 * refuse DELETE too, except for a record that repeats the previous digest. The migration creates the table WITHOUT
 * ROWID.
 */
export const tagRecords = sqliteTable(
  "tag_records",
  {
    /** The id in `tag_names`. */
    tag: integer("tag_id").notNull(),
    /** In milliseconds since 1970. It increases within a tag. */
    updateTime: integer("update_time").notNull(),
    /** The ids in `tag_repos`. */
    organization: integer("organization_id").notNull(),
    repo: integer("repo_id").notNull(),
    /** The 32 bytes of a SHA-256. Any other digest is text, which is empty if the tag was deleted. */
    digest: blob("digest", { mode: "buffer" }).notNull(),
    /** The first 8 bytes of the digest, so that the index of all digests is short. */
    digestKey: blob("digest_key", { mode: "buffer" }).generatedAlwaysAs(
      sql.raw(`substr("digest", 1, 8)`),
      { mode: "virtual" },
    ),
    /** The id in `tag_origins`. */
    origin: integer("origin_id").notNull(),
    /** The kind of the record in the lowest three bits, and its warnings above them. */
    flags: integer("flags").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tag, t.updateTime] }),
    index("tag_records_of_organization").on(t.organization, t.updateTime, t.tag),
    index("tag_records_of_repo").on(t.repo, t.updateTime, t.tag),
    index("tag_records_of_digest").on(t.repo, t.digestKey),
    index("tag_records_warned_of_organization")
      .on(t.organization, t.updateTime, t.tag)
      .where(hasWarnings),
    index("tag_records_warned_of_repo").on(t.repo, t.updateTime, t.tag).where(hasWarnings),
  ],
);

/**
 * How many tags of a repository have moved one soon after the other, for the warning `many`. There is one row
 * for each repository: its latest burst. A burst ends when no tag moves for ten minutes.
 */
export const tagBursts = sqliteTable("tag_bursts", {
  repoUid: text("repo_uid").primaryKey(),
  startTime: integer("start_time").notNull(),
  /** The time of its last move. */
  endTime: integer("end_time").notNull(),
  /** The number of tags that moved in it. */
  tags: integer("tags").notNull(),
  /** The number of tags in the largest earlier burst of the repository. */
  largest: integer("largest").notNull().default(0),
});

/** SQL: whether the record OLD has another digest than the one before it. */
const differs = `OLD.digest IS NOT (SELECT digest FROM tag_records
  WHERE tag_id = OLD.tag_id AND update_time < OLD.update_time ORDER BY update_time DESC LIMIT 1)`;

/** The error of a change to the history. */
export const appendOnly = "the history of tags is append-only";

/**
 * SQL: whether a move to another database deletes a row that it has copied, or its unfinished copy. `repo` is the uid
 * of the row's repository.
 */
const isMoved = (repo: string) => `EXISTS (SELECT 1 FROM organization_moves
  WHERE uid = substr(${repo}, 1, 40) AND state IN ('arriving', 'departed'))`;

const uidOf = (id: string) => `(SELECT repo_uid FROM tag_repos WHERE id = ${id})`;

/** The rows that records refer to by their ids never change, so that a record keeps its meaning. */
const keep = (table: SQLiteTable, repo: string) => [
  refuse(table, "no_update", { on: "BEFORE UPDATE" }, appendOnly),
  refuse(table, "no_delete", { on: "BEFORE DELETE", when: `NOT ${isMoved(repo)}` }, appendOnly),
];

export const triggers = () => [
  ...keep(tagRepos, "OLD.repo_uid"),
  ...keep(tagNames, uidOf("OLD.repo_id")),
  ...keep(tagOrigins, "OLD.repo_uid"),
  refuse(
    tagRecords,
    "no_update",
    { on: "BEFORE UPDATE OF tag_id, update_time, organization_id, repo_id, digest, origin_id" },
    appendOnly,
  ),
  refuse(
    tagRecords,
    "no_delete",
    { on: "BEFORE DELETE", when: `${differs} AND NOT ${isMoved(uidOf("OLD.repo_id"))}` },
    appendOnly,
  ),
];
