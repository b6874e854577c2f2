import { serve } from "../rpc/serve.ts";
import { advisoriesService } from "./advisories.ts";
import { advisoriesV1 } from "./advisories.v1.ts";
import { advisoryExportsService } from "./advisory_exports.ts";
import { withExportFormats } from "./advisory_formats.ts";
import { advisoryPurgesService } from "./advisory_purges.ts";
import { csafDocumentsService } from "./csaf_documents.ts";
import { openVexDocumentsService } from "./openvex_documents.ts";
import { osvRecordsService } from "./osv_records.ts";

export const services = [
  advisoriesService,
  advisoriesV1,
  advisoryExportsService,
  advisoryPurgesService,
  osvRecordsService,
  openVexDocumentsService,
  csafDocumentsService,
];

export default serve(services, withExportFormats);
