/**
 * SCIM 2.0, which an identity provider uses to keep the users and groups of an organization up to date (src/iam/scim).
 * Written by hand.
 */
import { type Chapter, content, type PathItem, ref } from "../form.ts";
import {
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
import { groupPaths } from "./groups.ts";
import { body, operation, pageParameters, projectionOf, versionOf } from "./operations.ts";
import { scimSchemas } from "./schemas.ts";

const listSchema = "urn:ietf:params:scim:api:messages:2.0:ListResponse";

const user = {
  name: "id",
  in: "path",
  required: true,
  description: "The id of the user: the last step of its uid.",
  schema: { type: "string", pattern: "^[0-9a-f]{16}$" },
};

const projection = projectionOf("userName,active", "name");
const version = versionOf("user");

const list = scimAnswer("The users of this page.", ref("schemas", "ScimUserList"), {
  schemas: [listSchema],
  totalResults: 1,
  startIndex: 1,
  itemsPerPage: 1,
  Resources: [userExample],
});

const badFilter = {
  400: scimErrorAnswer(
    "The filter cannot be parsed, or the call would have to read too many users (`tooMany`).",
    400,
    "there is no attribute nickname",
    "invalidFilter",
  ),
};

const users: PathItem = {
  get: operation(
    "listScimUsers",
    "List users",
    "Lists the users that match a filter, page by page.",
    {
      parameters: [
        ...pageParameters(
          "users",
          'userName eq "ann" and active eq true',
          "A page ends earlier if it would have more than 4 MiB.",
        ),
        ...projection,
      ],
      responses: { 200: list, ...badFilter },
    },
  ),
  post: operation("createScimUser", "Create user", "Creates a user.", {
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
    "Lists users. The parameters are in the body, for values that should not be in a URL (RFC 7644 section 3.4.3).",
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

const unchanged = { 304: { description: "The user still has the version in `If-None-Match`." } };

const userItem: PathItem = {
  get: operation("getScimUser", "Get user", "Gets a user.", {
    parameters: [user, ...projection],
    responses: { 200: userAnswer("The user."), ...unchanged, 404: userNotFound },
  }),
  put: operation(
    "replaceScimUser",
    "Replace user",
    "Replaces the attributes of a user. If you leave out `active`, it keeps its value. The refresh tokens " +
      "of a user who is no longer active are revoked.",
    {
      parameters: [user, version, ...projection],
      requestBody: body(ref("schemas", "ScimUserInput"), newUserExample),
      responses: {
        200: userAnswer("The user."),
        ...invalidBody,
        ...storageErrors,
        404: userNotFound,
        409: duplicateUser,
        412: versionMismatch,
      },
    },
  ),
  patch: operation(
    "patchScimUser",
    "Change user",
    "Adds, replaces and removes attributes of a user (RFC 7644 section 3.5.2). The refresh tokens of a " +
      "user who is no longer active are revoked.",
    {
      parameters: [user, version, ...projection],
      requestBody: body(ref("schemas", "ScimPatch"), {
        schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
        Operations: [{ op: "replace", path: "active", value: false }],
      }),
      responses: {
        200: userAnswer("The user."),
        ...invalidBody,
        ...storageErrors,
        404: userNotFound,
        409: duplicateUser,
        412: versionMismatch,
      },
    },
  ),
  delete: operation(
    "deleteScimUser",
    "Delete user",
    "Deletes a user. They can no longer sign in, and their refresh tokens are revoked.",
    {
      parameters: [user, version],
      responses: {
        204: { description: "Success. The body is empty." },
        ...storageErrors,
        404: userNotFound,
        409: duplicateUser,
        412: versionMismatch,
      },
    },
  ),
};

const about = (operationId: string, what: string, isList: boolean): PathItem => ({
  get: operation(operationId, `Show ${what}`, `Gets ${what} as defined by RFC 7643.`, {
    responses: {
      200: {
        description: "The document.",
        content: content(ref("schemas", isList ? "ScimList" : "ScimResource"), {}, mediaType),
      },
    },
  }),
});

/** The chapter about provisioning. */
export const scimChapter: Chapter = {
  tags: [
    {
      name: "Scim",
      title: "SCIM users and groups",
      description:
        "The users and groups of an identity provider, which its provisioning client keeps up to date (RFC 7643 and 7644). " +
        "`generateScimToken` returns the token.",
      group: "Provisioning",
    },
  ],
  paths: {
    "/scim/v2/{provider}/Users": users,
    "/scim/v2/{provider}/Users/.search": search,
    "/scim/v2/{provider}/Users/{id}": userItem,
    ...groupPaths,
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
