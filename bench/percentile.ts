/**
 * Returns the smallest value that at least the part `share` (0 to 1) of the values does not exceed. Throws an Error if
 * there are no values.
 */
export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (value === undefined) throw new Error("there are no measurements");
  return value;
}
