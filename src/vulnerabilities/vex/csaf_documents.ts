import { CsafDocumentsService } from "../../../schema/gen/platform/vulnerabilities/v2/csaf_documents_pb.js";
import { service } from "../../rpc/service.ts";
import { csaf } from "./csaf.ts";
import { importVexDocuments } from "./import.ts";

export const csafDocumentsService = service(CsafDocumentsService, {
  importCsafDocuments: (request, call) => importVexDocuments(call, request, csaf),
});
