import { create } from "@bufbuild/protobuf";
import {
  AcceptTermsResponseSchema,
  Terms,
  type TermsDocumentStatus,
  TermsDocumentStatusSchema,
} from "../../../schema/gen/platform/iam/terms_pb.js";
import type {
  AcceptTermsResponse,
  TermsAcceptance,
} from "../../../schema/gen/platform/iam/v2/terms_pb.js";
import type { Call } from "../../auth/call.ts";
import { service } from "../../rpc/service.ts";
import { bodyEvent, callV2, emptyIfNotFound, listV2 } from "../../rpc/version1.ts";
import { termsService } from "./terms.ts";

const toResponse = ({ group, documentIds }: AcceptTermsResponse) =>
  create(AcceptTermsResponseSchema, { group, documentIds });

const toStatus = ({ docId, acceptedBy, createTime }: TermsAcceptance): TermsDocumentStatus =>
  create(TermsDocumentStatusSchema, { docId, acceptedBy, acceptedAt: createTime });

const toEventV1 = bodyEvent(AcceptTermsResponseSchema, toResponse);

async function listAcceptances(group: string, call: Call) {
  const { termsAcceptances } = await listV2(termsService, "listTermsAcceptances", { group }, call);
  return { items: termsAcceptances.map(toStatus) };
}

export const termsV1 = service(Terms, {
  async acceptTerms({ group, documentIds }, call) {
    const request = { group, documentIds };
    return toResponse(
      await callV2(termsService, "acceptTerms", request, call, { event: toEventV1 }),
    );
  },

  listAccepted: ({ group }, call) => emptyIfNotFound(listAcceptances(group, call)),
});
