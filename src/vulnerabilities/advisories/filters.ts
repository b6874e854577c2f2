/** The filters of ListAdvisories in SQL (contract: v2 messages, ListAdvisoriesRequest). */
import {
  and,
  desc,
  eq,
  exists,
  gt,
  inArray,
  lt,
  or,
  type SQL,
  type SQLWrapper,
  sql,
} from "drizzle-orm";
import {
  type EventTypeFilter,
  type ListAdvisoriesRequest,
  ReviewState,
} from "../../../schema/gen/platform/vulnerabilities/v2/advisories_pb.js";
import { advisories, advisoryEvents } from "../../../schema/tables/vulnerabilities/advisories.ts";
import { advisoryAliases } from "../../../schema/tables/vulnerabilities/advisory_aliases.ts";
import { valuesSubselect } from "../../aip/any_of.ts";
import type { Database } from "../../auth/call.ts";
import { canonicalName, spelledTypes } from "../../packages/names.ts";

/** The column has one of the values. Undefined, which filters nothing, if there are no values. */
const isOneOf = (column: SQLWrapper, values: readonly (string | number)[]) =>
  values.length > 0 ? sql`${column} in ${valuesSubselect(values)}` : undefined;

/**
 * The name has one of the values, each in any spelling that its ecosystem allows. Imports store the one spelling of
 * {@link canonicalName}.
 */
function isNamed(column: SQLWrapper, names: readonly string[]): SQL | undefined {
  const spelled = spelledTypes.map((type) => ({
    type,
    canonical: names.map((name) => canonicalName(type, name)),
  }));
  const all = new Set([...names, ...spelled.flatMap(({ canonical }) => canonical)]);
  if (all.size === new Set(names).size) return isOneOf(column, names);
  const inType = spelled.map(
    ({ type, canonical }) =>
      sql`(${advisories.componentType} = ${type} and ${isOneOf(column, canonical)})`,
  );
  // The names first, as they have an index.
  return and(isOneOf(column, [...all]), or(isOneOf(column, names), ...inType));
}

/** A substring match that ignores case. LIKE would do the same, but D1 limits its patterns to 50 bytes. */
const containsText = (text: SQLWrapper, part: string) =>
  sql`instr(lower(${text}), lower(${part})) > 0`;

/** One of the aliases of the row meets a condition on `alias.value`. */
const someAlias = (condition: SQL) =>
  sql`exists (select 1 from json_each(${advisories.aliases}) as "alias" where ${condition})`;

const alias = sql`"alias"."value"`;

/** Selects the advisories that have one of the aliases, in all groups unless the request names one. */
function aliasIsOneOf(db: Database, { aliases, uidp }: ListAdvisoriesRequest): SQL | undefined {
  if (aliases.length === 0) return undefined;
  const { advisoryUid } = advisoryAliases;
  const group = uidp?.descendantsOf || uidp?.childrenOf || "";
  const isWithin = group === "" ? [] : [gt(advisoryUid, `${group}/`), lt(advisoryUid, `${group}0`)];
  const aliased = db
    .select({ uid: advisoryUid })
    .from(advisoryAliases)
    .where(and(sql`${advisoryAliases.alias} in ${valuesSubselect(aliases)}`, ...isWithin));
  return inArray(advisories.uid, aliased);
}

function mentionsText(part: string): SQL | undefined {
  if (part === "") return undefined;
  // Few texts contain what JSON escapes. For all others, the whole column decides first, which reads no further rows.
  const isPlain = JSON.stringify(part) === `"${part}"`;
  return or(
    containsText(advisories.artifactName, part),
    containsText(advisories.componentName, part),
    and(
      isPlain ? containsText(advisories.aliases, part) : undefined,
      someAlias(containsText(alias, part)),
    ),
  );
}

/** At least one event of the row meets the condition. */
function someEvent(db: Database, condition: SQL | undefined): SQL | undefined {
  if (!condition) return undefined;
  return exists(
    db
      .select({ one: sql`1` })
      .from(advisoryEvents)
      .where(and(eq(advisoryEvents.advisoryUid, advisories.uid), condition)),
  );
}

/** No event of the row meets the condition. */
function noEvent(db: Database, condition: SQL | undefined): SQL | undefined {
  const eventExists = someEvent(db, condition);
  return eventExists && sql`not ${eventExists}`;
}

function latestApprovedIs(db: Database, type: EventTypeFilter | undefined): SQL | undefined {
  if (!type) return undefined;
  const { advisoryUid, reviewState, createTime, uid } = advisoryEvents;
  const latest = db
    .select({ type: advisoryEvents.type })
    .from(advisoryEvents)
    .where(and(eq(advisoryUid, advisories.uid), eq(reviewState, ReviewState.APPROVED)))
    .orderBy(desc(createTime), desc(advisoryEvents.type), desc(uid))
    .limit(1);
  return sql`${latest} = ${type as number}`;
}

/** The conditions for the filters of a List. Each of them must hold. */
export function advisoryFilters(db: Database, request: ListAdvisoriesRequest): (SQL | undefined)[] {
  const { origin } = request;
  return [
    isOneOf(advisories.advisoryId, request.advisoryIds),
    isOneOf(advisories.legacyAdvisoryId, request.legacyAdvisoryIds),
    origin === undefined
      ? isNamed(advisories.artifactName, request.artifactNames)
      : eq(advisories.origin, origin),
    isOneOf(advisories.artifactType, request.artifactTypes),
    isOneOf(advisories.artifactArchitecture, request.artifactArchitectures),
    isNamed(advisories.componentName, request.componentNames),
    isOneOf(advisories.componentType, request.componentTypes),
    isOneOf(advisories.componentLocation, request.componentLocations),
    aliasIsOneOf(db, request),
    someEvent(db, isOneOf(advisoryEvents.reviewState, request.eventReviewStates)),
    someEvent(db, isOneOf(advisoryEvents.author, request.eventAuthors)),
    noEvent(db, isOneOf(advisoryEvents.author, request.excludeEventAuthors)),
    someEvent(db, isOneOf(advisoryEvents.reviewer, request.eventReviewers)),
    someEvent(db, isOneOf(advisoryEvents.type, request.eventTypes)),
    latestApprovedIs(db, request.latestEventType),
    mentionsText(request.query),
  ];
}

/** Whether a filter selects rows by a column with its own index. */
export const hasSelectiveFilter = (request: ListAdvisoriesRequest): boolean =>
  request.advisoryIds.length > 0 ||
  request.aliases.length > 0 ||
  request.artifactNames.length > 0 ||
  request.componentNames.length > 0 ||
  request.origin !== undefined;
