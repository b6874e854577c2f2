import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { ancestorColumn } from "../columns.ts";
import { refuse, trigger } from "../triggers.ts";
import { releaseCondition } from "./release_tags.ts";

/** The kinds of records, with the numbers of TagMoveKind. */
export const MoveKind = { created: 1, moved: 2, rolledBack: 3, deleted: 4 } as const;

/** The bits of `warnings`. */
export const MoveWarning = { release: 1, older: 2, many: 4 } as const;

/** The condition of the partial indexes. A query must contain exactly this expression to use them. */
export const hasWarnings = sql.raw(`"warnings" <> 0`);

const path = "repo_uid";

/**
 * The history of tags: every digest that a tag has pointed to, and every deletion. The key is the repository
 * and the name of the tag, so the rows outlive the tag. `updateTime` is in milliseconds and increases within
 * a tag. Triggers refuse to change a record. They refuse DELETE too, except for a record that repeats the
 * previous digest.
 */
export const tagMoves = sqliteTable(
  "tag_moves",
  {
    repoUid: text("repo_uid").notNull(),
    tag: text("tag").notNull(),
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
    /** Number of {@link MoveKind}. A trigger sets this column and the next two. */
    kind: integer("kind").notNull().default(0),
    previousDigest: text("previous_digest").notNull().default(""),
    /** Bits of {@link MoveWarning}. */
    warnings: integer("warnings").notNull().default(0),
    /** The repository and the tag: the order of records with the same time. */
    uid: text("uid")
      .notNull()
      .generatedAlwaysAs(sql.raw(`"repo_uid" || '/' || "tag"`), { mode: "virtual" }),
    parent: text("parent").notNull().generatedAlwaysAs(sql.raw(`"repo_uid"`), { mode: "virtual" }),
    ancestor0: ancestorColumn(0, { path }),
    ancestor1: ancestorColumn(1, { path }),
    ancestor2: ancestorColumn(2, { path }),
    ancestor3: ancestorColumn(3, { path }),
    ancestor4: ancestorColumn(4, { path }),
    ancestor5: ancestorColumn(5, { path }),
  },
  (t) => [
    primaryKey({ columns: [t.repoUid, t.tag, t.updateTime] }),
    ...[t.ancestor0, t.ancestor1, t.ancestor2, t.ancestor3, t.ancestor4].flatMap((scope, depth) => {
      const isPresent = sql`${sql.identifier(scope.name)} is not null`;
      return [
        index(`tag_moves_${depth}`).on(scope, t.updateTime, t.uid).where(isPresent),
        index(`tag_moves_${depth}_warned`)
          .on(scope, t.updateTime, t.uid)
          .where(sql`${isPresent} and ${hasWarnings}`),
      ];
    }),
    index("tag_moves_children").on(t.parent, t.updateTime, t.uid),
    index("tag_moves_children_warned").on(t.parent, t.updateTime, t.uid).where(hasWarnings),
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

/** The milliseconds without a move that end a burst. */
const pause = 600_000;

/** The number of tags that makes a burst unusual, as SQL over `tag_bursts`. */
const manyTags = "max(10, 2 * largest + 1)";

/** The number of earlier records in which a digest is looked for. */
const lookBack = 100;

/** A release tag with so many moves in a row is one that moves with every build. */
const floatingMoves = 3;

const appendOnly = "tag_moves is append-only";

/** A move to another database deletes the rows that it has copied, or its unfinished copy. */
const isMoved = `EXISTS (SELECT 1 FROM organization_moves
  WHERE uid = substr(OLD.repo_uid, 1, 40) AND state IN ('arriving', 'departed'))`;

/** Only a record that repeats the digest of the previous one can be deleted. */
const differs = `OLD.digest IS NOT (SELECT digest FROM tag_moves
  WHERE repo_uid = OLD.repo_uid AND tag = OLD.tag AND update_time < OLD.update_time
  ORDER BY update_time DESC LIMIT 1)`;

/** The newest earlier records of the same tag. */
const earlier = (column: string, limit: number) =>
  `SELECT e.${column} FROM tag_moves AS e
		WHERE e.repo_uid = tag_moves.repo_uid AND e.tag = tag_moves.tag AND e.update_time < tag_moves.update_time
		ORDER BY e.update_time DESC LIMIT ${limit}`;

const isNew = "repo_uid = NEW.repo_uid AND tag = NEW.tag AND update_time = NEW.update_time";
const isMove = `kind IN (${MoveKind.moved}, ${MoveKind.rolledBack})`;
const ofTag = "m.repo_uid = NEW.repo_uid AND m.tag = NEW.tag";

/** The new record, and the one after it, whose kind can change with an import of older moves. */
const isNewOrNext = `repo_uid = NEW.repo_uid AND tag = NEW.tag AND update_time IN (NEW.update_time,
		(SELECT min(m.update_time) FROM tag_moves AS m WHERE ${ofTag} AND m.update_time > NEW.update_time))`;

const describeMove = [
  `UPDATE tag_moves SET previous_digest = ifnull((${earlier("digest", 1)}), '') WHERE ${isNewOrNext};`,
  `UPDATE tag_moves SET kind = CASE
		WHEN digest = '' THEN ${MoveKind.deleted}
		WHEN previous_digest = '' THEN ${MoveKind.created}
		WHEN digest IN (${earlier("digest", lookBack)}) THEN ${MoveKind.rolledBack}
		ELSE ${MoveKind.moved} END
	WHERE ${isNewOrNext};`,
  `UPDATE tag_moves SET warnings = (warnings & ${MoveWarning.many})
		| iif(kind = ${MoveKind.rolledBack}, ${MoveWarning.older}, 0)
		| iif(${isMove} AND ${releaseCondition("tag")}
			AND (SELECT count(*) FROM (${earlier("kind", floatingMoves)}) WHERE ${isMove}) < ${floatingMoves}, ${MoveWarning.release}, 0)
	WHERE ${isNewOrNext};`,
];

/** A tag counts once in a burst. Moves that are older than the latest burst do not count. */
const countBurst = [
  `INSERT INTO tag_bursts (repo_uid, start_time, end_time, tags)
	SELECT NEW.repo_uid, NEW.update_time, NEW.update_time, 1 FROM tag_moves WHERE ${isNew} AND ${isMove}
	ON CONFLICT (repo_uid) DO UPDATE SET
		largest = iif(excluded.start_time > end_time + ${pause}, max(largest, tags), largest),
		tags = iif(excluded.start_time > end_time + ${pause}, 1, tags + 1),
		start_time = iif(excluded.start_time > end_time + ${pause}, excluded.start_time, start_time),
		end_time = excluded.end_time
	WHERE excluded.start_time > end_time + ${pause} OR (excluded.start_time >= end_time AND NOT EXISTS (
		SELECT 1 FROM tag_moves AS m WHERE ${ofTag} AND m.update_time < NEW.update_time
			AND m.update_time >= tag_bursts.start_time AND m.kind IN (${MoveKind.moved}, ${MoveKind.rolledBack})));`,
  // The tag that makes the burst unusual marks the whole burst, so each record is marked once.
  `UPDATE tag_moves SET warnings = warnings | ${MoveWarning.many}
	WHERE parent = NEW.repo_uid AND ${isMove} AND update_time BETWEEN
		(SELECT start_time FROM tag_bursts WHERE repo_uid = NEW.repo_uid AND tags = ${manyTags} AND end_time = NEW.update_time)
		AND NEW.update_time;`,
  `UPDATE tag_moves SET warnings = warnings | ${MoveWarning.many}
	WHERE ${isNew} AND ${isMove} AND EXISTS (SELECT 1 FROM tag_bursts WHERE repo_uid = NEW.repo_uid
		AND tags > ${manyTags} AND NEW.update_time BETWEEN start_time AND end_time);`,
];

export const triggers = () => [
  refuse(
    tagMoves,
    "no_update",
    {
      on: "BEFORE UPDATE OF repo_uid, tag, update_time, digest, repo, identity, identity_name, method",
    },
    appendOnly,
  ),
  refuse(
    tagMoves,
    "no_delete",
    { on: "BEFORE DELETE", when: `${differs} AND NOT ${isMoved}` },
    appendOnly,
  ),
  trigger(tagMoves, "describe", { on: "AFTER INSERT" }, ...describeMove, ...countBurst),
];
