/** Writes advisories as OSV records, which are valid under the JSON schema of OSV. */
import type { JsonObject } from "@bufbuild/protobuf";
import { Reference_Type } from "../../../schema/gen/platform/advisory/v2/security_advisory_pb.js";
import { Severity_Type } from "../../../schema/gen/platform/vulnerabilities/v2/advisories_pb.js";
import { atVersion, osvEcosystem, type PurlPackage, readPurl } from "../../packages/purls.ts";
import { readVersionRange, toIntervals } from "../../packages/version_ranges.ts";
import {
  approvedEvents,
  fixedVersions,
  type KnownAdvisory,
  productPurl,
  rfc3339,
} from "../advisories/state.ts";
import { isCvssVector } from "../cvss.ts";
import { isUri } from "../vex/components.ts";

const schemaVersion = "1.7.5";

/** The prefixes of ids in the databases of OSV (OSV schema 1.7.5). */
const knownPrefixPattern = new RegExp(
  `^(?:${[
    "ASB-A PUB-A ALPINE ALSA ALBA ALEA BELL BIT CGA CLEANSTART CURL CVE DEBIAN DHI DRUPAL DSA DLA",
    "ELA DTSA ECHO EEF FreeBSD GHSA GO GSD HSEC JLSEC KUBE LBSEC LSN MAL MINI MGASA OESA OSEC OSV",
    "openSUSE-SU PHSA PSF PYSEC RHBA RHEA RHSA RLSA RXSA RSEC ROOT RUSTSEC SUSE-[SRFO]U UBUNTU USN V8",
  ]
    .join(" ")
    .replaceAll(" ", "|")})-`,
);

/**
 * The record of an advisory that was not imported from OSV. An id that belongs to no database of OSV gets the
 * prefix `OSV-`.
 */
export function toOsv(known: KnownAdvisory): JsonObject {
  const { advisory, published } = known;
  const id = knownPrefixPattern.test(advisory.advisoryId)
    ? advisory.advisoryId
    : `OSV-${advisory.advisoryId}`;
  const aliases = [...new Set(advisory.aliases)].filter((alias) => alias !== id);
  const withdrawn = withdrawnTime(known);
  const severity = advisory.severities
    .filter(isCvssVector)
    .map(({ type, score }) => ({ type: `CVSS_${Severity_Type[type]?.slice(-2)}`, score }));
  const references = referencesOf(known);
  return {
    schema_version: schemaVersion,
    id,
    published: rfc3339(advisory.createTime),
    modified: rfc3339(advisory.updateTime),
    ...(withdrawn ? { withdrawn } : {}),
    ...(aliases.length > 0 ? { aliases } : {}),
    ...(published?.summary ? { summary: published.summary } : {}),
    ...(published?.details ? { details: published.details } : {}),
    ...(severity.length > 0 ? { severity } : {}),
    affected: [affectedOf(known)],
    ...(references.length > 0 ? { references } : {}),
    database_specific: {
      author: advisory.author,
      advisory_id: advisory.advisoryId,
      ...(advisory.legacyAdvisoryId ? { legacy_advisory_id: advisory.legacyAdvisoryId } : {}),
    },
  };
}

/** The time when it was withdrawn or found not to apply. OSV has only one field for both. */
function withdrawnTime({ advisory }: KnownAdvisory): string | undefined {
  if (advisory.deleteTime) return rfc3339(advisory.deleteTime);
  const latest = approvedEvents(advisory).at(-1);
  const applies = latest?.type.case !== "falsePositiveDetermination";
  return applies ? undefined : rfc3339(latest?.createTime);
}

/** The artifact. It is a package only if its ecosystem belongs to OSV, and images have none. */
function affectedOf(known: KnownAdvisory): JsonObject {
  const { advisory, subject } = known;
  const purl = productPurl(known);
  const about = purl ? readPurl(purl) : undefined;
  const ecosystem = about && osvEcosystem(about);
  const range = subject?.product.range ?? about?.qualifiers.vers;
  const version = about?.version || subject?.product.version || "";
  const isFixed = ["fixed", "patched"].includes(approvedEvents(advisory).at(-1)?.type.case ?? "");
  const versions = version !== "" && !isFixed ? [version] : [];
  const ranges =
    range === undefined
      ? rangesOf(fixedVersions(advisory), versions)
      : statedRanges(range, about, isFixed);
  return {
    ...(about && ecosystem
      ? { package: { ecosystem, name: about.name, purl: atVersion(about.purl, undefined) }, ranges }
      : {}),
    ...(versions.length > 0 ? { versions } : {}),
    database_specific: {
      artifact_name: advisory.artifactName,
      artifact_type: advisory.artifactType,
      artifact_architecture: advisory.artifactArchitecture,
      component_name: advisory.componentName,
      component_type: advisory.componentType,
      component_location: advisory.componentLocation,
      ...(purl ? { purl } : {}),
      ...(range === undefined ? {} : { version_range: range }),
    },
  };
}

/** All versions before a fixed one. All versions if none is fixed and none is named. */
function rangesOf(fixed: string[], versions: string[]): JsonObject[] {
  const events = [{ introduced: "0" }];
  if (fixed.length > 0) {
    return fixed.map((version) => ({ type: "ECOSYSTEM", events: [...events, { fixed: version }] }));
  }
  return versions.length > 0 ? [] : [{ type: "ECOSYSTEM", events }];
}

/** The affected versions of a range. None if OSV cannot say them, or if the statement is that they are fixed. */
function statedRanges(
  range: string,
  about: PurlPackage | undefined,
  isFixed: boolean,
): JsonObject[] {
  const read = about && !isFixed ? readVersionRange(range, about.purlType) : undefined;
  const intervals = (read && toIntervals(read)) ?? [];
  return intervals.map(({ introduced, fixed, lastAffected }) => ({
    type: "ECOSYSTEM",
    events: [
      { introduced },
      ...(fixed === undefined ? [] : [{ fixed }]),
      ...(lastAffected === undefined ? [] : [{ last_affected: lastAffected }]),
    ],
  }));
}

const referencesOf = ({ published }: KnownAdvisory): JsonObject[] =>
  (published?.references ?? [])
    .filter(({ url }) => isUri(url))
    .map(({ type, url }) => ({ type: Reference_Type[type || Reference_Type.WEB] ?? "WEB", url }));
