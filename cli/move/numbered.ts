/**
 * The tables whose rows have numbers that only one database knows. Their rows travel with the uids and digests that the
 * numbers stand for. Tags are among them, because their uids have no index.
 */
import {
  each,
  type NumberedTable,
  ofRoot,
  repoId,
  repos,
  uidOfRepo,
  value,
} from "./numbered_table.ts";
import { deletionByKeys, deletionOf, encodedRow, rangeOf, type Statement } from "./sql.ts";
import { blobLinks, uploads } from "./stored_bytes.ts";
import {
  incompleteIndexes,
  organizationStorage,
  pushedDocuments,
  referrers,
  repoStorage,
} from "./stored_tables.ts";
import { tagHistory } from "./tag_history.ts";
import { tagRows } from "./tag_rows.ts";

const tagPulls: NumberedTable = {
  name: "tag_pulls",
  columns: [
    ...["repo.uid", "one.reference", "one.identity", "one.identity_name", "one.time", "one.days"],
    "one.pulls",
  ],
  key: 3,
  source: `${repos} CROSS JOIN tag_pulls AS one ON one.repo_id = repo.id WHERE ${ofRoot("repo.uid")}`,
  params: rangeOf,
  write: (rows) => [
    {
      sql: `INSERT INTO tag_pulls (repo_id, reference, identity, identity_name, time, days, pulls)
        SELECT ${repoId(1)}, ${value(2)}, ${value(3)}, ${value(4)}, ${value(5)}, ${value(6)}, ${value(7)}
        FROM json_each(?) WHERE true
        ON CONFLICT (repo_id, reference, identity) DO UPDATE SET identity_name = excluded.identity_name,
          time = excluded.time, days = excluded.days, pulls = excluded.pulls`,
      params: each(rows),
    },
  ],
  remove: deletionByKeys(
    "tag_pulls",
    ["repo_id", "reference", "identity"],
    ["(SELECT id FROM repo_storage WHERE uid = value ->> 0)", "value ->> 1", "value ->> 2"],
  ),
  purge: deletionOf(
    "tag_pulls",
    ["repo_id", "reference", "identity"],
    `SELECT one.repo_id, one.reference, one.identity FROM ${repos} CROSS JOIN tag_pulls AS one ON one.repo_id = repo.id WHERE ${ofRoot("repo.uid")}`,
  ),
  path: (row) => uidOfRepo(`${row}.repo_id`),
  keyOf: (row) => `json_array(${uidOfRepo(`${row}.repo_id`)}, ${row}.reference, ${row}.identity)`,
};

const pullHours: NumberedTable = {
  name: "pull_hours",
  columns: ["repo.uid", "one.hour", "one.pulls"],
  key: 2,
  source: `${repos} CROSS JOIN pull_hours AS one ON one.repo_id = repo.id WHERE ${ofRoot("repo.uid")}`,
  params: rangeOf,
  write: (rows) => [
    {
      sql: `INSERT INTO pull_hours (repo_id, hour, pulls)
        SELECT ${repoId(1)}, ${value(2)}, ${value(3)} FROM json_each(?) WHERE true
        ON CONFLICT (repo_id, hour) DO UPDATE SET pulls = excluded.pulls`,
      params: each(rows),
    },
  ],
  remove: deletionByKeys(
    "pull_hours",
    ["repo_id", "hour"],
    ["(SELECT id FROM repo_storage WHERE uid = value ->> 0)", "value ->> 1"],
  ),
  purge: deletionOf(
    "pull_hours",
    ["repo_id", "hour"],
    `SELECT one.repo_id, one.hour FROM ${repos} CROSS JOIN pull_hours AS one ON one.repo_id = repo.id WHERE ${ofRoot("repo.uid")}`,
  ),
  path: (row) => uidOfRepo(`${row}.repo_id`),
  keyOf: (row) => `json_array(${uidOfRepo(`${row}.repo_id`)}, ${row}.hour)`,
};

