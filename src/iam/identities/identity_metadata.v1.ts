/**
 * Data that people have entered about themselves. In version 1 this service belongs to events. The iam Worker
 * serves it, because it stores the identities.
 */
import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  Identities,
  IdentityMetadataSchema,
  type IdentityMetadata_OnboardingQuestions as Questions,
} from "../../../schema/gen/platform/events/identities_pb.js";
import type { IdentityMetadata as MetadataV2 } from "../../../schema/gen/platform/iam/v2/identities_pb.js";
import type { EventDraft } from "../../auth/call.ts";
import { service } from "../../rpc/service.ts";
import { callV2 } from "../../rpc/version1.ts";
import { identitiesService } from "./identities.ts";

/** The answers with the same name in both versions. All but the company have it. */
function commonAnswers(metadata: Questions | MetadataV2) {
  const { providers, product, jobTitle, hubspotUtk, selfServe } = metadata;
  const { utmCampaign, utmContent, utmMedium, utmSource, utmTerm } = metadata;
  const { latestFormSubmitUrl, latestInternalReferringUrl } = metadata;
  return {
    providers,
    product,
    jobTitle,
    hubspotUtk,
    selfServe,
    utmCampaign,
    utmContent,
    utmMedium,
    utmSource,
    utmTerm,
    latestFormSubmitUrl,
    latestInternalReferringUrl,
  };
}

/** The fields of version 2 that contain the answers. */
const answerFields = [
  "company",
  "providers",
  "product",
  "job_title",
  "hubspot_utk",
  "self_serve",
  "utm_campaign",
  "utm_content",
  "utm_medium",
  "utm_source",
  "utm_term",
  "latest_form_submit_url",
  "latest_internal_referring_url",
];

function toV1(metadata: MetadataV2): MessageInitShape<typeof IdentityMetadataSchema> {
  const { name, givenName, familyName, updatesOptIn, company: companyName } = metadata;
  const onboardingQuestions = { companyName, ...commonAnswers(metadata) };
  return { name, givenName, familyName, updatesOptIn, onboardingQuestions };
}

const fieldNames = {
  identity_metadata: "onboarding_questions",
  "identity_metadata.company": "onboarding_questions.company_name",
};

/** The subject is empty (contract: v1 event table). */
const toEventV1 = (draft: EventDraft): EventDraft => ({
  ...draft,
  subject: "",
  body: {
    desc: IdentityMetadataSchema,
    message: toV1(draft.body?.message as MetadataV2),
  },
});

export const identityMetadataV1 = service(
  Identities,
  {
    /** The answers are replaced if any are sent: unlike a flag, a message can be absent. */
    async updateMetadata({ updatesOptIn, onboardingQuestions }, call) {
      const request = {
        identityMetadata: {
          updatesOptIn,
          ...(onboardingQuestions && {
            company: onboardingQuestions.companyName,
            ...commonAnswers(onboardingQuestions),
          }),
        },
        updateMask: { paths: ["updates_opt_in", ...(onboardingQuestions ? answerFields : [])] },
      };
      const mapping = { names: fieldNames, event: toEventV1 };
      return toV1(
        await callV2(identitiesService, "updateIdentityMetadata", request, call, mapping),
      );
    },
  },
  ["create"],
);
