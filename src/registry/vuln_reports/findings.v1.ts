/** The findings of a report in the two packages of version 1. */
import { create } from "@bufbuild/protobuf";
import {
  Vulnerability_Severity as Severity,
  type Vulnerability,
  VulnerabilitySchema,
} from "../../../schema/gen/platform/registry/vulnerabilities_pb.js";
import {
  VulnerabilityRecord_Severity as TenantSeverity,
  type VulnerabilityMatch,
  VulnerabilityMatchSchema,
} from "../../../schema/gen/platform/tenant/vuln_reports_pb.js";
import { decompressStored } from "../compressed.ts";
import type { GrypeFinding } from "./grype.ts";

/** The findings of a stored report. */
export async function readStoredFindings(stored: string): Promise<GrypeFinding[]> {
  return JSON.parse(new TextDecoder().decode(await decompressStored(stored)));
}

const uniqueTexts = (texts: string[]) => [...new Set(texts)].filter((text) => text !== "");

/** If a database has no description of its own, the one from another database for the same vulnerability. */
function descriptionOf({ description, related }: GrypeFinding) {
  const [first = "", second = ""] = uniqueTexts([
    description,
    ...related.map((record) => record.description),
  ]);
  return { description: first, details: second };
}

const urlsOf = ({ dataSource, urls, advisories }: GrypeFinding) =>
  uniqueTexts([dataSource, ...urls, ...advisories.map(({ link }) => link)]);

/** A vulnerability once for all packages with the same details in the report. */
export function toVulnerabilities(findings: GrypeFinding[]): Vulnerability[] {
  const groups = new Map<string, GrypeFinding[]>();
  for (const finding of findings) {
    const key = JSON.stringify([finding.id, finding.namespace, finding.severity, finding.fix]);
    const group = groups.get(key) ?? [];
    group.push(finding);
    groups.set(key, group);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first ? [toVulnerability(first, group)] : [];
  });
}

const toVulnerability = (first: GrypeFinding, group: GrypeFinding[]) =>
  create(VulnerabilitySchema, {
    id: first.id,
    aliases: uniqueTexts(group.flatMap((finding) => finding.related.map(({ id }) => id))).filter(
      (id) => id !== first.id,
    ),
    purls: uniqueTexts(group.map((finding) => finding.package.purl)),
    ...descriptionOf(first),
    severity: first.severity,
    cvss: first.cvss,
    ...(first.fix ? { fix: first.fix } : {}),
    relatedUrls: uniqueTexts(group.flatMap(urlsOf)),
    locations: uniqueTexts(group.flatMap((finding) => finding.package.locations)),
  });

/** This package has no value NEGLIGIBLE. LOW is the nearest value that shows an assessment. */
const tenantSeverity = (severity: number): TenantSeverity =>
  severity === Severity.NEGLIGIBLE ? TenantSeverity.LOW : severity;

/** The best-known name of the vulnerability. */
const displayIdOf = ({ id, related }: GrypeFinding) =>
  [id, ...related.map((record) => record.id)].find((name) => name.startsWith("CVE-")) ?? id;

/** One finding for each package with a vulnerability, in the order of the report. */
export const toVulnerabilityMatch = (finding: GrypeFinding): VulnerabilityMatch => {
  const { id, name, version, purl, licenses, cpes } = finding.package;
  return create(VulnerabilityMatchSchema, {
    vulnerability: {
      id: finding.id,
      description: descriptionOf(finding).description,
      severity: tenantSeverity(finding.severity),
      source: finding.namespace || finding.dataSource,
      cvss: finding.cvss,
      cpeUri: cpes,
      relatedUrls: urlsOf(finding),
      advisories: Object.fromEntries(
        finding.advisories.map((advisory) => [advisory.id, advisory.link]),
      ),
      relatedVulnerabilities: finding.related.map((record) => ({
        id: record.id,
        source: record.source,
      })),
      displayId: displayIdOf(finding),
    },
    pkg: { id, name, version, purl, license: licenses.join(" AND ") },
    // The numbers of the states are those of the other package.
    ...(finding.fix ? { fix: { ...finding.fix } } : {}),
  });
};
