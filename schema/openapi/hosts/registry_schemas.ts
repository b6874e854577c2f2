/** The responses of the registry host. */
import type { JsonObject } from "@bufbuild/protobuf";
import { ref } from "../form.ts";

/** The schemas by name. */
export const registrySchemas: Record<string, JsonObject> = {
  RegistryErrors: {
    type: "object",
    description: "Errors in the form of a registry (OCI distribution specification).",
    properties: {
      errors: {
        type: "array",
        minItems: 1,
        items: {
          type: "object",
          properties: {
            code: {
              type: "string",
              description: "The code, for programs, such as `DENIED` or `NAME_UNKNOWN`.",
            },
            message: { type: "string", description: "The message, for people." },
            detail: {
              type: "object",
              description: "The request that failed.",
              properties: {
                decisionId: {
                  type: "string",
                  description:
                    "For DENIED because of a missing capability: the id of the decision. An owner can look it up " +
                    "with `GetAccessDecision`.",
                },
                requestId: {
                  type: "string",
                  description: "The id of the request. Quote it to the operator.",
                },
              },
              required: ["requestId"],
            },
          },
          required: ["code", "message", "detail"],
        },
      },
    },
    required: ["errors"],
  },
  RegistryToken: {
    type: "object",
    description: "A token of the registry.",
    properties: {
      token: { type: "string", description: "The token. Send it as Bearer." },
      access_token: { type: "string", description: "The same token, under its name in OAuth 2.0." },
      expires_in: {
        type: "integer",
        description: "The number of seconds for which the token is valid.",
        minimum: 0,
      },
      issued_at: { type: "string", format: "date-time", description: "When the token was issued." },
    },
    required: ["token", "access_token", "expires_in", "issued_at"],
  },
  TagHistory: {
    type: "object",
    description: "The history of a tag.",
    properties: {
      history: {
        type: "array",
        description: "The records, oldest first.",
        maxItems: 1000,
        items: ref("schemas", "TagHistoryRecord"),
      },
    },
    required: ["history"],
  },
  TagHistoryRecord: {
    type: "object",
    description: "One move of a tag.",
    properties: {
      updateTimestamp: {
        type: "string",
        format: "date-time",
        description: "When the tag moved to the digest.",
      },
      digest: {
        type: "string",
        pattern: "^sha256:[0-9a-f]{64}$",
        description: "The digest that the tag pointed to after the move.",
      },
    },
    required: ["updateTimestamp", "digest"],
  },
};
