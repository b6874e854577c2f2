import { SecurityAdvisoryService } from "../../schema/gen/platform/advisory/v2/security_advisory_pb.js";
import { service } from "../rpc/service.ts";
import { listDocuments } from "./documents.ts";
import { listVulnerabilityMetadata } from "./metadata.ts";
import { listResolvedVulnsReports } from "./resolved_vulns.ts";

export const securityAdvisoryService = service(SecurityAdvisoryService, {
  listDocuments,
  listVulnerabilityMetadata,
  listResolvedVulnsReports,
});
