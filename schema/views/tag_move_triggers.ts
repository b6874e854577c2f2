/** The statements of the triggers of the view `tag_moves`. NEW and OLD are rows of the view. */

import { releaseCondition } from "../tables/registry/release_tags.ts";
import { kindOf, MoveKind, MoveWarning } from "../tables/registry/tag_records.ts";

/** The milliseconds without a move that end a burst. */
const pause = 600_000;

/** The number of tags that makes a burst unusual, as SQL over `tag_bursts`. */
const manyTags = "max(10, 2 * largest + 1)";

/** The number of earlier records in which a digest is looked for. */
const lookBack = 100;

/** A release tag with so many moves in a row is one that moves with every build. */
const floatingMoves = 3;

/** SQL: whether a kind is that of a move. */
const isMove = (kind: string) => `${kind} IN (${MoveKind.moved}, ${MoveKind.rolledBack})`;

/** The bit of the warning about a burst in the flags of a record. */
const many = MoveWarning.many << 3;

/** The digest of the row as it is stored. */
const hex = "substr(NEW.digest, 8)";
const digest = `iif(length(NEW.digest) = 71 AND NEW.digest GLOB 'sha256:*' AND lower(hex(unhex(${hex}))) = ${hex},
		unhex(${hex}), NEW.digest)`;

/** The columns of the origin of the row. A row that does not say who moved the tag has an empty origin. */
const origin = {
  repo_uid: "NEW.repo_uid",
  repo: "ifnull(NEW.repo, '')",
  identity: "ifnull(NEW.identity, '')",
  identity_name: "ifnull(NEW.identity_name, '')",
  method: "ifnull(NEW.method, 0)",
};
const isOrigin = Object.entries(origin)
  .map(([column, value]) => `${column} = ${value}`)
  .join(" AND ");

const ofRepo = (row: "NEW" | "OLD") => `tag_repos.repo_uid = ${row}.repo_uid`;

const namesOf = (row: "NEW" | "OLD") =>
  `tag_repos CROSS JOIN tag_names ON tag_names.repo_id = tag_repos.id AND tag_names.tag = ${row}.tag WHERE ${ofRepo(row)}`;

const tagId = (row: "NEW" | "OLD") => `(SELECT tag_names.id FROM ${namesOf(row)})`;

/** The organization of the row, as the first characters of uids, and the character after those. */
const organization = "substr(NEW.repo_uid, 1, 40)";

/**
 * The rows that a record refers to. Each statement writes only what is missing. SQLite would read all rows for max(id).
 */
const writeNames = [
  `INSERT INTO tag_repos (id, repo_uid, organization_id)
	SELECT next.id, NEW.repo_uid, ifnull((SELECT organization_id FROM tag_repos
		WHERE repo_uid > ${organization} || '/' AND repo_uid < ${organization} || '0' LIMIT 1), next.id)
	FROM (SELECT ifnull((SELECT id FROM tag_repos ORDER BY id DESC LIMIT 1), 0) + 1 AS id) AS next
	WHERE NOT EXISTS (SELECT 1 FROM tag_repos WHERE ${ofRepo("NEW")});`,
  `INSERT INTO tag_names (repo_id, tag) SELECT tag_repos.id, NEW.tag FROM tag_repos
	WHERE ${ofRepo("NEW")} AND NOT EXISTS (SELECT 1 FROM tag_names WHERE repo_id = tag_repos.id AND tag = NEW.tag);`,
  `INSERT INTO tag_origins (${Object.keys(origin).join(", ")}) SELECT ${Object.values(origin).join(", ")}
	WHERE NOT EXISTS (SELECT 1 FROM tag_origins WHERE ${isOrigin});`,
];

/** A record, as SQL. */
interface RecordSql {
  tagId: string;
  time: string;
  digest: string;
  /** Whether it is a deletion. */
  isDeletion: string;
}

/**
 * The kind and the warnings of a record. `flag` is the bit of the warning about a burst, or 0. The digests before the
 * record are read once: in a select with max, SQLite takes other columns from the row with the greatest value.
 */
