/** The time range of a Tag History request: `start` and `end` in ISO 8601, both inclusive. */
import { quoted } from "../aip/quoted.ts";
import { queryInvalid } from "./errors.ts";

/** Milliseconds since 1970 in UTC, both inclusive. */
export interface TimeRange {
  start: number;
  end: number;
}

const timePattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:([Zz])|([+-]\d{2}):?(\d{2}))?)?$/;

const dayMs = 24 * 3600 * 1000;

/** The greatest time that a Date can represent. */
const maxDate = 8.64e15;

/**
 * Reads the range. A date without a time means the whole day. A time without a zone is UTC. An empty
 * parameter counts as missing. Throws QUERY_INVALID.
 */
export function readTimeRange(query: URLSearchParams): TimeRange {
  const start = readMoment(query, "start")?.first ?? -maxDate;
  const end = readMoment(query, "end")?.last ?? maxDate;
  if (start > end) throw queryInvalid("start must not be after end");
  return { start, end };
}

function readMoment(
  query: URLSearchParams,
  name: string,
): { first: number; last: number } | undefined {
  const [text = "", ...more] = query.getAll(name);
  if (more.length > 0) throw queryInvalid(`${name} is given more than once; it takes one value`);
  if (text === "") return undefined;
  // A plus sign that was not percent-encoded arrives as a space.
  const moment = parseMoment(text.replace(/ (?=\d{2}:?\d{2}$)/, "+"));
  if (moment) return moment;
  throw queryInvalid(
    `${name} must be a date or a time in ISO 8601, such as 2026-01-31 or 2026-01-31T12:00:00Z; ` +
      `you sent ${quoted(text)}`,
  );
}

function parseMoment(text: string): { first: number; last: number } | undefined {
  const match = timePattern.exec(text);
  if (!match) return undefined;
  const [, year, month, date, hours, minutes, seconds = "00", fraction = "", , zone, zoneMinutes] =
    match;
  const midnight = Date.parse(`${year}-${month}-${date}T00:00:00Z`);
  // Date.parse reads 30 February as 2 March.
  const isDate = new Date(midnight || 0).toISOString().slice(0, 10) === `${year}-${month}-${date}`;
  if (!isDate) return undefined;
  if (hours === undefined) return { first: midnight, last: midnight + dayMs - 1 };
  const clock = `${hours}:${minutes}:${seconds}.${fraction.slice(0, 3).padEnd(3, "0")}`;
  const time = Date.parse(
    `${year}-${month}-${date}T${clock}${zone ? `${zone}:${zoneMinutes}` : "Z"}`,
  );
  return Number.isNaN(time) ? undefined : { first: time, last: time };
}
