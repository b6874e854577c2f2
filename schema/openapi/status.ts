/** The body of every error of the API, google.rpc.Status with its details (AIP-193), by hand: the
 * details are Any, of which a descriptor does not tell what they hold. */
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
    "The documents that have to be accepted first.",
    {
      missing: list(
        {
          id: text("The id to accept it by."),
          label: text("Its title."),
          url: text("Where to read it."),
        },
        ["id", "label", "url"],
      ),
    },
    ["missing"],
  );

const details: Record<string, Schema> = {
  ErrorInfo: detail(
    "google.rpc.ErrorInfo",
    "Why, for a program. It comes first.",
    {
      reason: text("`NOT_FOUND`, `INVALID_ARGUMENT` and so on: the name of the code."),
      domain: text("The part of the platform that refused: `registry.platform.example`."),
    },
    ["reason", "domain"],
  ),
  BadRequest: detail(
    "google.rpc.BadRequest",
    "The fields that cannot be read, or break their rules.",
    {
      fieldViolations: list(
        {
          field: text("Path of the field as in the protos, `claim_match.issuer`."),
          description: text("What is wrong with it."),
        },
        ["field", "description"],
      ),
    },
    ["fieldViolations"],
  ),
  ResourceInfo: detail(
    "google.rpc.ResourceInfo",
    "The resource that is not there, or that is in the way.",
    {
      resourceType: text("`registry.platform.example/Repo`."),
      resourceName: text("Its uid, or what it was asked for by."),
      description: text("What is the matter with it."),
    },
    ["resourceType", "resourceName", "description"],
  ),
  PreconditionFailure: detail(
    "google.rpc.PreconditionFailure",
    "What has to change first.",
    {
      violations: list(
        {
          type: text("`RESOURCE_NOT_EMPTY` and so on, for a program."),
          subject: text("What it is about, such as a uid."),
          description: text("The same in words."),
        },
        ["type", "description"],
      ),
    },
    ["violations"],
  ),
  TermsNotAcceptedDetail: terms("vendor.platform.iam.v2.TermsNotAcceptedDetail"),
  TermsNotAcceptedDetailV1: terms("vendor.platform.iam.TermsNotAcceptedDetail"),
};

/** Schemas of an error and of its details. */
export const statusSchemas: Record<string, Schema> = {
  Status: {
    type: "object",
    description: "An error. Branch on `code` and on the details, not on the words.",
    properties: {
      code: {
        type: "integer",
        description: "The numeric google.rpc.Code: 3 is INVALID_ARGUMENT, 5 is NOT_FOUND.",
        minimum: 1,
        maximum: 16,
      },
      message: text("What went wrong, for people."),
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
