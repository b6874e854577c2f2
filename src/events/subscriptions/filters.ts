/** Decides which events a subscription receives. */
import { type SQL, sql } from "drizzle-orm";
import { events } from "../../../schema/tables/events/events.ts";
import { subscriptions } from "../../../schema/tables/events/subscriptions.ts";

/**
 * The condition that a subscription receives an event, for a statement that reads both tables. Events with a
 * recipient go to it alone, whatever its filters are.
 */
export const isWanted = (vendor: string): SQL => sql`
  ${events.audience} = 'customer'
  and ${subscriptions.parent} in (${events.ancestor0}, ${events.ancestor1}, ${events.ancestor2},
    ${events.ancestor3}, ${events.ancestor4})
  and iif(${events.recipient} = '', ${hasType(vendor)} and ${isAboutRepo} and ${isAboutTag},
    ${events.recipient} = ${subscriptions.uid})`;

/**
 * The condition that an event has one of the types in a JSON list. A type in the list can have the prefix
 * `dev.<vendor>.` or not. With `*` at its end it is the beginning of a type.
 */
export function isOfType(vendor: string, types: SQL): SQL {
  const withoutPrefix = sql`substr(${events.type}, ${`dev.${vendor}.`.length + 1})`;
  return sql`exists (select 1 from json_each(${types}) as "wanted"
    where "wanted"."value" in (${beginning(sql`${events.type}`)}, ${beginning(withoutPrefix)}))`;
}

const hasType = (vendor: string) =>
  sql`(${subscriptions.eventTypes} = '[]' or ${isOfType(vendor, sql`${subscriptions.eventTypes}`)})`;

/** A type, cut to the length of the wanted one if that ends with `*`. D1 limits the patterns of LIKE and GLOB. */
const beginning = (type: SQL) => sql`iif(substr("wanted"."value", -1) = '*',
  substr(${type}, 1, length("wanted"."value") - 1) || '*', ${type})`;

const isAboutRepo = sql`(${subscriptions.repos} = '[]'
  or ${events.repo} in (select "value" from json_each(${subscriptions.repos})))`;

/** An event about several tags is wanted if one of them matches. */
const isAboutTag = sql`(${subscriptions.tagPattern} = ''
  or (${events.tag} <> '' and ${events.tag} glob ${subscriptions.tagPattern})
  or exists (select 1 from json_each(${events.data}, '$.body.moves') as "move"
    where "move"."value" ->> 'name' glob ${subscriptions.tagPattern}))`;
