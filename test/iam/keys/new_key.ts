/** Keys of identities for tests. */
import { newIdentity, newOrganization, type Organization } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";

/** A key as the response of its creation shows it. */
export interface MadeKey {
  uid: string;
  secret: string;
  expireTime: string;
  [field: string]: unknown;
}

/** Creates a key of an identity. */
export async function newKey(token: string, identity: string, key: object = {}): Promise<MadeKey> {
  const body = { name: "old-build-server", ...key };
  const made = await callRest(`/iam/v2/keys/${identity}`, { token, body });
  if (made.status !== 200) throw new Error(`no key: ${JSON.stringify(made.body)}`);
  return made.body;
}

/** An organization with an identity that pulls, and a key of it. */
export async function newKeyHolder(role = "registry.pull", key: object = {}) {
  const organization: Organization = await newOrganization("keys");
  const identity = await newIdentity(organization, role);
  const made = await newKey(organization.owner.token, identity.uid, key);
  return { organization, identity, key: made };
}
