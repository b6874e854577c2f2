/** Times as the API writes them. */

/** Milliseconds since 1970 as an RFC 3339 time. */
export const iso = (ms: number) => new Date(ms).toISOString();
