/** Findings of a report, as the two packages of version 1 tell them. */
import { create } from "@bufbuild/protobuf";
import {
  Vulnerability_Severity as Severity,
  type Vulnerability,
  VulnerabilitySchema,
} from "../../schema/gen/platform/registry/vulnerabilities_pb.js";
import {
  VulnerabilityRecord_Severity as TenantSeverity,
  type VulnerabilityMatch,
  VulnerabilityMatchSchema,
} from "../../schema/gen/platform/tenant/vuln_reports_pb.js";
import { fromStored } from "./compressed.ts";
import type { Finding } from "./grype.ts";

/** The findings of a report as it is stored. */
export async function readFindings(stored: string): Promise<Finding[]> {
  return JSON.parse(new TextDecoder().decode(await fromStored(stored)));
}

const unique = (texts: string[]) => [...new Set(texts)].filter((one) => one !== "");

/** Where a database has no words of its own, those of another about the same. */
function wordsOf({ description, related }: Finding) {
  const [first = "", second = ""] = unique([description, ...related.map((one) => one.description)]);
  return { description: first, details: second };
}

const urlsOf = ({ dataSource, urls, advisories }: Finding) =>
  unique([dataSource, ...urls, ...advisories.map(({ link }) => link)]);

/** A vulnerability once for all packages of which the report says the same. */
export function toVulnerabilities(findings: Finding[]): Vulnerability[] {
  const groups = new Map<string, Finding[]>();
  for (const one of findings) {
    const key = JSON.stringify([one.id, one.namespace, one.severity, one.fix]);
    const group = groups.get(key) ?? [];
    group.push(one);
    groups.set(key, group);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first ? [toVulnerability(first, group)] : [];
  });
}

const toVulnerability = (first: Finding, group: Finding[]) =>
  create(VulnerabilitySchema, {
    id: first.id,
    aliases: unique(group.flatMap((one) => one.related.map(({ id }) => id))).filter(
      (id) => id !== first.id,
    ),
    purls: unique(group.map((one) => one.package.purl)),
    ...wordsOf(first),
    severity: first.severity,
    cvss: first.cvss,
    ...(first.fix ? { fix: first.fix } : {}),
    relatedUrls: unique(group.flatMap(urlsOf)),
    locations: unique(group.flatMap((one) => one.package.locations)),
  });

/** This package has no word for NEGLIGIBLE: LOW is the nearest that says somebody judged it. */
const tenantSeverity = (severity: number): TenantSeverity =>
  severity === Severity.NEGLIGIBLE ? TenantSeverity.LOW : severity;

/** The name under which most know it. */
const displayIdOf = ({ id, related }: Finding) =>
  [id, ...related.map((one) => one.id)].find((one) => one.startsWith("CVE-")) ?? id;

/** One for each package with a vulnerability, in the order of the report. */
export const toMatch = (finding: Finding): VulnerabilityMatch => {
  const { id, name, version, purl, licenses, cpes } = finding.package;
  return create(VulnerabilityMatchSchema, {
    vulnerability: {
      id: finding.id,
      description: wordsOf(finding).description,
      severity: tenantSeverity(finding.severity),
      source: finding.namespace || finding.dataSource,
      cvss: finding.cvss,
      cpeUri: cpes,
      relatedUrls: urlsOf(finding),
      advisories: Object.fromEntries(finding.advisories.map((one) => [one.id, one.link])),
      relatedVulnerabilities: finding.related.map((one) => ({ id: one.id, source: one.source })),
      displayId: displayIdOf(finding),
    },
    pkg: { id, name, version, purl, license: licenses.join(" AND ") },
    // The numbers of the states are those of the other package.
    ...(finding.fix ? { fix: { ...finding.fix } } : {}),
  });
};
