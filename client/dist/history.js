/** What a tag has pointed to (Tag History API). */
import { send } from "./connection.js";
import { Unreachable } from "./errors.js";
import { readImage } from "./image.js";
import { keptToken } from "./tokens.js";
/** Records of one answer at most (Tag History API, rule 3). */
const greatestPage = 1000;
/** The records of an image's tag. Throws a TypeError for a name that is none. */
export function history(registry, image, options) {
    const found = readImage(image, new URL(registry.base).host);
    const { start, end, reverse, ...how } = options;
    const connection = {
        ...registry.connection,
        token: pullToken(registry, found),
    };
    const at = `${registry.base}/v2/${pathOf(found.name)}/_${registry.vendor}/history/${encodeURIComponent(found.tag)}`;
    const read = async ({ after = [], ...range }) => {
        const query = new URLSearchParams(Object.entries(range).filter((pair) => pair[1] !== undefined));
        const url = String(query) === "" ? at : `${at}?${query}`;
        const { json, headers } = await send(connection, { method: "GET", url, isSafe: true }, how);
        return toPiece(json.history, headers, after, at);
    };
    const range = { start: textOf(start, "start"), end: textOf(end, "end") };
    return { [Symbol.asyncIterator]: () => (reverse ? newestFirst : oldestFirst)(read, range) };
}
const pathOf = (name) => name.split("/").map(encodeURIComponent).join("/");
function textOf(moment, name) {
    if (!(moment instanceof Date))
        return moment;
    if (Number.isNaN(moment.getTime()))
        throw new TypeError(`${name} is an invalid Date`);
    return moment.toISOString();
}
function toPiece(history, headers, after, at) {
    if (!Array.isArray(history))
        throw new Unreachable(`${at} answered no history: it is no registry.`);
    const found = history;
    const isKnown = (record) => after.some(({ updateTimestamp, digest }) => updateTimestamp === record.updateTimestamp && digest === record.digest);
    const records = found.filter((record) => !isKnown(record));
    // The header is an addition of this platform's: elsewhere a full answer may be cut as well.
    const isCut = headers.has("link") || found.length >= greatestPage;
    if (isCut && records.length === 0) {
        throw new Unreachable(`${at} has more records of one moment than it can tell.`);
    }
    return { records, isCut };
}
/** Those that have the time of the last one: the next answer begins with them again. */
function lastMoment(records) {
    const start = records.at(-1)?.updateTimestamp ?? "";
    return { start, after: records.filter(({ updateTimestamp }) => updateTimestamp === start) };
}
async function* oldestFirst(read, range) {
    for (let next = range;;) {
        const { records, isCut } = await read(next);
        yield* records;
        if (!isCut)
            return;
        next = { ...range, ...lastMoment(records) };
    }
}
/**
 * The registry answers the oldest records of a range only. What is later than those is halved in
 * time, and the later half read first; what was read on the way is kept until its turn comes, so no
 * record is asked for twice and no more than a few pages are in memory.
 */
async function* newestFirst(read, range) {
    const { records, isCut } = await read(range);
    if (isCut) {
        const rest = lastMoment(records);
        const from = Date.parse(rest.start);
        const middle = Math.floor((from + lastOf(range.end)) / 2);
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
function lastOf(end) {
    const now = Date.now();
    if (end === undefined)
        return now;
    // The registry reads a time without a zone as UTC, as Date.parse does with a date only.
    return Math.min(Date.parse(end.includes("T") && !zone.test(end) ? `${end}Z` : end), now);
}
/** The registry's source of tokens; where it has none, the token that anybody gets for the image. */
function pullToken(registry, image) {
    const own = registry.connection.token;
    const anyone = anyonesToken(registry, image);
    if (!own)
        return anyone;
    return async (request) => {
        try {
            return await own(request);
        }
        catch (error) {
            request.signal?.throwIfAborted();
            return anyone(request).catch(() => Promise.reject(error));
        }
    };
}
/** A token for one public image, as the token endpoint gives it to anybody. */
function anyonesToken({ base, connection }, { name }) {
    const query = new URLSearchParams({ scope: `repository:${name}:pull` });
    const url = `${base}/token?${query}`;
    return keptToken(async () => {
        const nobody = { ...connection, token: undefined };
        const { json } = await send(nobody, { method: "GET", url, isSafe: true }, {});
        const { token, expires_in: seconds } = json;
        if (typeof token !== "string")
            throw new Unreachable(`${url} answered without a token.`);
        // One minute is what a token lives at least (distribution token specification).
        return { token, expires: Date.now() + (Number(seconds) || 60) * 1000 };
    });
}
