/** The responses of SCIM: users, groups, and errors in its own form. */
import type { JsonObject } from "@bufbuild/protobuf";
import { content, type ResponseObject, ref } from "../form.ts";

export const mediaType = "application/scim+json";
const userSchema = "urn:ietf:params:scim:schemas:core:2.0:User";
const providerUrl =
  "https://api.example.com/scim/v2/45a0c61ea6fd977f050c5fb9ac06a69eed764595/5a4b3c2d1e0f9687";

const versionHeaders = {
  etag: { description: "The version of the user.", schema: { type: "string" } },
  location: { description: "The URL of the user.", schema: { type: "string" } },
};

export const userExample = {
  schemas: [userSchema],
  id: "2b3c4d5e6f708192",
  userName: "ann",
  externalId: "1",
  active: true,
  meta: {
    resourceType: "User",
    created: "2026-01-28T12:54:21.189Z",
    lastModified: "2026-01-28T12:54:21.189Z",
    location: `${providerUrl}/Users/2b3c4d5e6f708192`,
    version: 'W/"1769604861189"',
  },
};

export const newUserExample = {
  schemas: [userSchema],
  userName: "ann",
  externalId: "1",
  active: true,
};

export const groupExample = {
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"],
  id: "3c4d5e6f70819203",
  externalId: "00g1",
  displayName: "Developers",
  members: [
    {
      value: "2b3c4d5e6f708192",
      type: "User",
    },
  ],
  meta: {
    resourceType: "Group",
    created: "2026-01-28T12:54:21.189Z",
    lastModified: "2026-01-28T12:54:21.189Z",
    location: `${providerUrl}/Groups/3c4d5e6f70819203`,
    version: 'W/"1769604861189"',
  },
};

export const newGroupExample = {
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"],
  displayName: "Developers",
  externalId: "00g1",
  members: [{ value: "2b3c4d5e6f708192" }],
};

export const scimAnswer = (
  description: string,
  schema: JsonObject,
  example: JsonObject,
): ResponseObject => ({
  description,
  content: content(schema, { example }, mediaType),
});

export const userAnswer = (description: string): ResponseObject => ({
  ...scimAnswer(description, ref("schemas", "ScimUser"), userExample),
  headers: versionHeaders,
});

/** The headers of a response about a group, with or without a body. */
export const groupVersionHeaders = {
  etag: { description: "The version of the group.", schema: { type: "string" } },
  location: { description: "The URL of the group.", schema: { type: "string" } },
};

export const groupAnswer = (description: string): ResponseObject => ({
  ...scimAnswer(description, ref("schemas", "ScimGroup"), groupExample),
  headers: groupVersionHeaders,
});

export const scimErrorAnswer = (
  description: string,
  status: number,
  detail: string,
  scimType?: string,
): ResponseObject =>
  scimAnswer(description, ref("schemas", "ScimError"), {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
    status: String(status),
    ...(scimType ? { scimType } : {}),
    detail,
  });

export const commonErrors: Record<string, ResponseObject> = {
  401: scimErrorAnswer(
    "The token is missing, or is not the current token of the provider.",
    401,
    "the request carries no bearer token",
  ),
  403: scimErrorAnswer("SCIM is disabled for the provider.", 403, "provisioning is switched off"),
  404: scimErrorAnswer(
    "The URL does not contain the uid of an identity provider.",
    404,
    "nothing is served at /scim/v2/ann/Users",
  ),
  429: scimErrorAnswer(
    "There were too many requests in a minute. `Retry-After` has the seconds to wait.",
    429,
    "Resource exhausted: the rate limit is 3000 calls of the class list in a minute for each network, " +
      "with unverified tokens; send the call again in 17 s",
  ),
  500: scimErrorAnswer(
    "An error in the platform. The operator has to fix it.",
    500,
    "internal error",
  ),
  503: scimErrorAnswer(
    "The database does not respond. A write may have succeeded.",
    503,
    "Unavailable: the database does not answer; send a read again after a pause, and look before " +
      "you send a write again, as it may have been done",
  ),
};

/** Errors of writes only. */
export const storageErrors: Record<string, ResponseObject> = {
  429: scimErrorAnswer(
    "There were too many requests in a minute, and `Retry-After` has the seconds to wait. Or there is no storage left.",
    429,
    "Resource exhausted: the platform's storage is full; nothing is written until the operator makes room",
  ),
};

export const userNotFound = scimErrorAnswer(
  "The user or the identity provider does not exist.",
  404,
  "there is no user 2b3c4d5e6f708192",
);
export const duplicateUser = scimErrorAnswer(
  "Another user has the same `userName` or `externalId`.",
  409,
  "there is a user of that userName or externalId",
  "uniqueness",
);
export const versionMismatch = scimErrorAnswer(
  "The user no longer has the version in `If-Match`.",
  412,
  "the user is not of that version any more",
);
export const groupNotFound = scimErrorAnswer(
  "The group or the identity provider does not exist.",
  404,
  "there is no group 3c4d5e6f70819203",
);
export const duplicateGroup = scimErrorAnswer(
  "Another group has the same `displayName` or `externalId`.",
  409,
  "a group with that displayName or externalId exists already",
  "uniqueness",
);
export const groupVersionMismatch = scimErrorAnswer(
  "The group no longer has the version in `If-Match`.",
  412,
  "the group has changed since that version; read it again",
);
export const invalidGroup: ResponseObject = scimErrorAnswer(
  "The body is not valid, a member is not a user of the provider, or a limit is exceeded.",
  400,
  "displayName is required",
  "invalidValue",
);
export const invalidBody: Record<string, ResponseObject> = {
  400: scimErrorAnswer(
    "The body is not valid, or the user exceeds a limit.",
    400,
    "userName is required",
    "invalidValue",
  ),
  413: scimErrorAnswer(
    "The body has more than 256 KiB, or a PATCH exceeds its limits.",
    413,
    "the body is larger than 262144 bytes",
  ),
  415: scimErrorAnswer(
    "The media type is neither SCIM nor JSON.",
    415,
    `the body must be ${mediaType}`,
  ),
};
