/** What a tag has pointed to, as the registry tells it, and which of it counted at a time. */
import type { HistoryRecord } from "../../client/index.ts";

/** A record, and when the next one ended it; without that, the tag points there now. */
export type TagPeriod = HistoryRecord & { replacedTimestamp?: string };

/** Reads moves, oldest first unless reversed; both ends are included. As `history` of the client. */
export type ReadMoves = (range: {
  start?: string;
  end?: string;
  reverse?: boolean;
}) => AsyncIterable<HistoryRecord>;

/** Both included. */
export type TimePeriod = { since?: Date | undefined; until?: Date | undefined };

/**
 * The moves of a period, newest first, each with its end; at most `limit`, and whether there are
 * older ones in the period. What ended the newest may lie behind the period: it is asked for then.
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

/** The last move at or before a time, or of all. Undefined where the tag did not exist yet. */
export async function moveAt(
  read: ReadMoves,
  at: Date | undefined,
): Promise<HistoryRecord | undefined> {
  const range = { ...(at && { end: at.toISOString() }), reverse: true };
  for await (const move of read(range)) return move;
  return undefined;
}

/** The first move, at or after a time if one is given. */
export async function firstMove(read: ReadMoves, from?: Date): Promise<HistoryRecord | undefined> {
  for await (const move of read(from ? { start: from.toISOString() } : {})) return move;
  return undefined;
}

/** Records are told to the millisecond. */
const justAfter = (time: Date) => new Date(time.getTime() + 1);
