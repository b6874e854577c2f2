/** The size limits of Workers. Every new isolate reads and compiles everything that was uploaded. */

/**
 * In KiB of gzip, as `wrangler deploy --minify` counts them: the upper bound for the whole platform in one Worker. Mirrors
 * of other registries made it 24 larger, and the matching of records 16.
 */
export const platformBound = 708;

/** The upper bound for a Worker of one domain. */
export const workerBound = 336;

/**
 * The limit of each Worker: a tenth above its size when this was written. It makes growth visible. Raise a limit, up to
 * the bound, in the commit that explains why. Cloudflare takes 3 MB of gzip, or 10 MB on a paid plan.
 */
export const limits: Record<string, number> = {
  iam: 318,
  // It matches SBOMs with records.
  registry: 336,
  issuer: 235,
  // It matches SBOMs with records, and writes the events about affected images, which made it 20 larger.
  vulnerabilities: 248,
  advisory: 186,
  libraries: 174,
  events: 196,
  ping: 156,
  // It fetches from other registries, has the queue of pulls, and answers from the cache of public content. It judges the
  // tokens of workloads, by patterns too, which made it 30 larger. It has no longer the renderer of readmes, 20 less. It
  // matches the SBOMs that are pushed.
  distribution: 336,
  mcp: 112,
};

/** The line in which wrangler reports an upload, whole and as gzip: `Total Upload: 466.19 KiB / gzip: 141.86 KiB`. */
export const uploadPattern = /^Total Upload: ([\d.]+) KiB \/ gzip: ([\d.]+) KiB$/m;

/** Returns the KiB of gzip from the output of wrangler, or undefined if it reports no size. */
export function gzipSize(output: string): number | undefined {
  const [, , kib] = uploadPattern.exec(output) ?? [];
  return kib === undefined ? undefined : Number(kib);
}

/** Returns the limit of a Worker in KiB of gzip. `domain` is empty for the whole platform. */
export function limitOf(domain: string): number {
  return domain === "" ? platformBound : (limits[domain] ?? workerBound);
}

/** Returns what is wrong with the size of a Worker, in KiB of gzip, or undefined if it is within its limit. */
export function sizeBreach(domain: string, kib: number): string | undefined {
  if (kib < limitOf(domain)) return undefined;
  return `${kib} KiB of gzip must be below ${limitOf(domain)} (cli/check/sizes.ts). Find out what made the Worker larger.`;
}
