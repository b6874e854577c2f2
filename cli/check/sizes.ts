/** How large the Workers may get: what is uploaded is read and compiled by every new isolate. */

/** KiB of gzip, as `wrangler deploy --minify` counts them, that the whole platform in one Worker stays below. */
export const platformBound = 450;

/** And any Worker of a domain. */
export const workerBound = 280;

/**
 * Each Worker's own limit: its size when this was written (docs/decisions/0009) and five percent. It shows what has
 * come in. Raise one, up to the bound, in the commit that says why.
 */
export const limits: Record<string, number> = {
  iam: 227,
  registry: 195,
  issuer: 187,
  vulnerabilities: 175,
  advisory: 141,
  libraries: 131,
  events: 129,
  ping: 121,
  distribution: 71,
};

/** What wrangler tells of an upload, whole and as gzip: `Total Upload: 466.19 KiB / gzip: 141.86 KiB`. */
export const uploadPattern = /^Total Upload: ([\d.]+) KiB \/ gzip: ([\d.]+) KiB$/m;

/** KiB of gzip in wrangler's words; undefined where it tells no size. */
export function gzipSize(output: string): number | undefined {
  const [, , kib] = uploadPattern.exec(output) ?? [];
  return kib === undefined ? undefined : Number(kib);
}

/** What a Worker stays below, in KiB of gzip. `domain` is empty for the whole platform. */
export function limitOf(domain: string): number {
  return domain === "" ? platformBound : (limits[domain] ?? workerBound);
}

/** What is wrong with the size of a Worker, in KiB of gzip; undefined where nothing is. */
export function sizeBreach(domain: string, kib: number): string | undefined {
  if (kib < limitOf(domain)) return undefined;
  return `${kib} KiB of gzip are not below ${limitOf(domain)} (cli/check/sizes.ts). What has come in?`;
}
