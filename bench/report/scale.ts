/** Scales of values, and how their ticks and values are written. */
import { scaleLinear, scaleLog } from "d3-scale";

/** From values to pixels. */
export interface ValueScale {
  (value: number): number;
  /** Where lines of the grid stand. */
  ticks: number[];
}

const compact = new Intl.NumberFormat("en-US", {
  notation: "compact",
  maximumSignificantDigits: 3,
});

/** A value in few signs: 0.25, 1.3, 120, 12.5K, 1M. */
export const compactNumber = (value: number) => compact.format(value);

/** Powers of ten between two values, both included. */
function powers(least: number, most: number): number[] {
  const first = Math.floor(Math.log10(least));
  const last = Math.ceil(Math.log10(most));
  return Array.from({ length: last - first + 1 }, (_, at) => 10 ** (first + at));
}

/**
 * A scale that has all `values` in it. A logarithmic one goes from power of ten to power of ten; a linear one starts
 * at zero where `fromZero`, so that lengths can be compared.
 */
export function valueScale(
  values: number[],
  range: [number, number],
  { log = false, fromZero = true } = {},
): ValueScale {
  const least = Math.min(...values);
  const most = Math.max(...values);
  if (log) {
    const ticks = powers(least, most);
    const [low = 1, high = 10] = [ticks[0], ticks.at(-1)];
    const scale = scaleLog([low, low === high ? low * 10 : high], range);
    return Object.assign((value: number) => scale(value), {
      ticks: low === high ? powers(low, low * 10) : ticks,
    });
  }
  const start = fromZero ? Math.min(0, least) : least;
  const scale = scaleLinear([start, most > start ? most : start + 1], range).nice(6);
  return Object.assign((value: number) => scale(value), { ticks: scale.ticks(6) });
}
