/** The rows of advisories that come from OSV records: the statement of D1 that writes them. */
import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { advisories } from "../../../schema/tables/vulnerabilities/advisories.ts";
import { insertFrom } from "../../aip/insert_from.ts";
import type { Call } from "../../auth/call.ts";
import type { OsvRead } from "./reading.ts";

/** A record that is to be written: the uid of its advisory, and the origin stored there so far. */
export interface OsvChange extends OsvRead {
  uid: string;
  originBefore: string | null;
}

/** A member of a Change out of the JSON of an import, called "given". */
export const givenMember = (name: keyof OsvChange) =>
  sql`"given"."value" ->> ${sql.raw(`'${name}'`)}`;

/** Each column that an import writes, out of the JSON of a Change. */
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
};

/** The columns of a table that an insert names, in its order, with their names in the table. */
const writtenColumns = Object.entries(getTableColumns(advisories))
  .filter(([, column]) => column.generated === undefined)
  .map(([property, column]) => ({ property: property as keyof typeof values, name: column.name }));

/** Columns that stay what they are whatever a record says. */
const keptColumns = ["uid", "advisoryId", "legacyAdvisoryId", "editTime", "removeTime"];

const excludedColumn = (name: string) => sql`excluded.${sql.identifier(name)}`;

/** Columns that are the record's even where version 1 wrote what the row says: it cannot set them. */
const recordColumns = ["severities", "source", "sourceDigest", "sourceTime"];

/** An id stays what it is in the group, and so does what version 1 wrote; the rest is the record's. */
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
  // It grows with every change. The row's may be past the record's, where somebody changed it in between.
  updateTime: sql`max(excluded.update_time, ${advisories.updateTime} + 1)`,
};

/** The statement that writes the advisories. */
export function upsertOsvAdvisories(call: Call, changes: OsvChange[]) {
  const json = JSON.stringify(
    changes.map(({ steps: _, libraries: __, vulnerability: ___, record: ____, ...rest }) => rest),
  );
  const source = sql`from json_each(${json}) as "given" where true`;
  return insertFrom(call.db, advisories, values, source).onConflictDoUpdate({
    target: advisories.uid,
    set: updatedColumns,
  });
}
