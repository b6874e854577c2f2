/** SCIM 2.0, by which an identity provider keeps the users of an organization (src/iam/scim). By hand. */
import type { JsonObject } from "@bufbuild/protobuf";
import { type Chapter, content, type OperationObject, type PathItem, ref } from "../form.ts";
import {
  commonErrors,
  duplicateUser,
  invalidBody,
  mediaType,
  newUserExample,
  scimAnswer,
  scimErrorAnswer,
  storageErrors,
  userAnswer,
  userExample,
  userNotFound,
  versionMismatch,
} from "./answers.ts";
import { scimSchemas } from "./schemas.ts";

const listSchema = "urn:ietf:params:scim:api:messages:2.0:ListResponse";

const provider = {
  name: "provider",
  in: "path",
  required: true,
  description: "The uid of the identity provider. Slashes stand as they are.",
  schema: { type: "string", pattern: "^[0-9a-f]{40}(/[0-9a-f]{16})+$" },
};

const user = {
  name: "id",
  in: "path",
  required: true,
  description: "The id of the user: the last step of its uid.",
  schema: { type: "string", pattern: "^[0-9a-f]{16}$" },
};

const text = (name: string, description: string, example: string) => ({
  name,
  in: "query",
  description,
  schema: { type: "string" },
  example,
});

const projection = [
  text("attributes", "What to show, separated by commas; all without it.", "userName,active"),
  text("excludedAttributes", "What to leave out.", "name"),
];

const version = {
  name: "if-match",
  in: "header",
  description: "The version that was read last: 412 where it is another one now.",
  schema: { type: "string" },
};

const body = (schema: JsonObject, example: JsonObject): JsonObject => ({
  required: true,
  content: {
    ...content(schema, { example }, mediaType),
    ...content(schema, { example }, "application/json"),
  },
});

const operation = (
  operationId: string,
  summary: string,
  description: string,
  rest: Pick<OperationObject, "responses"> & Partial<OperationObject>,
): OperationObject => ({
  ...{ operationId, summary, description, tags: ["Scim"] },
  ...rest,
  parameters: [provider, ...(rest.parameters ?? [])],
  responses: { ...commonErrors, ...rest.responses },
  security: [{ scimToken: [] }],
});

const list = scimAnswer("The users of this page.", ref("schemas", "ScimUserList"), {
  schemas: [listSchema],
  totalResults: 1,
  startIndex: 1,
  itemsPerPage: 1,
  Resources: [userExample],
});

const badFilter = {
  400: scimErrorAnswer(
    "The filter cannot be read, or would look at too much (`tooMany`).",
    400,
    "there is no attribute nickname",
    "invalidFilter",
  ),
};

const users: PathItem = {
  get: operation("listScimUsers", "List users", "Users by filter, page by page.", {
    parameters: [
      text("filter", "RFC 7644 section 3.4.2.2.", 'userName eq "ann" and active eq true'),
      {
        name: "startIndex",
        in: "query",
        description: "The first user of the page, from 1.",
        schema: { type: "integer", default: 1 },
      },
      {
        name: "count",
        in: "query",
        description: "Users of a page; at most 200. A page of more than 4 MiB ends earlier.",
        schema: { type: "integer", default: 100 },
      },
      ...projection,
    ],
    responses: { 200: list, ...badFilter },
  }),
  post: operation("createScimUser", "Create user", "Adds a user.", {
    parameters: projection,
    requestBody: body(ref("schemas", "ScimUserInput"), newUserExample),
    responses: {
      201: userAnswer("The user."),
      ...invalidBody,
      ...storageErrors,
      409: duplicateUser,
    },
  }),
};

const search: PathItem = {
  post: operation(
    "searchScimUsers",
    "Search users",
    "The same query in a body, for what should not stand in an address (RFC 7644 section 3.4.3).",
    {
      requestBody: body(ref("schemas", "ScimSearch"), {
        schemas: ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"],
        filter: 'userName eq "ann"',
        count: 10,
      }),
      responses: { 200: list, ...invalidBody, ...badFilter },
    },
  ),
};

const unchanged = { 304: { description: "As the `If-None-Match` of the request says." } };

const one: PathItem = {
  get: operation("getScimUser", "Get user", "Reads a user.", {
    parameters: [user, ...projection],
    responses: { 200: userAnswer("The user."), ...unchanged, 404: userNotFound },
  }),
  put: operation(
    "replaceScimUser",
    "Replace user",
    "Replaces a user's attributes; `active` stays where it is left out. Who is not active any more " +
      "loses their refresh tokens.",
    {
      parameters: [user, version, ...projection],
      requestBody: body(ref("schemas", "ScimUserInput"), newUserExample),
      responses: {
        200: userAnswer("The user."),
        ...{ ...invalidBody, ...storageErrors },
        ...{ 404: userNotFound, 409: duplicateUser, 412: versionMismatch },
      },
    },
  ),
  patch: operation(
    "patchScimUser",
    "Change user",
    "Adds, replaces and removes attributes (RFC 7644 section 3.5.2). Who is not active any more " +
      "loses their refresh tokens.",
    {
      parameters: [user, version, ...projection],
      requestBody: body(ref("schemas", "ScimPatch"), {
        schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
        Operations: [{ op: "replace", path: "active", value: false }],
      }),
      responses: {
        200: userAnswer("The user."),
        ...{ ...invalidBody, ...storageErrors },
        ...{ 404: userNotFound, 409: duplicateUser, 412: versionMismatch },
      },
    },
  ),
  delete: operation(
    "deleteScimUser",
    "Delete user",
    "Deletes a user, who can sign in no more and loses their refresh tokens.",
    {
      parameters: [user, version],
      responses: {
        204: { description: "Done. The body is empty." },
        ...storageErrors,
        ...{ 404: userNotFound, 409: duplicateUser, 412: versionMismatch },
      },
    },
  ),
};

const about = (operationId: string, what: string, isList: boolean): PathItem => ({
  get: operation(operationId, `Show ${what}`, `What RFC 7643 calls ${what}.`, {
    responses: {
      200: {
        description: "The document.",
        content: content(ref("schemas", isList ? "ScimList" : "ScimResource"), {}, mediaType),
      },
    },
  }),
});

/** Provisioning: users only. */
export const scimChapter: Chapter = {
  tags: [
    {
      name: "Scim",
      title: "SCIM users",
      description:
        "Users of an identity provider as its provisioning client keeps them (RFC 7643 and 7644). " +
        "The token comes from `generateScimToken`.",
      group: "Provisioning",
    },
  ],
  paths: {
    "/scim/v2/{provider}/Users": users,
    "/scim/v2/{provider}/Users/.search": search,
    "/scim/v2/{provider}/Users/{id}": one,
    "/scim/v2/{provider}/ServiceProviderConfig": about(
      "getScimServiceProviderConfig",
      "the service provider's configuration",
      false,
    ),
    "/scim/v2/{provider}/ResourceTypes": about("listScimResourceTypes", "resource types", true),
    "/scim/v2/{provider}/Schemas": about("listScimSchemas", "schemas", true),
  },
  schemas: scimSchemas,
  securitySchemes: {
    scimToken: {
      type: "http",
      scheme: "bearer",
      description: "The SCIM token of the identity provider.",
    },
  },
};
