/** What the endpoint says of itself (RFC 7643 sections 5 to 7, RFC 7644 section 4). */
import { enterpriseSchema, schemaDocuments, userSchema } from "./attributes.ts";
import { admit, selectCredential } from "./credential.ts";
import { ScimError } from "./errors.ts";
import { answer, listOf, type ScimCall } from "./exchange.ts";
import { limits } from "./limits.ts";

const baseOf = ({ users }: ScimCall) => users.slice(0, -"/Users".length);

/** Answers a document to whoever may provision. */
async function show(call: ScimCall, document: (base: string) => unknown): Promise<Response> {
  const [credential] = await selectCredential(call.db, call.provider);
  admit(credential, call.digest, call.now);
  // What is the same for all cannot be searched (RFC 7644 section 4).
  if (call.url.searchParams.has("filter")) throw new ScimError(403, "this cannot be filtered");
  const found = document(baseOf(call));
  if (!found) throw new ScimError(404, `there is no ${call.id}`);
  return answer(found);
}

const on = (supported: boolean) => ({ supported });

const serviceProviderConfig = (base: string) => ({
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
  patch: on(true),
  bulk: { ...on(false), maxOperations: 0, maxPayloadSize: limits.bodyBytes },
  filter: { ...on(true), maxResults: limits.pageUsers },
  changePassword: on(false),
  sort: on(false),
  etag: on(true),
  authenticationSchemes: [
    {
      type: "oauthbearertoken",
      name: "OAuth Bearer Token",
      description: "The SCIM token of the identity provider, as Authorization: Bearer",
      specUri: "https://www.rfc-editor.org/info/rfc6750",
      primary: true,
    },
  ],
  meta: { resourceType: "ServiceProviderConfig", location: `${base}/ServiceProviderConfig` },
});

const userType = (base: string) => ({
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
  id: "User",
  name: "User",
  description: "A person of the organization",
  endpoint: "/Users",
  schema: userSchema,
  schemaExtensions: [{ schema: enterpriseSchema, required: false }],
  meta: { resourceType: "ResourceType", location: `${base}/ResourceTypes/User` },
});

const schemasAt = (base: string) =>
  schemaDocuments.map((document) => ({
    ...document,
    meta: { resourceType: "Schema", location: `${base}/Schemas/${document.id}` },
  }));

export const showServiceProviderConfig = (call: ScimCall) => show(call, serviceProviderConfig);

export const listResourceTypes = (call: ScimCall) => show(call, (base) => listOf([userType(base)]));

export const showResourceType = (call: ScimCall) =>
  show(call, (base) => (call.id === "User" ? userType(base) : undefined));

export const listSchemas = (call: ScimCall) => show(call, (base) => listOf(schemasAt(base)));

export const showSchema = (call: ScimCall) =>
  show(call, (base) =>
    schemasAt(base).find(({ id }) => id.toLowerCase() === call.id.toLowerCase()),
  );
