/** What a tag has pointed to (Tag History API). */
import { send } from "./connection.ts";
import { Unreachable } from "./errors.ts";
import { type Image, readImage } from "./image.ts";
import type { CallOptions } from "./operation.ts";
import { cachedToken, type TokenSource } from "./tokens.ts";
import type { Connection } from "./transport.ts";

/** From a moment on a tag pointed to a digest. */
export interface HistoryRecord {
  /** RFC 3339, UTC, with milliseconds. */
  updateTimestamp: string;
  /** `sha256:` and 64 hexadecimal digits. */
  digest: string;
}

/** Which records, and in which order. */
export interface HistoryOptions extends CallOptions {
  /** The first moment, included: ISO 8601; a date means the beginning of that day in UTC. */
  start?: string | Date | undefined;
  /** The last moment, included; a date means the end of that day in UTC. */
  end?: string | Date | undefined;
  /** Newest first. */
  reverse?: boolean | undefined;
}

/** The host that tells the history. */
export interface RegistryConnection {
  base: string;
  vendor: string;
  connection: Connection;
}

/** Records of one answer at most (Tag History API, rule 3). */
const maxPageSize = 1000;

/** A range of time, both ends included; `after` was read already and is left out where it comes again. */
interface Range {
  start?: string | undefined;
  end?: string | undefined;
  after?: HistoryRecord[];
}

interface HistoryPage {
  records: HistoryRecord[];
  /** There are more, of the last record's time or later. */
  isCut: boolean;
}

/** The records of an image's tag. Throws a TypeError for a name that is none. */
export function readHistory(
  registry: RegistryConnection,
  image: string,
  options: HistoryOptions,
): AsyncIterable<HistoryRecord> {
  const found = readImage(image, new URL(registry.base).host);
  const { start, end, reverse, ...how } = options;
  const connection = {
    ...registry.connection,
    token: pullToken(registry, found),
  };
  const at = `${registry.base}/v2/${pathOf(found.name)}/_${registry.vendor}/history/${encodeURIComponent(found.tag)}`;
  const read = async ({ after = [], ...range }: Range): Promise<HistoryPage> => {
    const query = new URLSearchParams(
      Object.entries(range).filter((pair): pair is [string, string] => pair[1] !== undefined),
    );
    const url = String(query) === "" ? at : `${at}?${query}`;
    const { json, headers } = await send(connection, { method: "GET", url, isSafe: true }, how);
    return toHistoryPage(json.history, headers, after, at);
  };
  const range = { start: textOf(start, "start"), end: textOf(end, "end") };
  return { [Symbol.asyncIterator]: () => (reverse ? newestFirst : oldestFirst)(read, range) };
}

const pathOf = (name: string) => name.split("/").map(encodeURIComponent).join("/");

function textOf(moment: string | Date | undefined, name: string): string | undefined {
  if (!(moment instanceof Date)) return moment;
  if (Number.isNaN(moment.getTime())) throw new TypeError(`${name} is an invalid Date`);
  return moment.toISOString();
}

function toHistoryPage(
  history: unknown,
  headers: Headers,
  after: HistoryRecord[],
  at: string,
): HistoryPage {
  if (!Array.isArray(history))
    throw new Unreachable(`${at} answered no history: it is no registry.`);
  const found = history as HistoryRecord[];
  const isKnown = (record: HistoryRecord) =>
    after.some(
      ({ updateTimestamp, digest }) =>
        updateTimestamp === record.updateTimestamp && digest === record.digest,
    );
  const records = found.filter((record) => !isKnown(record));
  // The header is an addition of this platform's: elsewhere a full answer may be cut as well.
  const isCut = headers.has("link") || found.length >= maxPageSize;
  if (isCut && records.length === 0) {
    throw new Unreachable(`${at} has more records of one moment than it can tell.`);
  }
  return { records, isCut };
}

type ReadRange = (range: Range) => Promise<HistoryPage>;

/** Those that have the time of the last one: the next answer begins with them again. */
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
 * The registry answers the oldest records of a range only. What is later than those is halved in
 * time, and the later half read first; what was read on the way is kept until its turn comes, so no
 * record is asked for twice and no more than a few pages are in memory.
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
 * The last moment to expect a record at, in milliseconds: the end, or now. NaN for an end that the
 * registry can read and Date.parse cannot.
 */
function endTime(end: string | undefined): number {
  const now = Date.now();
  if (end === undefined) return now;
  // The registry reads a time without a zone as UTC, as Date.parse does with a date only.
  return Math.min(Date.parse(end.includes("T") && !zone.test(end) ? `${end}Z` : end), now);
}

/** The registry's source of tokens; where it has none, the token that anybody gets for the image. */
function pullToken(registry: RegistryConnection, image: Image): TokenSource {
  const own = registry.connection.token;
  const anyone = anonymousToken(registry, image);
  if (!own) return anyone;
  return async (request) => {
    try {
      return await own(request);
    } catch (error) {
      request.signal?.throwIfAborted();
      return anyone(request).catch(() => Promise.reject(error));
    }
  };
}

/** A token for one public image, as the token endpoint gives it to anybody. */
function anonymousToken({ base, connection }: RegistryConnection, { name }: Image): TokenSource {
  const query = new URLSearchParams({ scope: `repository:${name}:pull` });
  const url = `${base}/token?${query}`;
  return cachedToken(async () => {
    const anonymous = { ...connection, token: undefined };
    const { json } = await send(anonymous, { method: "GET", url, isSafe: true }, {});
    const { token, expires_in: seconds } = json;
    if (typeof token !== "string") throw new Unreachable(`${url} answered without a token.`);
    // One minute is what a token lives at least (distribution token specification).
    return { token, expires: Date.now() + (Number(seconds) || 60) * 1000 };
  });
}
