/** The part of time that the picture shows, as plain calculations. Times are in milliseconds since 1970 UTC. */

/** A part of time. `from` is before `to`. */
export interface TimeRange {
  from: number;
  to: number;
}

export const minute = 60_000;
export const day = 86_400_000;

/** The shortest part that the picture shows. */
export const shortestSpan = 1_000;

export const spanOf = ({ from, to }: TimeRange): number => to - from;

/** The range moved and shortened so that it lies within the bounds. */
export function clamped({ from, to }: TimeRange, bounds: TimeRange): TimeRange {
  const span = Math.min(Math.max(to - from, shortestSpan), spanOf(bounds));
  const start = Math.min(Math.max(from, bounds.from), bounds.to - span);
  return { from: start, to: start + span };
}

/** The range made shorter or longer by a factor, with `time` at the same place in it. */
export function zoomed(
  range: TimeRange,
  factor: number,
  time: number,
  bounds: TimeRange,
): TimeRange {
  const span = Math.min(Math.max(spanOf(range) * factor, shortestSpan), spanOf(bounds));
  const part = Math.min(1, Math.max(0, (time - range.from) / spanOf(range)));
  const from = time - part * span;
  return clamped({ from, to: from + span }, bounds);
}

/** The range moved by a time. */
export const moved = ({ from, to }: TimeRange, by: number, bounds: TimeRange): TimeRange =>
  clamped({ from: from + by, to: to + by }, bounds);

/** The range moved as little as possible so that it contains a time, with some room at its sides. */
export function showing(range: TimeRange, time: number, bounds: TimeRange): TimeRange {
  const room = spanOf(range) * 0.05;
  if (time < range.from + room) return moved(range, time - room - range.from, bounds);
  if (time > range.to - room) return moved(range, time + room - range.to, bounds);
  return range;
}

/** The time of a text in an address. Undefined if it is none. */
export function readTime(text: string): number | undefined {
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

/** A time as a text in an address: whole seconds without a fraction. */
export const writeTime = (time: number): string =>
  new Date(time).toISOString().replace(".000Z", "Z");

/** A time without the part that no one can see in a range: whole seconds, unless the range has only a few. */
export const wholeTime = (time: number, range: TimeRange): number =>
  spanOf(range) > 10 * minute ? Math.floor(time / 1_000) * 1_000 : Math.floor(time);
