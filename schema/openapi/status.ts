/**
 * The body of every error of the API: google.rpc.Status with its details (AIP-193). It is written by hand,
 * because the details are of type Any, and their descriptor does not say what they contain.
 */
import type { JsonObject } from "@bufbuild/protobuf";
import { ref, type Schema } from "./form.ts";

const text = (description: string): Schema => ({ type: "string", description });

const detail = (type: string, description: string, properties: JsonObject, required: string[]) => ({
  type: "object",
  description,
  properties: { "@type": { type: "string", const: `type.googleapis.com/${type}` }, ...properties },
  required: ["@type", ...required],
});

const list = (of: JsonObject, required: string[]) => ({
  type: "array",
  minItems: 1,
  items: { type: "object", properties: of, required },
});

const terms = (type: string) =>
  detail(
    type,
    "The terms documents that must be accepted first.",
    {
      missing: list(
        {
          id: text("The id of the document, for accepting it."),
          label: text("The title of the document."),
          url: text("The URL of the document."),
        },
        ["id", "label", "url"],
      ),
    },
    ["missing"],
  );

const details: Record<string, Schema> = {
  ErrorInfo: detail(
    "google.rpc.ErrorInfo",
    "The reason of the error, for programs. It is the first detail.",
    {
      reason: text(
        "The name of the code, such as `NOT_FOUND`, or a more exact reason, such as `STORAGE_FULL`.",
      ),
      domain: text(
        "The part of the platform that returned the error: `registry.platform.example`.",
      ),
      metadata: {
        type: "object",
        description: "Further facts about the error. Absent if there are none.",
        properties: {
          decision_id: text(
            "For PERMISSION_DENIED because of a missing capability: the id of the decision. An owner can look " +
              "it up with `GetAccessDecision`. It is valid for 30 days, and only the platform can read it.",
          ),
          etag: text(
            "For ABORTED with the reason ETAG_MISMATCH: the current etag of the resource.",
          ),
        },
      },
    },
    ["reason", "domain"],
  ),
  BadRequest: detail(
    "google.rpc.BadRequest",
    "The fields that cannot be parsed or are not valid.",
    {
      fieldViolations: list(
        {
          field: text(
            "The path of the field with its names in the protos, such as `claim_match.issuer`.",
          ),
          description: text("The reason why the field is not valid."),
        },
        ["field", "description"],
      ),
    },
    ["fieldViolations"],
  ),
  ResourceInfo: detail(
    "google.rpc.ResourceInfo",
    "The resource that does not exist, or that conflicts with the call.",
    {
      resourceType: text("The type of the resource, such as `registry.platform.example/Repo`."),
      resourceName: text("The uid of the resource, or the name in the request."),
      description: text("The problem with the resource."),
    },
    ["resourceType", "resourceName", "description"],
  ),
  PreconditionFailure: detail(
    "google.rpc.PreconditionFailure",
    "The conditions that are not met.",
    {
      violations: list(
        {
          type: text("The type of the condition, for programs, such as `RESOURCE_NOT_EMPTY`."),
          subject: text("The subject of the condition, such as a uid."),
          description: text("A description of the condition."),
        },
        ["type", "description"],
      ),
    },
    ["violations"],
  ),
  RetryInfo: detail(
    "google.rpc.RetryInfo",
    "The time after which the call can be sent again.",
    { retryDelay: text("The time in seconds, such as `17s`.") },
    ["retryDelay"],
  ),
  QuotaFailure: detail(
    "google.rpc.QuotaFailure",
    "The rate limit that was reached, or the quota that the call would exceed.",
    {
      violations: list(
        {
          subject: text(
            "The name of the limit: the class of the call, and the kind of its holder. For a quota, the organization, as " +
              "`organization:` and its uid, or `person` for the caller.",
          ),
          description: text(
            "The limit in words. For a quota, its kind, its limit, and the use that the call would have led to.",
          ),
        },
        ["subject", "description"],
      ),
    },
    ["violations"],
  ),
  RequestInfo: detail(
    "google.rpc.RequestInfo",
    "The request. It is the last detail.",
    {
      requestId: text(
        "The id of the request, which the header `x-request-id` also contains. Quote it to the operator.",
      ),
    },
    ["requestId"],
  ),
  TermsNotAcceptedDetail: terms("vendor.platform.iam.v2.TermsNotAcceptedDetail"),
  TermsNotAcceptedDetailV1: terms("vendor.platform.iam.TermsNotAcceptedDetail"),
};

/** The schemas of an error and of its details. */
export const statusSchemas: Record<string, Schema> = {
  Status: {
    type: "object",
    description: "An error. Branch on `code` and `details`, not on the words.",
    properties: {
      code: {
        type: "integer",
        description: "The numeric google.rpc.Code: 3 is INVALID_ARGUMENT, 5 is NOT_FOUND.",
        minimum: 1,
        maximum: 16,
      },
      message: text("A description of the error, for people."),
      details: {
        type: "array",
        items: {
          oneOf: Object.keys(details).map((name) => ref("schemas", name)),
          discriminator: {
            propertyName: "@type",
            mapping: Object.fromEntries(
              Object.entries(details).map(([name, { properties }]) => {
                const { "@type": type } = properties as { "@type": { const: string } };
                return [type.const, ref("schemas", name).$ref];
              }),
            ),
          },
        },
      },
    },
    required: ["code", "message", "details"],
  },
  ...details,
};
