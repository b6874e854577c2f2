/** Counts the pulls of a tag or an image by hour or by day, and by identity. Times are in milliseconds since 1970 UTC. */
import type { Event } from "../../client/index.ts";

/** The pulls of one hour or one day, in the reader's time zone. */
export interface PullBar {
  from: number;
  /** The beginning of the next bar. */
  to: number;
  /** The pulls of each identity, by its uid. */
  pulls: Map<string, number>;
  count: number;
}

/** An identity that pulled. */
export interface Puller {
  uid: string;
  count: number;
  last: number;
}

/** The pulls of a period. */
export interface CountedPulls {
  /** The oldest first. Together they are the whole period. */
  bars: PullBar[];
  /** The one with the most pulls first. */
  pullers: Puller[];
  count: number;
}

/** The unit of the bars. */
export type PullUnit = "hour" | "day";

/** The beginnings of so many units until now, the oldest first, and the end of the last one. */
function edgesOf(unit: PullUnit, units: number, now: number): number[] {
  const first = new Date(now);
  if (unit === "hour") first.setMinutes(0, 0, 0);
  else first.setHours(0, 0, 0, 0);
  return Array.from({ length: units + 1 }, (_, index) => {
    const edge = new Date(first);
    // A day can have 23 or 25 hours. Two hours of a clock that goes back have the same name, and are two bars.
    if (unit === "hour") return first.getTime() + (index + 1 - units) * 3_600_000;
    edge.setDate(edge.getDate() + index + 1 - units);
    return edge.getTime();
  });
}

/** The time from which on pulls are counted. */
export const startOfPulls = (unit: PullUnit, units: number, now: number): number =>
  edgesOf(unit, units, now)[0] ?? now;

/**
 * Counts the events `registry.pull.v1`. Refused pulls do not count. With a digest, only the pulls that got this manifest
 * count.
 */
export function countPulls(
  events: readonly Event[],
  { unit, units, now, digest }: { unit: PullUnit; units: number; now: number; digest?: string },
): CountedPulls {
  const edges = edgesOf(unit, units, now);
  const bars = edges
    .slice(0, -1)
    .map(
      (from, index): PullBar => ({ from, to: edges[index + 1] ?? now, pulls: new Map(), count: 0 }),
    );
  const pullers = new Map<string, Puller>();
  let count = 0;
  for (const { createTime, actor, body = {} } of events) {
    const time = Date.parse(createTime);
    const bar = bars.findLast(({ from }) => from <= time);
    if (body.error || !bar || time >= bar.to) continue;
    if (digest !== undefined && body.digest !== digest) continue;
    const uid = actor?.subject ?? "";
    bar.pulls.set(uid, (bar.pulls.get(uid) ?? 0) + 1);
    bar.count += 1;
    count += 1;
    const puller = pullers.get(uid) ?? { uid, count: 0, last: 0 };
    pullers.set(uid, { uid, count: puller.count + 1, last: Math.max(puller.last, time) });
  }
  const sorted = [...pullers.values()].sort((a, b) => b.count - a.count || b.last - a.last);
  return { bars, pullers: sorted, count };
}
