import type { Worker } from "../rpc/runtime.ts";
import { serve } from "../rpc/serve.ts";
import { workerFetch } from "../rpc/worker_fetch.ts";
import { advisoriesService } from "./advisories/advisories.ts";
import { advisoriesV1 } from "./advisories/advisories.v1.ts";
import { advisoryExportsService } from "./advisories/exports.ts";
import { withExportFormats } from "./advisories/formats.ts";
import { advisoryPurgesService } from "./advisories/purges.ts";
import { matchingsService } from "./matchings.ts";
import { osvRecordsService } from "./osv/osv_records.ts";
import { csafDocumentsService } from "./vex/csaf_documents.ts";
import { openVexDocumentsService } from "./vex/openvex_documents.ts";

export const services = [
  advisoriesService,
  advisoriesV1,
  advisoryExportsService,
  advisoryPurgesService,
  osvRecordsService,
  openVexDocumentsService,
  csafDocumentsService,
  matchingsService,
];

export default {
  fetch: workerFetch("vulnerabilities", serve(services, withExportFormats).fetch),
} satisfies Worker;
