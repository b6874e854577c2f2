/** The history of a tag (Tag History API). */
import { send } from "./connection.ts";
import { Unreachable } from "./errors.ts";
import { readImage } from "./image.ts";
import type { CallOptions } from "./operation.ts";
import { pathOf, pullToken, type RegistryConnection } from "./registry.ts";

/** A record that a tag has pointed to a digest since a time. */
export interface HistoryRecord {
  /** The time in RFC 3339, in UTC, with milliseconds. */
  updateTimestamp: string;
  /** `sha256:` and 64 hexadecimal digits. */
  digest: string;
}

/** The records to read, and their order. */
export interface HistoryOptions extends CallOptions {
  /** The first time to include, in ISO 8601. A date means the beginning of that day in UTC. */
  start?: string | Date | undefined;
  /** The last time to include, in ISO 8601. A date means the end of that day in UTC. */
  end?: string | Date | undefined;
  /** Whether to return the newest record first. */
  reverse?: boolean | undefined;
}

/** The most records in a response (Tag History API, rule 3). */
const maxPageSize = 1000;

/** A range of time that includes both ends. `after` has already been read, and is left out if it appears again. */
interface Range {
  start?: string | undefined;
  end?: string | undefined;
  after?: HistoryRecord[];
}

interface HistoryPage {
  records: HistoryRecord[];
  /** Whether there are more records, at the time of the last record or later. */
  isCut: boolean;
}

/** Returns the records of an image's tag. Throws a TypeError for an invalid name. */
export function readHistory(
  registry: RegistryConnection,
  image: string,
  options: HistoryOptions,
): AsyncIterable<HistoryRecord> {
  const parsedImage = readImage(image, new URL(registry.base).host);
  const { start, end, reverse, ...how } = options;
  const connection = {
    ...registry.connection,
    token: pullToken(registry, parsedImage),
  };
  const historyUrl = `${registry.base}/v2/${pathOf(parsedImage.name)}/_${registry.vendor}/history/${encodeURIComponent(parsedImage.tag)}`;
  const read = async ({ after = [], ...range }: Range): Promise<HistoryPage> => {
    const query = new URLSearchParams(
      Object.entries(range).filter((pair): pair is [string, string] => pair[1] !== undefined),
    );
    const url = String(query) === "" ? historyUrl : `${historyUrl}?${query}`;
    const { json, headers } = await send(connection, { method: "GET", url, isSafe: true }, how);
    return toHistoryPage(json.history, headers, after, historyUrl);
  };
  const range = { start: textOf(start, "start"), end: textOf(end, "end") };
  return { [Symbol.asyncIterator]: () => (reverse ? newestFirst : oldestFirst)(read, range) };
}

function textOf(moment: string | Date | undefined, name: string): string | undefined {
  if (!(moment instanceof Date)) return moment;
  if (Number.isNaN(moment.getTime())) throw new TypeError(`${name} is not a valid Date`);
  return moment.toISOString();
}

function toHistoryPage(
  history: unknown,
  headers: Headers,
  after: HistoryRecord[],
  url: string,
): HistoryPage {
  if (!Array.isArray(history))
    throw new Unreachable(`${url} returned no history, so it is not a registry of a platform.`);
  const allRecords = history as HistoryRecord[];
  const isKnown = (record: HistoryRecord) =>
    after.some(
      ({ updateTimestamp, digest }) =>
        updateTimestamp === record.updateTimestamp && digest === record.digest,
    );
  const records = allRecords.filter((record) => !isKnown(record));
  // Only this platform sends the header. On other platforms, a full response may also be incomplete.
  const isCut = headers.has("link") || allRecords.length >= maxPageSize;
  if (isCut && records.length === 0) {
    throw new Unreachable(
      `${url} has too many records with the same time: they do not fit in one response.`,
    );
  }
  return { records, isCut };
}

type ReadRange = (range: Range) => Promise<HistoryPage>;

/** Returns the records with the same time as the last one. The next response begins with them again. */
function continueAfter(records: HistoryRecord[]): { start: string; after: HistoryRecord[] } {
  const start = records.at(-1)?.updateTimestamp ?? "";
  return { start, after: records.filter(({ updateTimestamp }) => updateTimestamp === start) };
}

async function* oldestFirst(read: ReadRange, range: Range): AsyncGenerator<HistoryRecord> {
  for (let next = range; ; ) {
    const { records, isCut } = await read(next);
    yield* records;
    if (!isCut) return;
    next = { ...range, ...continueAfter(records) };
  }
}

/**
 * Reads records newest first, although the registry returns only the oldest records of a range. It halves the rest of
 * the range in time and reads the later half first. Records that it reads on the way are kept until their turn, so that
 * no record is requested twice. Memory holds at most a few pages.
 */
async function* newestFirst(read: ReadRange, range: Range): AsyncGenerator<HistoryRecord> {
  const { records, isCut } = await read(range);
  if (isCut) {
    const rest = continueAfter(records);
    const from = Date.parse(rest.start);
    const middle = Math.floor((from + endTime(range.end)) / 2);
    const isHalved = middle > from;
    if (isHalved) {
      yield* newestFirst(read, { start: new Date(middle + 1).toISOString(), end: range.end });
    }
    const end = isHalved ? new Date(middle).toISOString() : range.end;
    yield* newestFirst(read, { ...rest, end });
  }
  yield* records.toReversed();
}

const zone = /Z$|[+-]\d{2}:?\d{2}$/i;

/**
 * Returns the time of the last possible record in milliseconds: the end, or now. Returns NaN if the registry can read
 * the end and Date.parse cannot.
 */
function endTime(end: string | undefined): number {
  const now = Date.now();
  if (end === undefined) return now;
  // The registry reads a time without a zone as UTC. Date.parse does that only for a date.
  return Math.min(Date.parse(end.includes("T") && !zone.test(end) ? `${end}Z` : end), now);
}
