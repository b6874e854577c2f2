/** Times as the API writes them, and how long tests wait. */
import { availableParallelism, loadavg } from "node:os";

/** Milliseconds since 1970 as an RFC 3339 time. */
export const iso = (ms: number) => new Date(ms).toISOString();

/** How many programs want each core. */
const load = (loadavg()[0] ?? 0) / availableParallelism();

/**
 * The milliseconds that every test waits for what it expects to see, longer on a busy machine. `expect.poll` waits as
 * long, and a test or a hook runs at most eight times as long.
 */
export const patience = 30_000 * Math.min(8, Math.max(1, Math.round(load)));
