/** Documents of SCIM 2.0 (RFC 7643 and 7644), as far as they are alike for every user. */
import type { JsonObject } from "@bufbuild/protobuf";
import { ref } from "../form.ts";

const schemasMember: JsonObject = {
  type: "array",
  description: "The schemas of this document.",
  items: { type: "string" },
  minItems: 1,
};

const listOf = (items: JsonObject): JsonObject => ({
  type: "object",
  description: "A list (RFC 7644 section 3.4.2).",
  properties: {
    schemas: schemasMember,
    totalResults: { type: "integer", description: "All that match." },
    startIndex: { type: "integer", description: "The first of these, from 1." },
    itemsPerPage: { type: "integer", description: "How many these are." },
    Resources: { type: "array", description: "These.", items },
  },
  required: ["schemas", "totalResults", "startIndex", "itemsPerPage", "Resources"],
});

/** Not as a list of types, which generators of clients do not all know. */
const names: JsonObject = {
  anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }],
};

const userProperties: JsonObject = {
  schemas: schemasMember,
  userName: { type: "string", description: "The name at the provider; one user has it." },
  externalId: {
    type: "string",
    description: "What the provider calls the user: the `sub` of their tokens, or the `oid`.",
  },
  active: { type: "boolean", description: "Only who is active can sign in. Default: true." },
};

/** By name. */
export const scimSchemas: Record<string, JsonObject> = {
  ScimUser: {
    type: "object",
    description: "A user, with whatever other attributes RFC 7643 has and the provider sent.",
    properties: {
      ...userProperties,
      id: { type: "string", description: "The last step of the uid.", readOnly: true },
      meta: {
        type: "object",
        description: "Kind, times, address and version.",
        readOnly: true,
        additionalProperties: { type: "string" },
      },
    },
    required: ["schemas", "id"],
    additionalProperties: true,
  },
  ScimUserInput: {
    type: "object",
    description: "The attributes of a user.",
    properties: userProperties,
    required: ["schemas", "userName"],
    additionalProperties: true,
  },
  ScimUserList: listOf(ref("schemas", "ScimUser")),
  ScimList: listOf(ref("schemas", "ScimResource")),
  ScimResource: {
    type: "object",
    description: "A document about the service.",
    properties: { schemas: schemasMember },
    required: ["schemas"],
    additionalProperties: true,
  },
  ScimSearch: {
    type: "object",
    description: "A query as a body.",
    properties: {
      schemas: schemasMember,
      filter: { type: "string", description: "As in the query." },
      startIndex: { type: "integer", description: "As in the query." },
      count: { type: "integer", description: "As in the query." },
      attributes: { ...names, description: "As in the query, or a list of the names." },
      excludedAttributes: { ...names, description: "As in the query, or a list of the names." },
    },
    required: ["schemas"],
  },
  ScimPatch: {
    type: "object",
    description: "Changes, made in turn, all or none.",
    properties: {
      schemas: schemasMember,
      Operations: {
        type: "array",
        minItems: 1,
        maxItems: 200,
        items: {
          type: "object",
          properties: {
            op: { type: "string", description: "`add`, `replace` or `remove`, in any case." },
            path: { type: "string", description: "The attribute; without it, those of the value." },
            value: { description: "The new value." },
          },
          required: ["op"],
        },
      },
    },
    required: ["schemas", "Operations"],
  },
  ScimError: {
    type: "object",
    description: "A refusal (RFC 7644 section 3.12).",
    properties: {
      schemas: schemasMember,
      status: { type: "string", description: "The HTTP status." },
      scimType: { type: "string", description: "A keyword of RFC 7644, with some refusals." },
      detail: { type: "string", description: "What is wrong." },
    },
    required: ["schemas", "status", "detail"],
  },
};
