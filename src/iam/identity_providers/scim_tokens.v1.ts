/** The bearer token of a provisioning client in version 1. */
import type { DescMessage, MessageInitShape } from "@bufbuild/protobuf";
import {
  GenerateScimTokenResponseSchema as GeneratedSchema,
  type IdentityProviders,
  RegenerateScimTokenResponseSchema as RegeneratedSchema,
  RevokeScimTokenResponseSchema as RevokedSchema,
  SetScimEnabledResponseSchema as SwitchedSchema,
} from "../../../schema/gen/platform/iam/identity_providers_pb.js";
import type {
  GenerateScimTokenResponse as GeneratedV2,
  RegenerateScimTokenResponse as RegeneratedV2,
  RevokeScimTokenResponse as RevokedV2,
  SetScimEnabledResponse as SwitchedV2,
} from "../../../schema/gen/platform/iam/v2/identity_providers_pb.js";
import type { Handlers } from "../../rpc/service.ts";
import { callV2, type V1Mapping } from "../../rpc/version1.ts";
import { identityProvidersService as providersService } from "./identity_providers.ts";

type Init<Desc extends DescMessage> = MessageInitShape<Desc>;

function toGenerateResponse(answer: GeneratedV2): Init<typeof GeneratedSchema> {
  const { identityProviderUid: identityProviderId, token, endpointUrl, expireTime, etag } = answer;
  return { identityProviderId, token, endpointUrl, expireTime, etag };
}

function toRegenerateResponse(answer: RegeneratedV2): Init<typeof RegeneratedSchema> {
  const { identityProviderUid: identityProviderId, token, endpointUrl, expireTime, etag } = answer;
  const { previousTokenExpireTime, requestedOverlap } = answer;
  return {
    identityProviderId,
    token,
    endpointUrl,
    expireTime,
    etag,
    previousTokenExpireTime,
    requestedOverlap,
  };
}

function toRevokeResponse(answer: RevokedV2): Init<typeof RevokedSchema> {
  const { identityProviderUid: identityProviderId, etag, enabled, revokeTime } = answer;
  return { identityProviderId, etag, enabled, revokeTime };
}

function toSetEnabledResponse(answer: SwitchedV2): Init<typeof SwitchedSchema> {
  const { identityProviderUid: identityProviderId, enabled, etag } = answer;
  return { identityProviderId, enabled, etag };
}

/** Converts a response of version 2. Without the token it is also the body of the event. */
const mapping = <Desc extends DescMessage, AnswerV2>(
  desc: Desc,
  toV1: (answer: AnswerV2) => Init<Desc>,
) =>
  ({
    names: { identity_provider_uid: "identity_provider_id" },
    event: (draft) => ({
      ...draft,
      body: { desc, message: toV1(draft.body?.message as AnswerV2) as Init<DescMessage> },
    }),
  }) satisfies V1Mapping;

type ScimMethod =
  | "generateScimToken"
  | "regenerateScimToken"
  | "revokeScimToken"
  | "setScimEnabled";

/** The handlers of IdentityProviders for SCIM. */
export const scimTokenHandlersV1: Pick<Handlers<typeof IdentityProviders>, ScimMethod> = {
  async generateScimToken({ identityProviderId, expireTime, neverExpires }, call) {
    const request = { identityProviderUid: identityProviderId, expireTime, neverExpires };
    const inV1 = mapping(GeneratedSchema, toGenerateResponse);
    return toGenerateResponse(
      await callV2(providersService, "generateScimToken", request, call, inV1),
    );
  },

  async regenerateScimToken({ identityProviderId: identityProviderUid, ...input }, call) {
    const { overlap, expireTime, etag, neverExpires } = input;
    const request = { identityProviderUid, overlap, expireTime, etag, neverExpires };
    const inV1 = mapping(RegeneratedSchema, toRegenerateResponse);
    return toRegenerateResponse(
      await callV2(providersService, "regenerateScimToken", request, call, inV1),
    );
  },

  async revokeScimToken({ identityProviderId: identityProviderUid }, call) {
    const request = { identityProviderUid };
    const inV1 = mapping(RevokedSchema, toRevokeResponse);
    return toRevokeResponse(await callV2(providersService, "revokeScimToken", request, call, inV1));
  },

  async setScimEnabled({ identityProviderId: identityProviderUid, enabled, etag }, call) {
    const request = { identityProviderUid, enabled, etag };
    const inV1 = mapping(SwitchedSchema, toSetEnabledResponse);
    return toSetEnabledResponse(
      await callV2(providersService, "setScimEnabled", request, call, inV1),
    );
  },
};
