/** What an import of advisories was decided by, so that it is written only where that still stands. */
import { type SQL, sql } from "drizzle-orm";
import { advisories } from "../../../schema/tables/vulnerabilities/advisories.ts";

/**
 * Whether the advisories of these ids in the group are exactly those that were read, each at its
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
