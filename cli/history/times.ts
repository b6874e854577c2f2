/** Times as people write and read them: `30d`, `3 days ago`, `3 d 4 h`. */
import ms, { type StringValue } from "ms";
import { usageFailure } from "../failure.ts";

const day = /^\d{4}-\d\d-\d\d$/;
/** RFC 3339, section 5.6; the letters may be small, and a space may stand for the T. */
const time = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;
const duration = /^\d+(\.\d+)?\s*(s|m|h|d|w|y|secs?|mins?|(second|minute|hour|day|week|year)s?)$/;

/**
 * The moment that a text of the command line names: an RFC 3339 time, a date (its first moment in
 * UTC), or a duration before `now` such as `30d`, `12h` or `2w`. Throws a USAGE Failure for anything else.
 */
export function parseTime(text: string, now: Date): Date {
  const asked = text.trim();
  if (duration.test(asked)) {
    const at = new Date(now.getTime() - ms(asked as StringValue));
    if (!Number.isNaN(at.getTime())) return at;
  }
  if (day.test(asked) || time.test(asked)) {
    const at = new Date(asked.toUpperCase().replace(" ", "T"));
    // JavaScript takes February 30 for March 1.
    if (!Number.isNaN(at.getTime()) && isDay(asked.slice(0, 10))) return at;
  }
  throw usageFailure(
    `Not a time: ${text}. Write 2026-01-31, 2026-01-31T12:00:00Z, or how long ago it was, such as 30d or 12h.`,
  );
}

/** The same, but that a date is the whole day: its last millisecond, as `end` of the Tag History API. */
export function parseEnd(text: string, now: Date): Date {
  const at = parseTime(text, now);
  return day.test(text.trim()) ? new Date(at.getTime() + dayLong - 1) : at;
}

function isDay(text: string): boolean {
  const at = new Date(text);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const dayLong = 24 * hour;
const year = 365.25 * dayLong;

/** From the longest: the shortest distance that is told in a unit, and that unit's length. */
const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", year],
  ["month", year / 12],
  ["week", 7 * dayLong],
  ["day", dayLong],
  ["hour", hour],
  ["minute", minute],
  ["second", second],
];

/** Made with the first time that is shown: it takes a tenth of the time of a whole command. */
let relative: Intl.RelativeTimeFormat | undefined;

/** `3 days ago`; `just now` below a second; `in 3 days` for what is to come. Rounded down. */
export function relativeTime(date: Date, now: Date): string {
  const distance = date.getTime() - now.getTime();
  for (const [unit, length] of steps) {
    // Weeks say little once months are near, and nothing that days do not.
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

/** A length of time in its two largest units: `3 d 4 h`, `1 y 20 d`, `12 s`; `0 s` below a second. */
export function durationText(milliseconds: number): string {
  const at = parts.findIndex(([, length]) => milliseconds >= length);
  if (at < 0) return "0 s";
  let rest = milliseconds;
  const largestUnits = parts.slice(at, at + 2).map(([unit, length]) => {
    const count = Math.floor(rest / length);
    rest -= count * length;
    return count > 0 ? `${count} ${unit}` : "";
  });
  return largestUnits.filter(Boolean).join(" ");
}
