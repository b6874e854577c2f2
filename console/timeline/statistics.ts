/** Numbers about the life of a tag. Times and spans are in milliseconds. */
import { day } from "./range.ts";
import { Kind, type Records } from "./records.ts";

/** Numbers about all records. */
export interface Statistics {
  /** The records without the creations and deletions of the tag. */
  moves: number;
  /** The moves in the last 30 days. */
  recentMoves: number;
  /** The median time between two records. Undefined if there is only one. */
  medianPause: number | undefined;
  /** The longest time that a digest was served, until now for the newest. */
  longestLife: number;
}

const recent = 30 * day;

/** Returns the numbers about the records. */
export function statisticsOf(records: Records, now: number): Statistics {
  const { count } = records;
  const pauses = new Float64Array(Math.max(0, count - 1));
  const totals = { moves: 0, recentMoves: 0, longestLife: 0 };
  for (let index = 0; index < count; index += 1) {
    const time = records.timeOf(index);
    const kind = records.kindOf(index);
    if (index > 0) pauses[index - 1] = records.timeOf(index - 1) - time;
    if (kind !== Kind.deleted)
      totals.longestLife = Math.max(totals.longestLife, records.endOf(index, now) - time);
    if (kind !== Kind.moved && kind !== Kind.rolledBack) continue;
    totals.moves += 1;
    if (time > now - recent) totals.recentMoves += 1;
  }
  return { ...totals, medianPause: medianOf(pauses) };
}

/** Sorts the numbers. */
function medianOf(numbers: Float64Array): number | undefined {
  if (numbers.length === 0) return undefined;
  numbers.sort();
  const middle = numbers.length >> 1;
  const upper = numbers[middle] ?? 0;
  return numbers.length % 2 === 1 ? upper : ((numbers[middle - 1] ?? 0) + upper) / 2;
}
