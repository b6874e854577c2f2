/** Periods that end now, as the address of a list names them. */

/** Their words, and their length in milliseconds. */
const periods = {
  "1h": ["The last hour", 3_600_000],
  "24h": ["The last 24 hours", 86_400_000],
  "7d": ["The last 7 days", 7 * 86_400_000],
  "30d": ["The last 30 days", 30 * 86_400_000],
} as const;

/** The name of a period. */
export type Period = keyof typeof periods;

export const isPeriod = (text: string): text is Period => Object.hasOwn(periods, text);

/** The periods and their words, for a field. */
export const periodOptions: readonly (readonly [string, string])[] = Object.entries(periods).map(
  ([name, [words]]) => [name, words],
);

/** The beginning of a period in RFC 3339. `now` is in milliseconds since 1970 UTC. */
export const startOfPeriod = (period: Period, now: number): string =>
  new Date(now - periods[period][1]).toISOString();
