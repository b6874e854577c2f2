import {
  ImportOpenVexDocumentsResponseSchema,
  OpenVexDocumentsService,
} from "../../schema/gen/platform/vulnerabilities/v2/openvex_documents_pb.js";
import { service } from "../rpc/service.ts";
import { readOpenVex } from "./openvex.ts";
import { importDocuments } from "./vex_import.ts";

export const openVexDocumentsService = service(OpenVexDocumentsService, {
  importOpenVexDocuments: (request, call) =>
    importDocuments(call, request, readOpenVex, ImportOpenVexDocumentsResponseSchema),
});
