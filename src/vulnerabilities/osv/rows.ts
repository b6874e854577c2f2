/** The rows of advisories from OSV records: the D1 statement that writes them. */
import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { advisories } from "../../../schema/tables/vulnerabilities/advisories.ts";
import { insertFrom } from "../../aip/insert_from.ts";
import type { Call } from "../../auth/call.ts";
import type { OsvRead } from "./reading.ts";

/** A record to write: the uid of its advisory, and its stored origin. */
export interface OsvChange extends OsvRead {
  uid: string;
  originBefore: string | null;
}

/** A member of a Change in the JSON of an import, called "given". */
export const givenMember = (name: keyof OsvChange) =>
  sql`"given"."value" ->> ${sql.raw(`'${name}'`)}`;

/** The members of a Change in that JSON. */
const given: (keyof OsvChange)[] = [
  ...(["uid", "createTime", "updateTime", "deleteTime", "id", "author", "name", "purl"] as const),
  ...(["componentType", "aliases", "severities", "digest"] as const),
];

/** The columns that an import writes, from the JSON of a Change. */
const values: Record<keyof typeof advisories.$inferInsert, SQL> = {
  uid: givenMember("uid"),
  createTime: givenMember("createTime"),
  updateTime: givenMember("updateTime"),
  deleteTime: givenMember("deleteTime"),
  advisoryId: givenMember("id"),
  legacyAdvisoryId: sql`null`,
  author: givenMember("author"),
  artifactName: givenMember("name"),
  artifactType: sql`'library'`,
  artifactArchitecture: sql`'noarch'`,
  componentName: givenMember("name"),
  componentLocation: givenMember("purl"),
  componentType: givenMember("componentType"),
  origin: givenMember("name"),
  aliases: givenMember("aliases"),
  severities: givenMember("severities"),
  source: sql`'osv'`,
  sourceDigest: givenMember("digest"),
  sourceTime: givenMember("updateTime"),
  editTime: sql`null`,
  removeTime: sql`null`,
  shownEvents: sql`null`,
};

/** The columns of a table in the order of its inserts, with their names in the table. */
const writtenColumns = Object.entries(getTableColumns(advisories))
  .filter(([, column]) => column.generated === undefined)
  .map(([property, column]) => ({ property: property as keyof typeof values, name: column.name }));

/** Columns that no record changes. */
const keptColumns = [
  "uid",
  "advisoryId",
  "legacyAdvisoryId",
  "editTime",
  "removeTime",
  "shownEvents",
];

const excludedColumn = (name: string) => sql`excluded.${sql.identifier(name)}`;

/** Columns that always come from the record: version 1 cannot set them. */
const recordColumns = ["severities", "source", "sourceDigest", "sourceTime"];

/**
 * The id of an advisory in a group never changes, and neither do fields that version 1 wrote. All other
 * fields come from the record.
 */
const updatedColumns: Record<string, SQL> = {
  ...Object.fromEntries(
    writtenColumns
      .filter(({ property }) => !keptColumns.includes(property))
      .map(({ property, name }) => {
        if (recordColumns.includes(property)) return [property, excludedColumn(name)];
        const own = sql`${advisories[property]}`;
        return [
          property,
          sql`iif(${advisories.editTime} is null, ${excludedColumn(name)}, ${own})`,
        ];
      }),
  ),
  deleteTime: sql`iif(${advisories.removeTime} is null, excluded.delete_time,
    ${advisories.deleteTime})`,
  // The update time increases with every change. It can be later than that of the record if someone changed
  // the row in between.
  updateTime: sql`max(excluded.update_time, ${advisories.updateTime} + 1)`,
};

/** The statement that writes the advisories. */
export function upsertOsvAdvisories(call: Call, changes: OsvChange[]) {
  const json = JSON.stringify(
    changes.map((change) => Object.fromEntries(given.map((name) => [name, change[name]]))),
  );
  const source = sql`from json_each(${json}) as "given" where true`;
  return insertFrom(call.db, advisories, values, source).onConflictDoUpdate({
    target: advisories.uid,
    set: updatedColumns,
  });
}
