/** The height of the picture: how long a digest was served, on a logarithmic scale. Lives are in milliseconds. */
import { day, minute } from "./range.ts";
import { Kind, type Records } from "./records.ts";

const hour = 60 * minute;

/** The lines across the picture, and their texts. */
const lifeTicks: readonly (readonly [life: number, text: string])[] = [
  [1_000, "1 s"],
  [10_000, "10 s"],
  [minute, "1 min"],
  [10 * minute, "10 min"],
  [hour, "1 hour"],
  [6 * hour, "6 hours"],
  [day, "1 day"],
  [7 * day, "1 week"],
  [30 * day, "1 month"],
  [182 * day, "6 months"],
  [365 * day, "1 year"],
  [5 * 365 * day, "5 years"],
  [20 * 365 * day, "20 years"],
];

/** The lives at the lower and at the upper end of the picture. */
export interface LifeScale {
  shortest: number;
  longest: number;
}

/** The part of the records that may be below the scale: corrections within moments would stretch it. */
const below = 0.02;

/**
 * A scale on which the lives of these records have room. It goes from a line below nearly all of them to above the
 * longest. `now` is in milliseconds since 1970 UTC.
 */
export function scaleOf(records: Records, now: number): LifeScale {
  const counts = lifeTicks.map(() => 0);
  let [longest, digests] = [minute, 0];
  for (let index = 0; index < records.count; index += 1) {
    if (records.kindOf(index) === Kind.deleted) continue;
    const life = records.endOf(index, now) - records.timeOf(index);
    longest = Math.max(longest, life);
    digests += 1;
    const tick = tickBelow(life);
    counts[tick] = (counts[tick] ?? 0) + 1;
  }
  let passed = 0;
  const tick = counts.findIndex((count) => {
    passed += count;
    return passed > digests * below;
  });
  const shortest = Math.min(lifeTicks[Math.max(0, tick)]?.[0] ?? hour, day);
  return { shortest, longest: Math.max(longest * 1.25, shortest * 30) };
}

function tickBelow(life: number): number {
  for (let tick = lifeTicks.length - 1; tick > 0; tick -= 1)
    if ((lifeTicks[tick]?.[0] ?? 0) <= life) return tick;
  return 0;
}

/** The height of a life as a part of the whole height, from 0 to 1. */
export function heightOf(life: number, { shortest, longest }: LifeScale): number {
  if (life <= shortest) return 0;
  return Math.min(1, Math.log(life / shortest) / Math.log(longest / shortest));
}

/** The lines of a scale whose distance is at least `gap`, as a part of the whole height. */
export function ticksOf(scale: LifeScale, gap: number): { life: number; text: string }[] {
  const ticks: { life: number; text: string }[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const [life, text] of lifeTicks) {
    if (life < scale.shortest || life > scale.longest) continue;
    const height = heightOf(life, scale);
    if (height - last < gap) continue;
    ticks.push({ life, text });
    last = height;
  }
  return ticks;
}
