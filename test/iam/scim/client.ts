/** A provisioning client: an identity provider with SCIM enabled, and calls to its endpoint. */
import { bindPerson, newOrganization, newUser, type Organization } from "../../world/personas.ts";
import { type Answer, callRest } from "../../world/platform.ts";
import { newIdentityProvider } from "../identity_providers/openid_provider.ts";

export const userSchema = "urn:ietf:params:scim:schemas:core:2.0:User";
export const enterpriseSchema = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
export const groupSchema = "urn:ietf:params:scim:schemas:core:2.0:Group";
export const patchSchema = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
export const errorSchema = "urn:ietf:params:scim:api:messages:2.0:Error";

/** A client of one identity provider. */
export interface Client {
  organization: Organization;
  /** Uid of the identity provider. */
  idp: string;
  token: string;
  /** One request below the provider's base URL; the body is sent as SCIM. */
  ask(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>;
  /** Creates a user with POST. */
  create(user: object): Promise<Record<string, unknown> & { id: string }>;
  patch(id: string, ...operations: object[]): Promise<Answer>;
  /** Creates a group with POST. */
  createGroup(group: object): Promise<Record<string, unknown> & { id: string }>;
  patchGroup(id: string, ...operations: object[]): Promise<Answer>;
  /** The ids of the members of a group, in ascending order. */
  members(id: string): Promise<string[]>;
}

/** A provider of an organization with SCIM enabled, and its client. */
export async function newClient(organization?: Organization): Promise<Client> {
  const own = organization ?? (await newOrganization());
  const as = { token: own.owner.token };
  const { uid: idp } = await newIdentityProvider(own);
  const path = `/iam/v2/identityProviders/${idp}`;
  const { body: issued } = await callRest(`${path}:generateScimToken`, { ...as, body: {} });
  await bindPerson({ uid: own.uid, ...as }, (await newUser()).uid, "owner");
  const on = { enabled: true, etag: issued.etag };
  const { status } = await callRest(`${path}:setScimEnabled`, { ...as, body: on });
  if (status !== 200) throw new Error("SCIM could not be switched on");
  return clientOf(own, idp, issued.token);
}

/** A client with three users, whose ids are in ascending order. */
export async function newClientWithUsers(): Promise<Client & { users: string[] }> {
  const client = await newClient();
  const made = [];
  for (const userName of ["ada", "bob", "cy"]) made.push((await client.create({ userName })).id);
  return { ...client, users: made.sort() };
}

let serial = 0;
/** A displayName that no other group of the run has. */
export const newGroupName = () => `Group ${String(serial++)}`;

/** Members as a client sends them. */
export const membersOf = (...ids: string[]) => ids.map((value) => ({ value }));

/** A client with any bearer token. */
export function clientOf(organization: Organization, idp: string, token: string): Client {
  const ask: Client["ask"] = (method, path, body, headers = {}) =>
    callRest(`/scim/v2/${idp}${path}`, {
      method,
      token,
      ...(body === undefined ? {} : { body }),
      headers: { "content-type": "application/scim+json", ...headers },
    });
  return {
    organization,
    idp,
    token,
    ask,
    async create(user) {
      const { status, body } = await ask("POST", "/Users", { schemas: [userSchema], ...user });
      if (status !== 201) throw new Error(JSON.stringify(body));
      return body;
    },
    patch: (id, ...operations) =>
      ask("PATCH", `/Users/${id}`, { schemas: [patchSchema], Operations: operations }),
    async createGroup(group) {
      const { status, body } = await ask("POST", "/Groups", { schemas: [groupSchema], ...group });
      if (status !== 201) throw new Error(JSON.stringify(body));
      return body;
    },
    patchGroup: (id, ...operations) =>
      ask("PATCH", `/Groups/${id}`, { schemas: [patchSchema], Operations: operations }),
    async members(id) {
      const { body } = await ask("GET", `/Groups/${id}`);
      return (body.members ?? []).map(({ value }: { value: string }) => value);
    },
  };
}
