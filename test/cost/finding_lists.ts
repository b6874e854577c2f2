/** The Lists of findings and packages, with every filter that clients use. */
import type { Listed } from "./listed.ts";

/** The rows are of the repository `image`. Some filters have the time `since`, in RFC 3339. */
export const findingLists = (image: string, since: string): Listed[] => [
  {
    rpc: "ListFindings",
    path: "/registry/v2/findings",
    orders: [],
    times: [],
    parent: image,
    // Its image, report, repository and tag are six rows. SQLite counts each step through its ids, its tags and
    // the names and groups that a VEX statement can have as a row too.
    rowsOfOne: 30,
    filters: {
      "min_severity and has_fix": { min_severity: "FINDING_SEVERITY_HIGH", has_fix: "true" },
      purl: { purl: "pkg:deb/debian/openssl@1.0" },
      tagged_only: { purl: "pkg:deb/debian/openssl", tagged_only: "true" },
    },
    examining: {
      "vulnerability and at": { vulnerability: "CVE-2026-1", at: since },
      "purl and pulled_since": { purl: "pkg:deb/debian/openssl", pulled_since: since },
      "severities and at": { severities: "FINDING_SEVERITY_HIGH", at: since },
      found_since: { found_since: since },
    },
    pages: {
      severities: { severities: "FINDING_SEVERITY_HIGH" },
      vulnerability: { vulnerability: "CVE-2026-1" },
      min_severity: { min_severity: "FINDING_SEVERITY_LOW" },
      has_fix: { has_fix: "true" },
    },
  },
  {
    rpc: "ListPackages",
    path: "/registry/v2/packages",
    orders: [],
    times: [],
    parent: image,
    // Its SBOM, repository and tags.
    rowsOfOne: 9,
    filters: {
      "name and below": { name: "openssl", below: "1.7" },
      "a name of two forms": { name: "Open_SSL" },
      "purl with version": { purl: "pkg:deb/debian/openssl@1.7" },
      "purl with a range": { purl: "pkg:deb/debian/openssl@<1.7" },
    },
    examining: {
      "purl with a range and pulled_since": {
        ...{ purl: "pkg:deb/debian/openssl@<1.7", pulled_since: since },
      },
      "name and at": { name: "openssl", at: since },
      "a name of two forms and at": { name: "Open_SSL", at: since },
    },
    pages: { name: { name: "openssl" }, purl: { purl: "pkg:deb/debian/openssl" } },
  },
];
