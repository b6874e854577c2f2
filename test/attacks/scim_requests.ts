/** Requests of a provisioning client, for the rows of the attack tables. */
import { patchSchema, userSchema } from "../iam/scim/client.ts";

const searchSchema = "urn:ietf:params:scim:api:messages:2.0:SearchRequest";

/** Id of the user that the requests aim at. */
export const plain = "00000000000000bb";

export const times = (count: number, text: string) => Array(count).fill(text);
export const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

export type Sent = [method: string, path: string, body?: unknown];
export const patch = (id: string, ...operations: unknown[]): Sent => [
  "PATCH",
  `/Users/${id}`,
  { schemas: [patchSchema], Operations: operations },
];
export const patchText = (operations: string): Sent => [
  "PATCH",
  `/Users/${plain}`,
  `{"schemas": ["${patchSchema}"], "Operations": [${operations}]}`,
];
export const post = (user: object): Sent => ["POST", "/Users", { schemas: [userSchema], ...user }];
export const postText = (members: string): Sent => [
  "POST",
  "/Users",
  `{"schemas": ["${userSchema}"], "userName": "new", ${members}}`,
];
export const put = (user: object): Sent => [
  "PUT",
  `/Users/${plain}`,
  { schemas: [userSchema], userName: plain, ...user },
];
export const list = (query: string): Sent => ["GET", `/Users?${query}`];
export const filter = (text: string): Sent => list(`filter=${encodeURIComponent(text)}`);
export const search = (members: string): Sent => [
  "POST",
  "/Users/.search",
  `{"schemas": ["${searchSchema}"], ${members}}`,
];

/** What is sent, and the refusal that it gets. */
export type Attack = [name: string, sent: Sent, status: number, scimType?: string];
