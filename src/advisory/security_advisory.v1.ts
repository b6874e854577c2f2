import { create, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import {
  DocumentSchema,
  ReferenceSchema,
  type ResolvedVulnsReport,
  ResolvedVulnsReportSchema,
  SecurityAdvisory,
  SeveritySchema,
} from "../../schema/gen/platform/advisory/security_advisory_pb.js";
import type {
  ResolvedVulnsReport as ReportV2,
  VulnerabilityMetadata,
} from "../../schema/gen/platform/advisory/v2/security_advisory_pb.js";
import { service } from "../rpc/service.ts";
import { callV2, listV2 } from "../rpc/version1.ts";
import { securityAdvisoryService } from "./security_advisory.ts";

/**
 * Converts a message of version 2 to the message of version 1. All fields at every level have the same names
 * and enum numbers in both. Fields that only version 2 has are dropped.
 */
const toSameFields = <D extends DescMessage>(desc: D, message: object) =>
  create(desc, message as MessageInitShape<D>);

const toMetadata = ({ id, summary, details, references, severities }: VulnerabilityMetadata) => ({
  id,
  summary,
  details,
  references: references.map((reference) => toSameFields(ReferenceSchema, reference)),
  severity: severities.map((severity) => toSameFields(SeveritySchema, severity)),
});

/** If no severity is known, this one says so (contract: ResolvedVuln). */
function toReport(reportV2: ReportV2): ResolvedVulnsReport {
  const report = toSameFields(ResolvedVulnsReportSchema, reportV2);
  for (const vuln of report.resolvedVulns) {
    if (vuln.cvssSeverities.length === 0) vuln.cvssSeverities.push(create(SeveritySchema));
  }
  return report;
}

export const securityAdvisoryV1 = service(SecurityAdvisory, {
  async listDocuments({ id, cves }, call) {
    const { documents } = await listV2(
      securityAdvisoryService,
      "listDocuments",
      { id, cves },
      call,
    );
    return { items: documents.map((document) => toSameFields(DocumentSchema, document)) };
  },

  async listVulnerabilityMetadata({ $typeName: _, $unknown: __, ...request }, call) {
    const { vulnerabilityMetadata, nextPageToken, totalCount, skipped } = await callV2(
      securityAdvisoryService,
      "listVulnerabilityMetadata",
      request,
      call,
    );
    const total = totalCount === undefined ? {} : { totalCount };
    return { items: vulnerabilityMetadata.map(toMetadata), nextPageToken, ...total, skipped };
  },

  async listResolvedVulnsReports({ imageRefs, from, to }, call) {
    const { resolvedVulnsReports } = await listV2(
      securityAdvisoryService,
      "listResolvedVulnsReports",
      {
        imageRefs: imageRefs.map(({ repo, tags }) => ({ repo, tags })),
        ...(from && { startTime: from }),
        ...(to && { endTime: to }),
      },
      call,
      { names: { start_time: "from", end_time: "to" } },
    );
    return { items: resolvedVulnsReports.map(toReport) };
  },
});
