/** Decides which events a subscription receives. */
import { or, type SQL, sql } from "drizzle-orm";
import types from "../../../schema/gen/event_types.json" with { type: "json" };
import { EventGrouping } from "../../../schema/gen/platform/events/v2/subscriptions_pb.js";
import { FindingSeverity } from "../../../schema/gen/platform/registry/findings/v2/findings_pb.js";
import { events } from "../../../schema/tables/events/events.ts";
import { subscriptions } from "../../../schema/tables/events/subscriptions.ts";
import { invalidArgument } from "../../aip/errors.ts";
import { quoted } from "../../aip/quoted.ts";
import type { Config } from "../../config.ts";

/**
 * Throws INVALID_ARGUMENT for a type that no event has, because its subscriber would wait in vain. The error
 * names the type that begins most like it. The subscription has `stored` types already, which remain valid.
 */
export function requireKnownTypes(
  { vendor }: Config,
  eventTypes: string[],
  stored: string[] = [],
): void {
  const prefix = `dev.${vendor}.`;
  for (const [index, wanted] of eventTypes.entries()) {
    const own = wanted.startsWith(prefix) ? wanted.slice(prefix.length) : wanted;
    if (stored.includes(wanted) || isKnown(own, prefix)) continue;
    const field = `event_types[${index}]`;
    throw invalidArgument(
      field,
      `${field} is not the type of any event; you sent ${quoted(wanted)}, and there is ${quoted(nearest(own))}`,
    );
  }
}

function isKnown(wanted: string, prefix: string): boolean {
  if (!wanted.endsWith("*")) return types.includes(wanted);
  const start = wanted.slice(0, -1);
  return [prefix, ...types].some((type) => type.startsWith(start));
}

const pullType = "registry.pull.v1";

/** Whether the types of a subscription can include that of a pull. Without types, it receives all events. */
export const includesPulls = (eventTypes: readonly string[]): boolean =>
  eventTypes.length === 0 ||
  eventTypes.some((wanted) => {
    const own = wanted.replace(/^dev\.[^.]+\./, "");
    if (!own.endsWith("*")) return own === pullType;
    const start = own.slice(0, -1);
    return pullType.startsWith(start) || "dev.".startsWith(start) || /^dev\.[^.]*$/.test(start);
  });

/** The first of the types that have the longest beginning in common with a text. */
function nearest(text: string): string {
  for (let length = text.length; length > 0; length -= 1) {
    const match = types.find((type) => type.startsWith(text.slice(0, length)));
    if (match) return match;
  }
  return types[0] ?? "";
}

/**
 * The condition that a subscription receives an event, for a statement that reads both tables. Events with a
 * recipient go to it alone, whatever its filters are.
 */
export const isWanted = (vendor: string): SQL => sql`
  ${events.audience} = 'customer'
  and ${subscriptions.parent} in (${events.ancestor0}, ${events.ancestor1}, ${events.ancestor2},
    ${events.ancestor3}, ${events.ancestor4})
  and iif(${events.recipient} = '', ${hasType(vendor)} and ${isAboutRepo} and ${isAboutTag} and ${isSevere},
    ${events.recipient} = ${subscriptions.uid})`;

/**
 * The condition that an event has one of the types in a JSON list. A type in the list can have the prefix
 * `dev.<vendor>.` or not. With `*` at its end it is the beginning of a type.
 */
function isOfType(vendor: string, types: SQL): SQL {
  const withoutPrefix = sql`substr(${events.type}, ${`dev.${vendor}.`.length + 1})`;
  return sql`exists (select 1 from json_each(${types}) as "wanted"
    where "wanted"."value" in (${beginning(sql`${events.type}`)}, ${beginning(withoutPrefix)}))`;
}

/**
 * The condition that an event has one of these types, written as in {@link isOfType}. It reads no row for a type,
 * because all types are in one text. SQLite looks in it for the type of the event, and for the beginnings of that type.
 */
export function isOfOneType({ vendor }: Config, wanted: string[]): SQL | undefined {
  const prefix = `dev.${vendor}.`;
  const canMatch = (type: string) =>
    type.startsWith("dev.") || "dev.".startsWith(type.slice(0, -1));
  const full = wanted.flatMap((type) => [type, prefix + type]).filter(canMatch);
  const wantedText = ` ${full.join(" ")} `;
  const beginnings = full.filter((type) => type.endsWith("*")).map(({ length }) => length - 1);
  return or(
    sql`instr(${wantedText}, ' ' || ${events.type} || ' ') > 0`,
    ...[...new Set(beginnings)].map(
      (length) =>
        sql`instr(${wantedText}, ' ' || substr(${events.type}, 1, ${sql.raw(String(length))}) || '* ') > 0`,
    ),
  );
}

const hasType = (vendor: string) =>
  sql`(${subscriptions.eventTypes} = '[]' or ${isOfType(vendor, sql`${subscriptions.eventTypes}`)})`;

/** A type, cut to the length of the wanted one if that ends with `*`. D1 limits the patterns of LIKE and GLOB. */
const beginning = (type: SQL) => sql`iif(substr("wanted"."value", -1) = '*',
  substr(${type}, 1, length("wanted"."value") - 1) || '*', ${type})`;

/** The types of events that a subscription can get together, and those of the events about several of them. */
export const groupedTypes = {
  "api.platform.registry.image.affected.v1": "api.platform.registry.image.affected.batch.v1",
  "api.platform.registry.image.no_longer_affected.v1":
    "api.platform.registry.image.no_longer_affected.batch.v1",
} as const;

/** The condition that an event has one of these types. */
const canBeGrouped = (vendor: string): SQL =>
  sql`${events.type} in (${sql.join(
    Object.keys(groupedTypes).map((type) => sql`${`dev.${vendor}.${type}`}`),
    sql`, `,
  )})`;

/** The condition that a subscription gets an event only together with others. */
export const isGrouped = (vendor: string): SQL =>
  sql`(${subscriptions.grouping} = ${sql.raw(String(EventGrouping.VULNERABILITY))}
    and ${events.recipient} = '' and ${canBeGrouped(vendor)})`;

/**
 * An event with a severity that is lower than the wanted one is left out. One that is unknown has no number here, like an
 * event about something else.
 */
const isSevere = sql`(${subscriptions.minimumSeverity} = 0
  or ifnull(case ${events.extensions} ->> 'severity' ${sql.join(
    [
      FindingSeverity.NEGLIGIBLE,
      FindingSeverity.LOW,
      FindingSeverity.MEDIUM,
      FindingSeverity.HIGH,
      FindingSeverity.CRITICAL,
    ].map((one) => sql.raw(`when '${FindingSeverity[one].toLowerCase()}' then ${one}`)),
    sql` `,
  )} end >= ${subscriptions.minimumSeverity}, true))`;

const isAboutRepo = sql`(${subscriptions.repos} = '[]'
  or ${events.repo} in (select "value" from json_each(${subscriptions.repos})))`;

/** An event about several tags is wanted if one of them matches. The names in packed data are stored next to it. */
const isAboutTag = sql`(${subscriptions.tagPattern} = ''
  or (${events.tag} <> '' and ${events.tag} glob ${subscriptions.tagPattern})
  or exists (select 1 from json_each(${events.data}, '$.body.moves') as "move"
    where "move"."value" ->> 'name' glob ${subscriptions.tagPattern})
  or exists (select 1 from json_each(${events.data}, '$.body.tags') as "shown"
    where "shown"."value" glob ${subscriptions.tagPattern})
  or exists (select 1 from json_each(${events.data}, '$.tags') as "tag"
    where "tag"."value" glob ${subscriptions.tagPattern}))`;
