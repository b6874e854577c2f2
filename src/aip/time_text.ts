/** Writes the times of responses, which can contain thousands. `Date.toISOString` takes three times as long. */
import { DAY_MS } from "../../schema/tables/columns.ts";

const padded = (count: number, length: number) =>
  Array.from({ length: count }, (_, number) => String(number).padStart(length, "0"));
const twoDigits = padded(60, 2);
const threeDigits = padded(1_000, 3);

/** The most days that are remembered, so that they do not fill the memory. */
const maxDays = 1_000;

/** The beginnings of the texts, such as `2026-01-28T`, by the days since 1970. */
const dates = new Map<number, string>();

function dateText(day: number): string {
  const known = dates.get(day);
  if (known !== undefined) return known;
  const text = new Date(day * DAY_MS).toISOString().slice(0, -"00:00:00.000Z".length);
  if (dates.size >= maxDays) dates.clear();
  dates.set(day, text);
  return text;
}

/** RFC 3339 in UTC, always with milliseconds. The time is in whole milliseconds since 1970. */
export function timeText(time: number): string {
  const day = Math.floor(time / DAY_MS);
  const rest = time - day * DAY_MS;
  const seconds = Math.floor(rest / 1_000);
  const minutes = Math.floor(seconds / 60);
  const clock = `${twoDigits[Math.floor(minutes / 60)]}:${twoDigits[minutes % 60]}`;
  return `${dateText(day)}${clock}:${twoDigits[seconds % 60]}.${threeDigits[rest % 1_000]}Z`;
}
