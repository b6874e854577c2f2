/** What the registry host answers. */
import type { JsonObject } from "@bufbuild/protobuf";
import { ref } from "../form.ts";

/** By name. */
export const registrySchemas: Record<string, JsonObject> = {
  RegistryErrors: {
    type: "object",
    description: "Errors in the registry's own shape (OCI distribution specification).",
    properties: {
      errors: {
        type: "array",
        minItems: 1,
        items: {
          type: "object",
          properties: {
            code: { type: "string", description: "For a program: `DENIED`, `NAME_UNKNOWN`." },
            message: { type: "string", description: "For people." },
          },
          required: ["code", "message"],
        },
      },
    },
    required: ["errors"],
  },
  RegistryToken: {
    type: "object",
    description: "A token of the registry.",
    properties: {
      token: { type: "string", description: "The token, to be sent as Bearer." },
      access_token: { type: "string", description: "The same, by its name in OAuth 2.0." },
      expires_in: { type: "integer", description: "Seconds that it is good for.", minimum: 0 },
      issued_at: { type: "string", format: "date-time", description: "When it was made." },
    },
    required: ["token", "access_token", "expires_in", "issued_at"],
  },
  TagHistory: {
    type: "object",
    description: "Where a tag has pointed.",
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
        description: "When the tag began to point there.",
      },
      digest: {
        type: "string",
        pattern: "^sha256:[0-9a-f]{64}$",
        description: "The build that it then pointed to.",
      },
    },
    required: ["updateTimestamp", "digest"],
  },
};
