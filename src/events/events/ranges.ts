/**
 * SQL about the places of events in their order: those of a time, and those of a group. Times say nothing about the
 * places of events that moved here with their organization.
 */
import { type SQL, sql } from "drizzle-orm";
import { events, isTimeMark } from "../../../schema/tables/events/events.ts";
import { aboveOf, ancestorKeyOf, parentKeyOf } from "../../../schema/tables/list_indexes.ts";
import { uidDepth } from "../../aip/uid_path.ts";

/**
 * Events of two Workers are in the order of their numbers. Their times differ by less from that order. In milliseconds.
 */
export const clockTolerance = 60_000;

/** The number of a marked event. Null if there is none. */
const mark = (condition: SQL) =>
  sql`(select ${events.seq} from ${events} where ${isTimeMark} and ${condition} limit 1)`;

/** The number of the first event with this time or a later one. Null if there is none. It reads about 16 events. */
export const firstSince = (time: number): SQL =>
  sql`(select ${events.seq} from ${events} where ${events.time} >= ${time}
    and ${events.seq} >= coalesce(${mark(sql`${events.time} < ${time} order by ${events.time} desc`)}, 0)
    order by ${events.seq} limit 1)`;

/** A number that no event of an earlier time exceeds. */
export const endBefore = (time: number): SQL =>
  sql`coalesce(${mark(sql`${events.time} >= ${time} order by ${events.time}`)}, ${Number.MAX_SAFE_INTEGER})`;

/** The number of the last event with an earlier time. Null if there is none. It reads about 16 events. */
export const lastBefore = (time: number): SQL =>
  sql`(select ${events.seq} from ${events} where ${events.time} < ${time}
    and ${events.seq} > 0 and ${events.seq} <= ${endBefore(time)} order by ${events.seq} desc limit 1)`;

/** The condition that an event is about a group itself. */
export const isOfGroup = (uid: string): SQL =>
  sql`${events.parentKey} = ${parentKeyOf(uid)} and ${events.parent} = ${uid}`;

/**
 * The conditions of the two parts of the events of a group: its own, and those of the groups below it. Each is a range
 * of an index, in the order of the events.
 */
export function partsBelow(uid: string): SQL[] {
  const depth = uidDepth(uid);
  const above = aboveOf(events)[depth];
  const { ancestor0, ancestor1, ancestor2, ancestor3, ancestor4 } = events;
  const ancestor = [ancestor0, ancestor1, ancestor2, ancestor3, ancestor4][depth];
  const further =
    above && ancestor && sql`${above} = ${ancestorKeyOf(uid)} and ${ancestor} = ${uid}`;
  return further ? [isOfGroup(uid), further] : [isOfGroup(uid)];
}
