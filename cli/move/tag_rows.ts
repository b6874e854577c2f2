/** The tags. Their uids have no index, so they are read by repository and name. */
import { each, type NumberedTable, ofRoot, value } from "./numbered_table.ts";
import { deletionOf, rangeOf } from "./sql.ts";

const columns = [
  ...["uid", "create_time", "update_time", "name", "digest", "deprecated", "deprecated_time"],
  ...["bundles", "line", "line_key"],
];

/** The tags of the repository `repo`. */
const ofRepo = "one.parent_key = unhex(substr(repo.uid, -16)) AND one.parent = repo.uid";

/** The tag with a uid, by the index of all paths, which begins with the class. */
const hasUid = (uid: string) =>
  `one.class IN (0, 1, 2, 3) AND one.path = unhex(replace(${uid}, '/', '')) AND one.uid = ${uid}`;

/** The tags of some keys. */
const sentTags = `json_each(?) AS given CROSS JOIN tags AS one ON ${hasUid("(given.value ->> 0)")}`;

/** The tags of an organization. By repository, each batch would read the emptied repositories again. */
const ofOrganization = `SELECT rowid FROM tags WHERE key0 = unhex(substr(?1, 25, 10)) AND uid >= ?1 AND uid < ?2`;

/** The uid of the repository of a row on its way. */
const repoUid = `substr(${value(1)}, 1, length(${value(1)}) - 17)`;

export const tagRows: NumberedTable = {
  name: "tags",
  columns: columns.map((name) => `one.${name}`),
  key: 1,
  order: ["repo.uid", "one.name"],
  source: `repos AS repo CROSS JOIN tags AS one ON ${ofRepo} WHERE ${ofRoot("repo.uid")}`,
  params: rangeOf,
  keySource: `${sentTags} CROSS JOIN repos AS repo ON repo.uid = one.parent`,
  write: (rows) => [
    // A row can be there already, and its new name can still be that of a tag that has another name or is gone.
    {
      sql: `DELETE FROM tags WHERE rowid IN (
        SELECT one.rowid FROM json_each(?) CROSS JOIN tags AS one ON ${hasUid(`(${value(1)})`)} UNION
        SELECT one.rowid FROM json_each(?) CROSS JOIN tags AS one
          ON one.parent_key = unhex(substr(${repoUid}, -16)) AND one.parent = ${repoUid} AND one.name = ${value(4)})`,
      params: [...each(rows), ...each(rows)],
    },
    {
      sql: `INSERT INTO tags (${columns.join(", ")})
        SELECT ${columns.map((_, index) => value(index + 1)).join(", ")} FROM json_each(?)`,
      params: each(rows),
    },
  ],
  remove: (keys) => ({
    sql: `DELETE FROM tags WHERE rowid IN (SELECT one.rowid FROM ${sentTags})`,
    params: [keys],
  }),
  purge: deletionOf("tags", ["rowid"], ofOrganization),
  path: (row) => `${row}.uid`,
  keyOf: (row) => `json_array(${row}.uid)`,
};
