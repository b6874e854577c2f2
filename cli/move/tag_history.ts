/**
 * The tables of the history of tags. Records, names and origins refer to each other by numbers of one database. They
 * are written as they are, and not through the view `tag_moves`, whose triggers would compute kinds and warnings again.
 */
import { each, type NumberedTable, ofRoot, value } from "./numbered_table.ts";
import { deletionByKeys, deletionOf, rangeOf } from "./sql.ts";

const repoUid = (id: string) => `(SELECT repo_uid FROM tag_repos WHERE id = ${id})`;
const repoId = (uid: string) => `(SELECT id FROM tag_repos WHERE repo_uid = ${uid})`;
const nameId = (repo: string, tag: string) =>
  `(SELECT id FROM tag_names WHERE repo_id = ${repoId(repo)} AND tag = ${tag})`;

/** The organization of a repository: the first characters of its uid. */
const organization = "substr(given.uid, 1, 40)";

const tagRepos: NumberedTable = {
  name: "tag_repos",
  columns: ["repo_uid"],
  key: 1,
  source: `tag_repos WHERE ${ofRoot("repo_uid")}`,
  params: rangeOf,
  write: (rows) => [
    {
      sql: `INSERT INTO tag_repos (id, repo_uid, organization_id)
        SELECT last.id + row_number() OVER (ORDER BY given.uid), given.uid, ifnull((SELECT organization_id FROM tag_repos
          WHERE repo_uid > ${organization} || '/' AND repo_uid < ${organization} || '0' LIMIT 1), last.id + 1)
        FROM (SELECT ifnull((SELECT id FROM tag_repos ORDER BY id DESC LIMIT 1), 0) AS id) AS last
        CROSS JOIN (SELECT ${value(1)} AS uid FROM json_each(?)) AS given
        WHERE NOT EXISTS (SELECT 1 FROM tag_repos WHERE repo_uid = given.uid)`,
      params: each(rows),
    },
  ],
  remove: deletionByKeys("tag_repos", ["repo_uid"]),
  purge: deletionOf("tag_repos", ["id"], `SELECT id FROM tag_repos WHERE ${ofRoot("repo_uid")}`),
  path: (row) => `${row}.repo_uid`,
  keyOf: (row) => `json_array(${row}.repo_uid)`,
};

const tagNames: NumberedTable = {
  name: "tag_names",
  columns: ["repo.repo_uid", "one.tag"],
  key: 2,
  source: `tag_repos AS repo CROSS JOIN tag_names AS one ON one.repo_id = repo.id WHERE ${ofRoot("repo.repo_uid")}`,
  params: rangeOf,
  keySource: `json_each(?) AS given CROSS JOIN tag_repos AS repo ON repo.repo_uid = given.value ->> 0
    CROSS JOIN tag_names AS one ON one.repo_id = repo.id AND one.tag = given.value ->> 1`,
  write: (rows) => [
    {
      sql: `INSERT INTO tag_names (repo_id, tag) SELECT ${repoId(value(1))}, ${value(2)} FROM json_each(?) WHERE true
        ON CONFLICT (repo_id, tag) DO NOTHING`,
      params: each(rows),
    },
  ],
  remove: deletionByKeys("tag_names", ["repo_id", "tag"], [repoId("value ->> 0"), "value ->> 1"]),
  purge: deletionOf(
    "tag_names",
    ["id"],
    `SELECT one.id FROM tag_repos AS repo CROSS JOIN tag_names AS one ON one.repo_id = repo.id WHERE ${ofRoot("repo.repo_uid")}`,
  ),
  path: (row) => repoUid(`${row}.repo_id`),
  keyOf: (row) => `json_array(${repoUid(`${row}.repo_id`)}, ${row}.tag)`,
};

const originColumns = ["repo_uid", "repo", "identity", "identity_name", "method"];

