/** The times of the events about credentials that expire soon. */
import { DAY_MS } from "../../../schema/tables/columns.ts";

/** The days before the expiry that have an event. */
export const noticeDays = [30, 7, 1] as const;

/**
 * The time of the first event about an expiry that is after `now`. Null if none follows, or if nothing expires.
 * All times are in milliseconds since 1970 in UTC.
 */
export function nextNoticeTime(expires: number | null, now: number): number | null {
  if (expires === null) return null;
  const days = noticeDays.find((daysBefore) => expires - daysBefore * DAY_MS > now);
  return days === undefined ? null : expires - days * DAY_MS;
}

/** The days that the latest event at or before `now` announces. */
export const announcedDays = (expires: number, now: number): number =>
  noticeDays.findLast((daysBefore) => expires - daysBefore * DAY_MS <= now) ?? noticeDays[0];
