/** Scales of values, and the texts of their ticks and values. */
import { scaleLinear, scaleLog } from "d3-scale";

/** Maps values to pixels. */
export interface ValueScale {
  (value: number): number;
  /** The values of the grid lines. */
  ticks: number[];
}

const compact = new Intl.NumberFormat("en-US", {
  notation: "compact",
  maximumSignificantDigits: 3,
});

/** Returns a value in a few characters: 0.25, 1.3, 120, 12.5K, 1M. */
export const compactNumber = (value: number) => compact.format(value);

/** Returns the powers of ten between two values, including both ends. */
function powers(least: number, most: number): number[] {
  const first = Math.floor(Math.log10(least));
  const last = Math.ceil(Math.log10(most));
  return Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index));
}

/**
 * Returns a scale that contains all `values`. A logarithmic scale begins and ends at powers of ten. A linear scale
 * starts at zero if `fromZero` is set, so that lengths can be compared.
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
