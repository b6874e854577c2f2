import { OpenVexDocumentsService } from "../../../schema/gen/platform/vulnerabilities/v2/openvex_documents_pb.js";
import { service } from "../../rpc/service.ts";
import { importVexDocuments } from "./import.ts";
import { openVex } from "./openvex.ts";

export const openVexDocumentsService = service(OpenVexDocumentsService, {
  importOpenVexDocuments: (request, call) => importVexDocuments(call, request, openVex),
});
