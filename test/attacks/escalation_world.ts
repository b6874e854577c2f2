/** An organization with two groups, and people in it who have less access than its owner. */
import { Capability } from "../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { fixturesOf, newContractCaller } from "../contract/fixtures.ts";
import { identityProviderBody } from "../iam/identity_providers/openid_provider.ts";
import { newKey, startIssuer } from "../issuer/foreign_issuer.ts";
import { newProvider } from "../issuer/login/logins.ts";
import {
  createResource,
  newIdentity,
  newOrganization,
  newUser,
  randomName,
  roleUid,
} from "../world/personas.ts";
import { sql } from "../world/platform.ts";

const clerical = [
  ...[Capability.CAP_IAM_ROLE_BINDINGS_CREATE, Capability.CAP_IAM_ROLE_BINDINGS_UPDATE],
  ...[Capability.CAP_IAM_ROLE_BINDINGS_LIST, Capability.CAP_IAM_ROLES_CREATE],
  ...[Capability.CAP_IAM_ROLES_UPDATE, Capability.CAP_IAM_ROLES_LIST],
  ...[Capability.CAP_IAM_IDENTITY_CREATE, Capability.CAP_IAM_IDENTITY_UPDATE],
  ...[Capability.CAP_IAM_GROUPS_CREATE, Capability.CAP_IAM_GROUPS_UPDATE],
  ...[Capability.CAP_IAM_GROUP_INVITES_CREATE, Capability.CAP_IAM_IDENTITY_PROVIDERS_CREATE],
  ...[Capability.CAP_IAM_IDENTITY_PROVIDERS_UPDATE, Capability.CAP_IAM_IDENTITY_PROVIDERS_LIST],
];

const roleOf = async (identity: string) => {
  const query = "select role_uid as role from role_bindings where identity_uid = ?";
  const [row] = await sql<{ role: string }>(query, identity);
  return row?.role ?? "";
};

export async function newEscalationWorld() {
  const [organization, issuer] = [await newOrganization(), await startIssuer()];
  const { uid: root, owner } = organization;
  const { token } = owner;
  const [ownerRole, viewer] = [await roleUid("owner"), await roleUid("viewer")];
  const fixtures = await fixturesOf(organization);
  const { uid: group } = await createResource(`/iam/v2/groups/${root}`, token, {
    name: randomName("below"),
  });
  const clerk = await newContractCaller(root, clerical);
  const deputy = await newUser();
  const binding = { identityUid: deputy.uid, roleUid: ownerRole };
  await createResource(`/iam/v2/roleBindings/${root}`, token, binding);
  const idp = await newProvider(root, { issuer: issuer.url, groups_claim: "groups" });
  const mapping = { externalGroupId: "admins", roleUid: ownerRole, scope: root };
  const invite = { roleUid: ownerRole, ttl: "3600s", email: "boss@people.example" };
  const mighty = await newIdentity(organization, "owner");
  const [mightyBinding] = await sql<{ uid: string }>(
    "select uid from role_bindings where identity_uid = ?",
    mighty.uid,
  );
  return {
    organization,
    issuer,
    root,
    owner: token,
    ownerRole,
    viewer,
    /** The resources in the organization, and in the group below it. */
    fixtures,
    group,
    below: await fixturesOf(organization, group),
    /** Can do everything in IAM that is about access, and nothing in the registry. Is not an owner. */
    clerk,
    clerkRole: await roleOf(clerk.uid),
    /** The owner of the lower group. */
    chief: await newIdentity(organization, "owner", { bindAt: group }),
    /** An owner with narrowed tokens. */
    deputy,
    idp,
    /** A new provider, through which people come in as viewers or as owners. */
    provider: await identityProviderBody(),
    ownersProvider: await identityProviderBody({}, { defaultRole: ownerRole }),
    device: {
      ...{ issuer: "https://evil.example", subject: "me" },
      issuerKeys: JSON.stringify({ keys: [(await newKey()).jwk] }),
    },
    mappedHigh: (await createResource(`/iam/v2/externalGroupRoleMappings/${idp}`, token, mapping))
      .uid,
    inviteHigh: (await createResource(`/iam/v2/groupInvites/${root}`, token, invite)).uid,
    /** An identity that is an owner, and the binding that makes it an owner. */
    mighty: mighty.uid,
    mightyBinding: mightyBinding?.uid ?? "",
  };
}

export type EscalationWorld = Awaited<ReturnType<typeof newEscalationWorld>>;

/** A call that would give more access than its caller has. */
export interface AttackRequest {
  method: string;
  path: string;
  body: unknown;
}

/** Attacks by their names. */
export type EscalationAttacks = Record<string, (w: EscalationWorld) => AttackRequest>;

export const v2 = (resource: string, uid: string) => `/iam/v2/${resource}/${uid}`;
export const v1 = (resource: string, uid: string) => `/iam/v1/${resource}/${uid}`;
export const subscriptions = (version: string, uid: string) =>
  `/events/${version}/subscriptions/${uid}`;
export const post = (path: string, body: unknown): AttackRequest => ({
  method: "POST",
  path,
  body,
});
export const patch = (path: string, body: unknown): AttackRequest => ({
  method: "PATCH",
  path,
  body,
});
export const put = (path: string, body: unknown): AttackRequest => ({ method: "PUT", path, body });

/** The number of changes by the identity. Exchanges of its token change nothing. */
export async function changesOf(identity: string): Promise<number> {
  const query =
    "select count(*) as n from events where data ->> '$.actor.subject' = ? and type not like '%.token.exchanged.v1'";
  const [row] = await sql<{ n: number }>(query, identity);
  return row?.n ?? 0;
}
