/** Reports in the form that Grype writes, of invented images. */
import { gzipSync } from "node:zlib";

/** A related record of the National Vulnerability Database. */
export const nvdRecord = (id: string, description: string, cvss: object[] = []) => ({
  id,
  dataSource: `https://nvd.nist.gov/vuln/detail/${id}`,
  namespace: "nvd:cpe",
  severity: "High",
  urls: [`https://example.com/${id}`],
  description,
  cvss,
});

export const cvssScore = (baseScore: number, version = "3.1") => ({
  source: "nvd@nist.gov",
  type: "Primary",
  version,
  vector: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H",
  metrics: { baseScore, exploitabilityScore: 3.9, impactScore: 5.9 },
  vendorMetadata: {},
});

/** A Debian package. */
export const debianPackage = (name: string, version: string) => ({
  id: `${name}-id`,
  name,
  version,
  type: "deb",
  locations: [
    { path: "/var/lib/dpkg/status", layerID: `sha256:${"1".repeat(64)}` },
    { path: `/usr/share/doc/${name}/copyright`, layerID: `sha256:${"1".repeat(64)}` },
  ],
  language: "",
  licenses: ["GPL-2.0-only", "MIT"],
  cpes: [`cpe:2.3:a:${name}:${name}:${version}:*:*:*:*:*:*:*`],
  purl: `pkg:deb/debian/${name}@${version}?arch=amd64&distro=debian-12`,
  upstreams: [],
});

/** A match of a Debian package. `vulnerability` replaces members of the record. */
export const matchOf = (
  id: string,
  severity: string,
  {
    artifact = debianPackage("libssl3", "3.0.11-1"),
    related = [nvdRecord(id, `What ${id} is.`, [cvssScore(9.8)])],
    ...vulnerability
  }: { artifact?: object; related?: object[] } & Record<string, unknown> = {},
) => ({
  vulnerability: {
    id,
    dataSource: `https://security-tracker.debian.org/tracker/${id}`,
    namespace: "debian:distro:debian:12",
    severity,
    urls: [],
    cvss: [],
    fix: { versions: ["3.0.13-1"], state: "fixed" },
    advisories: [],
    risk: 1.5,
    ...vulnerability,
  },
  relatedVulnerabilities: related,
  matchDetails: [{ type: "exact-indirect-match", matcher: "dpkg-matcher", searchedBy: {} }],
  artifact,
});

/** A report. `scanned` is the time of the scan. */
export const grypeReport = (
  matches: object[] = [],
  {
    scanned = "2026-05-01T10:00:00.123456789+02:00",
    db = { status: { schemaVersion: "v6.0.2", built: "2026-04-30T01:02:03Z", valid: true } },
    digests = [],
    target = {},
    descriptor = {},
    ...rest
  }: {
    scanned?: string | undefined;
    db?: object;
    digests?: string[];
    target?: object;
    descriptor?: object;
  } & Record<string, unknown> = {},
) => ({
  matches,
  source: {
    type: "image",
    target: {
      userInput: "registry.example/app:latest",
      imageID: `sha256:${"c".repeat(64)}`,
      manifestDigest: digests[0] ?? "",
      mediaType: "application/vnd.oci.image.manifest.v1+json",
      tags: [],
      imageSize: 123456,
      layers: [],
      repoDigests: digests.slice(1).map((digest) => `registry.example/app@${digest}`),
      architecture: "amd64",
      os: "linux",
      ...target,
    },
  },
  distro: { name: "debian", version: "12", idLike: [] },
  descriptor: { name: "grype", version: "0.92.0", db, timestamp: scanned, ...descriptor },
  ...rest,
});

/** A report in base64, as in a request. */
export const packedReport = (report: unknown) =>
  gzipSync(typeof report === "string" ? report : JSON.stringify(report)).toString("base64");
