/** The description of the endpoint (RFC 7643 sections 5 to 7, RFC 7644 section 4). */
import { enterpriseSchema, groupSchema, schemaDocuments, userSchema } from "./attributes.ts";
import { requireCredential, selectCredential } from "./credential.ts";
import { ScimError } from "./errors.ts";
import { type ScimCall, scimResponse, toListResponse } from "./exchange.ts";
import { scimLimits } from "./limits.ts";

const baseOf = ({ users }: ScimCall) => users.slice(0, -"/Users".length);

/** Returns a document to a client that may provision. */
async function showDocument(
  call: ScimCall,
  document: (base: string) => unknown,
): Promise<Response> {
  const [credential] = await selectCredential(call.db, call.provider);
  requireCredential(credential, call);
  // These documents are the same for every client and cannot be searched (RFC 7644 section 4).
  if (call.url.searchParams.has("filter"))
    throw new ScimError(403, "this resource cannot be filtered");
  const resource = document(baseOf(call));
  if (!resource) throw new ScimError(404, `there is no ${call.id}`);
  return scimResponse(resource);
}

const feature = (supported: boolean) => ({ supported });

const serviceProviderConfig = (base: string) => ({
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
  patch: feature(true),
  bulk: { ...feature(false), maxOperations: 0, maxPayloadSize: scimLimits.bodyBytes },
  filter: { ...feature(true), maxResults: scimLimits.pageUsers },
  changePassword: feature(false),
  sort: feature(false),
  etag: feature(true),
  authenticationSchemes: [
    {
      type: "oauthbearertoken",
      name: "OAuth Bearer Token",
      description: "Send the SCIM token of the identity provider as Authorization: Bearer",
      specUri: "https://www.rfc-editor.org/info/rfc6750",
      primary: true,
    },
  ],
  meta: { resourceType: "ServiceProviderConfig", location: `${base}/ServiceProviderConfig` },
});

const userResourceType = (base: string) => ({
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
  id: "User",
  name: "User",
  description: "A person of the organization",
  endpoint: "/Users",
  schema: userSchema,
  schemaExtensions: [{ schema: enterpriseSchema, required: false }],
  meta: { resourceType: "ResourceType", location: `${base}/ResourceTypes/User` },
});

const groupResourceType = (base: string) => ({
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
  id: "Group",
  name: "Group",
  description: "A group of users, which role mappings can name",
  endpoint: "/Groups",
  schema: groupSchema,
  meta: { resourceType: "ResourceType", location: `${base}/ResourceTypes/Group` },
});

const resourceTypes = (base: string) => [userResourceType(base), groupResourceType(base)];

const schemaResources = (base: string) =>
  schemaDocuments.map((document) => ({
    ...document,
    meta: { resourceType: "Schema", location: `${base}/Schemas/${document.id}` },
  }));

export const showServiceProviderConfig = (call: ScimCall) =>
  showDocument(call, serviceProviderConfig);

export const listResourceTypes = (call: ScimCall) =>
  showDocument(call, (base) => toListResponse(resourceTypes(base)));

export const showResourceType = (call: ScimCall) =>
  showDocument(call, (base) => resourceTypes(base).find(({ id }) => id === call.id));

export const listSchemas = (call: ScimCall) =>
  showDocument(call, (base) => toListResponse(schemaResources(base)));

export const showSchema = (call: ScimCall) =>
  showDocument(call, (base) =>
    schemaResources(base).find(({ id }) => id.toLowerCase() === call.id.toLowerCase()),
  );
