/** The value that the part `share` (0 to 1) of the values does not exceed. Throws where there is none. */
export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const found = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (found === undefined) throw new Error("nothing was measured");
  return found;
}
