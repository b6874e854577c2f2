/** How large the Workers may get: what is uploaded is read and compiled by every new isolate. */

/** KiB of gzip, as `wrangler deploy --minify` tells them, that a domain's Worker is to stay below. */
export const domainGoal = 120;

/** And the whole platform in one Worker. */
export const platformGoal = 310;

/** A Worker's bound while it is above the goal: its size of then and a few percent. */
interface Exception {
  kib: number;
  /** What of it is more than the others have. */
  because: string;
}

/** By domain. A line goes, or is lowered, when its Worker gets smaller; none is raised for comfort. */
export const exceptions: Record<string, Exception> = {
  iam: {
    kib: 183,
    because:
      "messages of ten resources in both versions, SCIM and its limits, RE2 patterns and their bounds, token requests to clouds",
  },
  registry: {
    kib: 158,
    because: "Markdown of readmes, package URLs, SBOMs, scan reports",
  },
  issuer: {
    kib: 156,
    because: "RE2 patterns, an OpenID client for logins, JWE for sealed state, two protocols",
  },
  vulnerabilities: {
    kib: 142,
    because: "OSV, OpenVEX and CSAF read, written and taken back, package URLs",
  },
};

/** What wrangler tells of an upload, whole and as gzip: `Total Upload: 466.19 KiB / gzip: 141.86 KiB`. */
export const upload = /^Total Upload: ([\d.]+) KiB \/ gzip: ([\d.]+) KiB$/m;

/** KiB of gzip in wrangler's words; undefined where it tells no size. */
export function gzipSize(output: string): number | undefined {
  const [, , kib] = upload.exec(output) ?? [];
  return kib === undefined ? undefined : Number(kib);
}

/** The bound of a Worker in KiB of gzip. `domain` is empty for the whole platform. */
export function bound(domain: string): number {
  return domain === "" ? platformGoal : (exceptions[domain]?.kib ?? domainGoal);
}

/** What is wrong with the size of a Worker, in KiB of gzip; undefined where nothing is. */
export function sizeBreach(domain: string, kib: number): string | undefined {
  if (kib >= bound(domain)) {
    return `${kib} KiB of gzip are not below ${bound(domain)} (cli/check/sizes.ts). What has come in?`;
  }
  if (domain in exceptions && kib < domainGoal) {
    return `${kib} KiB of gzip are below ${domainGoal}: take ${domain} out of cli/check/sizes.ts`;
  }
  return undefined;
}
