/** The history of a tag in the registry, and the record that was current at a time. */
import type { HistoryRecord } from "../../client/index.ts";

/** A record, and when the next record replaced it. Without that, the tag points to it now. */
export type TagPeriod = HistoryRecord & { replacedTimestamp?: string };

/** Reads moves, oldest first unless reversed. Both ends are included, as in `history` of the client. */
export type ReadMoves = (range: {
  start?: string;
  end?: string;
  reverse?: boolean;
}) => AsyncIterable<HistoryRecord>;

/** Both ends are included. */
export type TimePeriod = { since?: Date | undefined; until?: Date | undefined };

/**
 * Returns the moves of a period, newest first, each with its end. Returns at most `limit` moves, and whether the period
 * has older ones. The move that replaced the newest one may be after the period, so it takes one more request.
 */
export async function readTagPeriods(
  read: ReadMoves,
  { since, until }: TimePeriod,
  limit = Number.POSITIVE_INFINITY,
): Promise<{ stays: TagPeriod[]; hasOlder: boolean }> {
  const range = {
    ...(since && { start: since.toISOString() }),
    ...(until && { end: until.toISOString() }),
  };
  const next = until && (await firstMove(read, justAfter(until)));
  let replacedTimestamp = next?.updateTimestamp;
  const stays: TagPeriod[] = [];
  for await (const move of read({ ...range, reverse: true })) {
    if (stays.length >= limit) return { stays, hasOlder: true };
    stays.push(replacedTimestamp ? { ...move, replacedTimestamp } : move);
    replacedTimestamp = move.updateTimestamp;
  }
  return { stays, hasOlder: false };
}

/** Returns the last move at or before a time, or the last move. Returns undefined if the tag did not exist yet. */
export async function moveAt(
  read: ReadMoves,
  time: Date | undefined,
): Promise<HistoryRecord | undefined> {
  const range = { ...(time && { end: time.toISOString() }), reverse: true };
  for await (const move of read(range)) return move;
  return undefined;
}

/** Moves to search for a digest. */
const maxSearched = 10_000;

/** Returns the last move of a tag to a digest. Returns undefined if the newest 10,000 moves have none. */
export async function lastMoveTo(
  read: ReadMoves,
  digest: string,
): Promise<HistoryRecord | undefined> {
  let count = 0;
  for await (const move of read({ reverse: true })) {
    if (move.digest === digest) return move;
    count += 1;
    if (count >= maxSearched) break;
  }
  return undefined;
}

/** Returns the first move, or the first one at or after a time. */
export async function firstMove(read: ReadMoves, from?: Date): Promise<HistoryRecord | undefined> {
  for await (const move of read(from ? { start: from.toISOString() } : {})) return move;
  return undefined;
}

/** Records have a precision of one millisecond. */
const justAfter = (time: Date) => new Date(time.getTime() + 1);
