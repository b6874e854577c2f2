/** Times as people write and read them: `30d`, `3 days ago`, `3 d 4 h`. */
import ms, { type StringValue } from "ms";
import { usageFailure } from "../failure.ts";
import { note } from "../surroundings.ts";
import { dayInWords, localText, nextDay } from "./day_words.ts";

const day = /^\d{4}-\d\d-\d\d$/;
/** RFC 3339, section 5.6. The letters may be lowercase, and a space may replace the T. */
const time = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;
const duration = /^\d+(\.\d+)?\s*(s|m|h|d|w|y|secs?|mins?|(second|minute|hour|day|week|year)s?)$/;

/**
 * Parses a time on the command line. It is an RFC 3339 time, a date (its first moment in UTC), or an age such as `30d`, `12h` or
 * `2w` before `now`. A day in words means its first moment here, which a line on standard error names. Throws a USAGE Failure for anything else.
 */
export function parseTime(text: string, now: Date): Date {
  const asked = text.trim();
  const age = parseAge(asked);
  if (age !== undefined) return new Date(now.getTime() - age);
  const inWords = dayInWords(asked, now);
  if (inWords) {
    note(`${asked} began at ${localText(inWords)}.`);
    return inWords;
  }
  if (day.test(asked) || time.test(asked)) {
    const date = new Date(asked.toUpperCase().replace(" ", "T"));
    // JavaScript reads February 30 as March 1.
    if (!Number.isNaN(date.getTime()) && isDay(asked.slice(0, 10))) return date;
  }
  throw usageFailure(
    `${text} is not a time. Write 2026-01-31, 2026-01-31T12:00:00Z, yesterday, last tuesday, or an age such as 30d or 12h.`,
  );
}

/** Returns an age such as `30d` or `12h` in milliseconds, or undefined. Times that far from now must exist. */
export function parseAge(text: string): number | undefined {
  const asked = text.trim();
  const age = duration.test(asked) ? ms(asked as StringValue) : Number.NaN;
  const isTime = (value: number) => !Number.isNaN(new Date(value).getTime());
  return isTime(Date.now() - age) && isTime(Date.now() + age) ? age : undefined;
}

/** Parses a time in the same way, except that a date means its last millisecond, as `end` in the Tag History API. */
export function parseEnd(text: string, now: Date): Date {
  const date = parseTime(text, now);
  if (dayInWords(text, now)) return new Date(nextDay(date).getTime() - 1);
  return day.test(text.trim()) ? new Date(date.getTime() + dayLong - 1) : date;
}

/** Returns the first moment after that end, for an API that leaves out the end of a period. */
export const endAfter = (text: string, now: Date): Date =>
  new Date(parseEnd(text, now).getTime() + 1);

function isDay(text: string): boolean {
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const dayLong = 24 * hour;
const year = 365.25 * dayLong;

/** The units, longest first, each with the shortest distance that is shown in that unit. */
const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", year],
  ["month", year / 12],
  ["week", 7 * dayLong],
  ["day", dayLong],
  ["hour", hour],
  ["minute", minute],
  ["second", second],
];

/** Created when it is first used, because creating it takes a tenth of the time of a whole command. */
let relative: Intl.RelativeTimeFormat | undefined;

/** Returns `3 days ago`, `just now` for less than a second, or `in 3 days` for a future time. Rounded down. */
export function relativeTime(date: Date, now: Date): string {
  const distance = date.getTime() - now.getTime();
  for (const [unit, length] of steps) {
    // Weeks are less clear than days for short distances and than months for long ones.
    if (unit === "week" && Math.abs(distance) < 2 * length) continue;
    const count = Math.trunc(distance / length);
    if (count === 0) continue;
    relative ??= new Intl.RelativeTimeFormat("en", { numeric: "always" });
    return relative.format(count, unit);
  }
  return "just now";
}

const parts: [string, number][] = [
  ["y", 365 * dayLong],
  ["d", dayLong],
  ["h", hour],
  ["min", minute],
  ["s", second],
];

/**
 * Returns a duration in its two largest units, such as `3 d 4 h`, `1 y 20 d` or `12 s`. Less than a second is `0 s`.
 */
export function durationText(milliseconds: number): string {
  const index = parts.findIndex(([, length]) => milliseconds >= length);
  if (index < 0) return "0 s";
  let rest = milliseconds;
  const largestUnits = parts.slice(index, index + 2).map(([unit, length]) => {
    const count = Math.floor(rest / length);
    rest -= count * length;
    return count > 0 ? `${count} ${unit}` : "";
  });
  return largestUnits.filter(Boolean).join(" ");
}