function flagsOf({ tagId: id, time, digest: own, isDeletion }: RecordSql, flag: string): string {
  const earlier = (columns: string, limit: number) => `SELECT ${columns} FROM tag_records AS earlier
			WHERE earlier.tag_id = ${id} AND earlier.update_time < ${time} AND NOT ${isDeletion}
			ORDER BY earlier.update_time DESC LIMIT ${limit}`;
  const moves = `SELECT count(*) FROM (${earlier("earlier.flags", floatingMoves)}) WHERE ${isMove(kindOf("flags"))}`;
  return `(SELECT kind | ${flag} | ((iif(kind = ${MoveKind.rolledBack}, ${MoveWarning.older}, 0)
		| iif(${isMove("kind")} AND ${releaseCondition("NEW.tag")}
			AND (${moves}) < ${floatingMoves}, ${MoveWarning.release}, 0)) << 3)
	FROM (SELECT CASE
			WHEN ${isDeletion} THEN ${MoveKind.deleted}
			WHEN ifnull(previous, '') = '' THEN ${MoveKind.created}
			WHEN is_known THEN ${MoveKind.rolledBack}
			ELSE ${MoveKind.moved} END AS kind
		FROM (SELECT max(update_time), digest AS previous, sum(digest = ${own}) AS is_known FROM (
			${earlier("earlier.update_time, earlier.digest", lookBack)}))))`;
}

/** Whether the row is part of an unusual burst. The row that makes a burst unusual is one too. */
const isInBurst = `EXISTS (SELECT 1 FROM tag_bursts WHERE repo_uid = NEW.repo_uid AND NEW.update_time BETWEEN start_time AND end_time
		AND (tags > ${manyTags} OR (tags = ${manyTags} AND end_time = NEW.update_time)))`;

/**
 * A tag counts once in a burst. Moves that are older than the latest burst do not count. The row is a move if it has a
 * digest and follows a record with a digest.
 */
const countBurst = `INSERT INTO tag_bursts (repo_uid, start_time, end_time, tags)
	SELECT NEW.repo_uid, NEW.update_time, NEW.update_time, 1
	WHERE NEW.digest <> '' AND (SELECT iif(update_time < NEW.update_time, digest, '') FROM tag_records
		WHERE tag_id = ${tagId("NEW")} AND update_time <= NEW.update_time ORDER BY update_time DESC LIMIT 1) <> ''
	ON CONFLICT (repo_uid) DO UPDATE SET
		largest = iif(excluded.start_time > end_time + ${pause}, max(largest, tags), largest),
		tags = iif(excluded.start_time > end_time + ${pause}, 1, tags + 1),
		start_time = iif(excluded.start_time > end_time + ${pause}, excluded.start_time, start_time),
		end_time = excluded.end_time
	WHERE excluded.start_time > end_time + ${pause} OR (excluded.start_time >= end_time AND NOT EXISTS (
		SELECT 1 FROM tag_records WHERE tag_id = ${tagId("NEW")} AND update_time < NEW.update_time
			AND update_time >= tag_bursts.start_time AND ${isMove(kindOf("flags"))}));`;

/** The tag that makes the burst unusual marks the whole burst, so each record is marked once. */
const markBurst = `UPDATE tag_records SET flags = flags | ${many}
	WHERE repo_id = (SELECT id FROM tag_repos WHERE ${ofRepo("NEW")}) AND ${isMove(kindOf("flags"))} AND (flags & ${many}) = 0
		AND update_time BETWEEN (SELECT start_time FROM tag_bursts
			WHERE repo_uid = NEW.repo_uid AND tags = ${manyTags} AND end_time = NEW.update_time) AND NEW.update_time;`;

/** A function, because the kind of the new record decides whether it can be part of a burst. */
const writeRecord = () => {
  const record = {
    tagId: "tag_names.id",
    time: "NEW.update_time",
    digest,
    isDeletion: "(NEW.digest = '')",
  };
  const flags = flagsOf(record, `iif(${isMove("kind")} AND ${isInBurst}, ${many}, 0)`);
  return `INSERT INTO tag_records (tag_id, update_time, organization_id, repo_id, digest, origin_id, flags)
	SELECT tag_names.id, NEW.update_time, tag_repos.organization_id, tag_repos.id, ${digest},
		(SELECT id FROM tag_origins WHERE ${isOrigin}), ${flags}
	FROM ${namesOf("NEW")};`;
};

/** The kind of the record after the new one can change with an import of older moves. */
const describeNext = () => {
  const record = {
    tagId: "tag_records.tag_id",
    time: "tag_records.update_time",
    digest: "tag_records.digest",
    isDeletion: "(tag_records.digest = '')",
  };
  return `UPDATE tag_records SET flags = ${flagsOf(record, `(tag_records.flags & ${many})`)}
	WHERE tag_id = ${tagId("NEW")} AND update_time = (SELECT min(later.update_time) FROM tag_records AS later
		WHERE later.tag_id = ${tagId("NEW")} AND later.update_time > NEW.update_time);`;
};

/** The statements of an insert. A move writes a record with its indexes, and its burst. */
export const insertStatements = (): string[] => [
  ...writeNames,
  countBurst,
  writeRecord(),
  markBurst,
  describeNext(),
];

/** The statement of a delete. */
export const deleteStatement = `DELETE FROM tag_records WHERE tag_id = ${tagId("OLD")} AND update_time = OLD.update_time;`;
