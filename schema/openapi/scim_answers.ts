/** What SCIM answers: users, and refusals in its own form. */
import type { JsonObject } from "@bufbuild/protobuf";
import { type Answer, content, ref } from "./form.ts";

export const mediaType = "application/scim+json";
const userSchema = "urn:ietf:params:scim:schemas:core:2.0:User";
const place =
  "https://api.example.com/scim/v2/45a0c61ea6fd977f050c5fb9ac06a69eed764595/5a4b3c2d1e0f9687";

const versionHeaders = {
  etag: { description: "The user's version.", schema: { type: "string" } },
  location: { description: "The user's address.", schema: { type: "string" } },
};

export const annExample = {
  schemas: [userSchema],
  id: "2b3c4d5e6f708192",
  userName: "ann",
  externalId: "1",
  active: true,
  meta: {
    resourceType: "User",
    created: "2026-01-28T12:54:21.189Z",
    lastModified: "2026-01-28T12:54:21.189Z",
    location: `${place}/Users/2b3c4d5e6f708192`,
    version: 'W/"1769604861189"',
  },
};

export const newExample = { schemas: [userSchema], userName: "ann", externalId: "1", active: true };

export const answer = (description: string, schema: JsonObject, example: JsonObject): Answer => ({
  description,
  content: content(schema, { example }, mediaType),
});

export const oneUser = (description: string): Answer => ({
  ...answer(description, ref("schemas", "ScimUser"), annExample),
  headers: versionHeaders,
});

export const error = (
  description: string,
  status: number,
  detail: string,
  scimType?: string,
): Answer =>
  answer(description, ref("schemas", "ScimError"), {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
    status: String(status),
    ...(scimType ? { scimType } : {}),
    detail,
  });

export const always: Record<string, Answer> = {
  401: error(
    "No token, or not the present one of this provider.",
    401,
    "the request carries no bearer token",
  ),
  403: error("Provisioning is switched off.", 403, "provisioning is switched off"),
  404: error(
    "The address has no uid of an identity provider in it.",
    404,
    "nothing is served at /scim/v2/ann/Users",
  ),
  500: error("Ours to mend.", 500, "internal error"),
  503: error(
    "The database does not answer. A write may have been done.",
    503,
    "Unavailable: the database does not answer; send a read again after a pause, and look before " +
      "you send a write again, as it may have been done",
  ),
};

/** What writes need, besides. */
export const full: Record<string, Answer> = {
  429: error(
    "No storage left to write to.",
    429,
    "Resource exhausted: the platform's storage is full; nothing is written until the operator makes room",
  ),
};

export const noUser = error(
  "No such user, or no identity provider at the address.",
  404,
  "there is no user 2b3c4d5e6f708192",
);
export const taken = error(
  "The userName or the externalId is another user's.",
  409,
  "there is a user of that userName or externalId",
  "uniqueness",
);
export const stale = error(
  "Not of that version any more.",
  412,
  "the user is not of that version any more",
);
export const unreadable: Record<string, Answer> = {
  400: error(
    "The body cannot be taken, or the user is beyond a limit.",
    400,
    "userName is required",
    "invalidValue",
  ),
  413: error(
    "More than 256 KiB, or than a PATCH may do.",
    413,
    "the body is larger than 262144 bytes",
  ),
  415: error("Neither SCIM nor JSON.", 415, `the body must be ${mediaType}`),
};
