/**
 * Guards the data that an import of advisories depends on. The import is written only while the data is
 * unchanged.
 */
import { type SQL, sql } from "drizzle-orm";
import { advisories } from "../../../schema/tables/vulnerabilities/advisories.ts";

/**
 * Whether the advisories with these ids in the group are exactly those that were read, each with the same
 * update time.
 */
export function areAdvisoriesUnchanged(
  parent: string,
  ids: string[],
  stored: { advisoryId: string; updateTime: number }[],
): SQL {
  const times = new Map(stored.map(({ advisoryId, updateTime }) => [advisoryId, updateTime]));
  const read = JSON.stringify(ids.map((id) => [id, times.get(id) ?? null]));
  return sql`not exists (
    select 1 from json_each(${read}) as "read" left join ${advisories}
      on ${advisories.parent} = ${parent} and ${advisories.advisoryId} = "read"."value" ->> 0
    where ${advisories.updateTime} is not "read"."value" ->> 1)`;
}