const tokenColumns = [
  ...["digest", "family", "identity_uid", "identity_provider_uid", "claims", "create_time"],
  ...["expire_time", "use_time", "revoke_time"],
];

const refreshTokens: NumberedTable = {
  name: "refresh_tokens",
  columns: tokenColumns,
  key: 1,
  source: `refresh_tokens WHERE ${ofRoot("identity_provider_uid")}`,
  params: rangeOf,
  write: (rows) => [
    {
      sql: `INSERT INTO refresh_tokens (${tokenColumns.join(", ")})
        SELECT ${tokenColumns.map((_, index) => value(index + 1)).join(", ")} FROM json_each(?) WHERE true
        ON CONFLICT (digest) DO UPDATE SET use_time = excluded.use_time, revoke_time = excluded.revoke_time`,
      params: each(rows),
    },
  ],
  remove: deletionByKeys("refresh_tokens", ["digest"]),
  purge: deletionOf(
    "refresh_tokens",
    ["digest"],
    `SELECT digest FROM refresh_tokens WHERE ${ofRoot("identity_provider_uid")}`,
  ),
  path: (row) => `${row}.identity_provider_uid`,
  keyOf: (row) => `json_array(${row}.digest)`,
};

/** In the order in which they can be written. */
export const numbered: NumberedTable[] = [
  organizationStorage,
  repoStorage,
  blobLinks,
  referrers,
  incompleteIndexes,
  uploads,
  pushedDocuments,
  tagPulls,
  pullHours,
  refreshTokens,
  tagRows,
  ...tagHistory,
];

/**
 * The statement that reads a page of such rows after a position, or the rows of some keys. It returns each `row`, its
 * `row_key`, and its `position` in the order.
 */
export function selectNumbered(
  { columns, key, source, params, keySource, order, pageSize = 500 }: NumberedTable,
  root: string,
  where: { after: unknown[] } | { keys: string },
  isHex = false,
): Statement {
  const keys = columns.slice(0, key);
  const orderKeys = order ?? keys;
  const row = `${encodedRow(columns, isHex)} AS row, json_array(${keys.join(", ")}) AS row_key,
    json_array(${orderKeys.join(", ")}) AS position`;
  if ("keys" in where && keySource)
    return { sql: `SELECT ${row} FROM ${keySource}`, params: [where.keys] };
  if ("keys" in where) {
    const listed = keys.map((_, index) => `value ->> ${index}`).join(", ");
    return {
      sql: `SELECT ${row} FROM ${source} AND (${keys.join(", ")}) IN (SELECT ${listed} FROM json_each(?))`,
      params: [...params(root), where.keys],
    };
  }
  const start = startOf(source, orderKeys, params(root), where.after);
  return {
    sql: `SELECT ${row} FROM ${source}${start.sql} ORDER BY ${orderKeys.join(", ")} LIMIT ${pageSize}`,
    params: start.params,
  };
}

/**
 * The condition that rows come after a position, with the parameters of the source. If positions begin with the path, the range
 * of paths begins there too, and so do the rows of its repository. SQLite would otherwise read all earlier pages again.
 */
function startOf(
  source: string,
  orderKeys: string[],
  range: unknown[],
  after: unknown[],
): { sql: string; params: unknown[] } {
  if (after.length === 0) return { sql: "", params: range };
  const isAfter = ` AND (${orderKeys.join(", ")}) > (${orderKeys.map(() => "?").join(", ")})`;
  const [path = "", ...rest] = orderKeys;
  if (!source.endsWith(ofRoot(path))) return { sql: isAfter, params: [...range, ...after] };
  const [uid, ...values] = after;
  const least = values.map(
    (value) => `iif(${path} = ?, ?, ${typeof value === "number" ? -1 : "''"})`,
  );
  const isFrom = rest.length > 0 ? ` AND (${rest.join(", ")}) >= (${least.join(", ")})` : "";
  return {
    sql: isAfter + isFrom,
    params: [uid, ...range.slice(1), ...after, ...values.flatMap((value) => [uid, value])],
  };
}
