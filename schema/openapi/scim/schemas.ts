/** Documents of SCIM 2.0 (RFC 7643 and 7644). */
import type { JsonObject } from "@bufbuild/protobuf";
import { ref } from "../form.ts";

const schemasMember: JsonObject = {
  type: "array",
  description: "The schemas of the document.",
  items: { type: "string" },
  minItems: 1,
};

const listOf = (items: JsonObject): JsonObject => ({
  type: "object",
  description: "A list (RFC 7644 section 3.4.2).",
  properties: {
    schemas: schemasMember,
    totalResults: {
      type: "integer",
      description: "The number of users, groups or documents that match.",
    },
    startIndex: {
      type: "integer",
      description: "The position of the first item on this page. Positions begin with 1.",
    },
    itemsPerPage: { type: "integer", description: "The number of items on this page." },
    Resources: { type: "array", description: "The items on this page.", items },
  },
  required: ["schemas", "totalResults", "startIndex", "itemsPerPage", "Resources"],
});

/** This is not a list of types, because not all generators of clients support one. */
const names: JsonObject = {
  anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }],
};

const userProperties: JsonObject = {
  schemas: schemasMember,
  userName: {
    type: "string",
    description: "The name of the user at the provider. It must be unique.",
  },
  externalId: {
    type: "string",
    description: "The id of the user at the provider: the `sub` or the `oid` of their tokens.",
  },
  active: {
    type: "boolean",
    description: "Whether the user is active. Only active users can sign in. The default is true.",
  },
};

const groupProperties: JsonObject = {
  schemas: schemasMember,
  displayName: {
    type: "string",
    maxLength: 256,
    description: "The name of the group. It must be unique, in upper or lower case.",
  },
  externalId: {
    type: "string",
    maxLength: 256,
    description: "The id of the group at the provider. It must be unique.",
  },
  members: {
    type: "array",
    description:
      "The users in the group: at most 20,000. In responses, each also has the URL of the user.",
    items: {
      type: "object",
      properties: {
        value: { type: "string", description: "The id of the user." },
        type: { type: "string", description: "`User`. A group cannot contain a group." },
      },
      required: ["value"],
      additionalProperties: true,
    },
  },
};

/** The schemas by name. */
export const scimSchemas: Record<string, JsonObject> = {
  ScimUser: {
    type: "object",
    description: "A user. It can contain any other attribute of RFC 7643 that the provider sent.",
    properties: {
      ...userProperties,
      id: {
        type: "string",
        description: "The id of the user: the last step of their uid.",
        readOnly: true,
      },
      meta: {
        type: "object",
        description: "The type, times, URL and version of the user.",
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
  ScimGroup: {
    type: "object",
    description:
      "A group. The role mappings of its `displayName` or `externalId` apply to its members.",
    properties: {
      ...groupProperties,
      id: {
        type: "string",
        description: "The id of the group: the last step of its uid.",
        readOnly: true,
      },
      meta: {
        type: "object",
        description: "The type, times, URL and version of the group.",
        readOnly: true,
        additionalProperties: { type: "string" },
      },
    },
    required: ["schemas", "id"],
    additionalProperties: true,
  },
  ScimGroupInput: {
    type: "object",
    description: "The attributes of a group, and its members.",
    properties: groupProperties,
    required: ["schemas", "displayName"],
    additionalProperties: true,
  },
  ScimGroupList: listOf(ref("schemas", "ScimGroup")),
  ScimUserList: listOf(ref("schemas", "ScimUser")),
  ScimList: listOf(ref("schemas", "ScimResource")),
  ScimResource: {
    type: "object",
    description: "A document about the SCIM service.",
    properties: { schemas: schemasMember },
    required: ["schemas"],
    additionalProperties: true,
  },
  ScimSearch: {
    type: "object",
    description: "The parameters of a query, as a body.",
    properties: {
      schemas: schemasMember,
      filter: { type: "string", description: "The same as the query parameter `filter`." },
      startIndex: { type: "integer", description: "The same as the query parameter `startIndex`." },
      count: { type: "integer", description: "The same as the query parameter `count`." },
      attributes: {
        ...names,
        description: "The same as the query parameter `attributes`, or a list of names.",
      },
      excludedAttributes: {
        ...names,
        description: "The same as the query parameter `excludedAttributes`, or a list of names.",
      },
    },
    required: ["schemas"],
  },
  ScimPatch: {
    type: "object",
    description:
      "Changes to a user or a group, applied in order. If one of them fails, none is applied.",
    properties: {
      schemas: schemasMember,
      Operations: {
        type: "array",
        minItems: 1,
        maxItems: 1000,
        description: "At most 200 operations for a user, and 1,000 for a group.",
        items: {
          type: "object",
          properties: {
            op: {
              type: "string",
              description: "The operation: `add`, `replace` or `remove`, in upper or lower case.",
            },
            path: {
              type: "string",
              description:
                "The attribute to change. Without it, the operation changes the attributes in `value`.",
            },
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
    description: "An error (RFC 7644 section 3.12).",
    properties: {
      schemas: schemasMember,
      status: { type: "string", description: "The HTTP status." },
      scimType: {
        type: "string",
        description: "A keyword of RFC 7644 for the type of the error. Only some errors have one.",
      },
      detail: { type: "string", description: "A description of the error." },
    },
    required: ["schemas", "status", "detail"],
  },
};