const tagOrigins: NumberedTable = {
  name: "tag_origins",
  columns: originColumns,
  key: originColumns.length,
  source: `tag_origins WHERE ${ofRoot("repo_uid")}`,
  params: rangeOf,
  write: (rows) => [
    {
      sql: `INSERT INTO tag_origins (${originColumns.join(", ")})
        SELECT ${originColumns.map((_, index) => value(index + 1)).join(", ")} FROM json_each(?) WHERE true
        ON CONFLICT (${originColumns.join(", ")}) DO NOTHING`,
      params: each(rows),
    },
  ],
  remove: deletionByKeys("tag_origins", originColumns),
  purge: deletionOf(
    "tag_origins",
    ["id"],
    `SELECT id FROM tag_origins WHERE ${ofRoot("repo_uid")}`,
  ),
  path: (row) => `${row}.repo_uid`,
  keyOf: (row) => `json_array(${originColumns.map((name) => `${row}.${name}`).join(", ")})`,
};

/** The records of the organization with the two parameters of {@link rangeOf}. */
const ofOrganization = `record.organization_id = (SELECT organization_id FROM tag_repos WHERE ${ofRoot("repo_uid")} LIMIT 1)`;

const recordOrigin = `(SELECT id FROM tag_origins WHERE ${originColumns
  .map((name, index) => `${name} = ${index === 0 ? value(1) : value(index + 4)}`)
  .join(" AND ")})`;

const tagRecords: NumberedTable = {
  name: "tag_records",
  columns: [
    ...["repo.repo_uid", "name.tag", "record.update_time", "record.digest"],
    ...originColumns.slice(1).map((column) => `origin.${column}`),
    "record.flags",
  ],
  key: 3,
  order: ["record.update_time", "record.tag_id"],
  source: `tag_records AS record CROSS JOIN tag_repos AS repo ON repo.id = record.repo_id
    CROSS JOIN tag_names AS name ON name.id = record.tag_id CROSS JOIN tag_origins AS origin ON origin.id = record.origin_id
    WHERE ${ofOrganization}`,
  params: rangeOf,
  keySource: `json_each(?) AS given CROSS JOIN tag_repos AS repo ON repo.repo_uid = given.value ->> 0
    CROSS JOIN tag_names AS name ON name.repo_id = repo.id AND name.tag = given.value ->> 1
    CROSS JOIN tag_records AS record ON record.tag_id = name.id AND record.update_time = given.value ->> 2
    CROSS JOIN tag_origins AS origin ON origin.id = record.origin_id`,
  write: (rows) => [
    // An import can delete a record and write another one for the same time. Only the flags of a record can be updated.
    {
      sql: `DELETE FROM tag_records WHERE (tag_id, update_time) IN (SELECT record.tag_id, record.update_time
        FROM json_each(?) CROSS JOIN tag_records AS record
          ON record.tag_id = ${nameId(value(1), value(2))} AND record.update_time = ${value(3)}
        WHERE record.digest IS NOT ${value(4)} OR record.origin_id IS NOT ${recordOrigin})`,
      params: each(rows),
    },
    {
      sql: `INSERT INTO tag_records (tag_id, update_time, organization_id, repo_id, digest, origin_id, flags)
        SELECT ${nameId(value(1), value(2))}, ${value(3)}, (SELECT organization_id FROM tag_repos WHERE repo_uid = ${value(1)}),
          ${repoId(value(1))}, ${value(4)}, ${recordOrigin}, ${value(9)}
        FROM json_each(?) WHERE true ON CONFLICT (tag_id, update_time) DO UPDATE SET flags = excluded.flags`,
      params: each(rows),
    },
  ],
  remove: deletionByKeys(
    "tag_records",
    ["tag_id", "update_time"],
    [nameId("value ->> 0", "value ->> 1"), "value ->> 2"],
  ),
  purge: deletionOf(
    "tag_records",
    ["tag_id", "update_time"],
    `SELECT record.tag_id, record.update_time FROM tag_records AS record WHERE ${ofOrganization}`,
  ),
  path: (row) => repoUid(`${row}.repo_id`),
  keyOf: (row) =>
    `json_array(${repoUid(`${row}.repo_id`)}, (SELECT tag FROM tag_names WHERE id = ${row}.tag_id), ${row}.update_time)`,
};

/** In the order in which they can be written. */
export const tagHistory: NumberedTable[] = [tagRepos, tagNames, tagOrigins, tagRecords];
