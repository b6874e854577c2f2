/** Requests of a provisioning client, for the rows of the attack tables. */
import { patchSchema, userSchema } from "../../iam/scim/client.ts";

const searchSchema = "urn:ietf:params:scim:api:messages:2.0:SearchRequest";

/** The id of the user that the requests are about. */
export const victimId = "00000000000000bb";

export const repeatText = (count: number, text: string) => Array(count).fill(text);
export const nestedBrackets = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

export type ScimRequest = [method: string, path: string, body?: unknown];
export const patchUserRequest = (id: string, ...operations: unknown[]): ScimRequest => [
  "PATCH",
  `/Users/${id}`,
  { schemas: [patchSchema], Operations: operations },
];
/** Operations of a PATCH. */
export const add = (path: string, value: unknown) => ({ op: "add", path, value });
export const remove = (path: string, value?: unknown) => ({ op: "remove", path, value });
export const patchText = (operations: string): ScimRequest => [
  "PATCH",
  `/Users/${victimId}`,
  `{"schemas": ["${patchSchema}"], "Operations": [${operations}]}`,
];
export const postUserRequest = (user: object): ScimRequest => [
  "POST",
  "/Users",
  { schemas: [userSchema], ...user },
];
export const postText = (members: string): ScimRequest => [
  "POST",
  "/Users",
  `{"schemas": ["${userSchema}"], "userName": "new", ${members}}`,
];
export const putUserRequest = (user: object): ScimRequest => [
  "PUT",
  `/Users/${victimId}`,
  { schemas: [userSchema], userName: victimId, ...user },
];
export const listRequest = (query: string): ScimRequest => ["GET", `/Users?${query}`];
export const filterRequest = (text: string): ScimRequest =>
  listRequest(`filter=${encodeURIComponent(text)}`);
export const searchRequest = (members: string): ScimRequest => [
  "POST",
  "/Users/.search",
  `{"schemas": ["${searchSchema}"], ${members}}`,
];

/** A request, and its expected error. */
export type ScimAttack = [name: string, sent: ScimRequest, status: number, scimType?: string];

/** Requests with the same error, each by its name. */
export const refusedRequests = (
  status: number,
  scimType: string | undefined,
  requests: Record<string, ScimRequest>,
): ScimAttack[] =>
  Object.entries(requests).map(([name, sent]) =>
    scimType === undefined ? [name, sent, status] : [name, sent, status, scimType],
  );
