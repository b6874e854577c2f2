/** Reads and writes of identity and access in version 2, but for its Lists (lists.ts). */
import { OWNER_ROLE } from "../../schema/tables/roles.ts";
import type { Caller } from "./caller.ts";
import { estate } from "./estate.ts";

const description = "Another one";
const identitiesOf = "iam.v2.IdentitiesService";
const groupsOf = "iam.v2.GroupsService";
const rolesOf = "iam.v2.RolesService";
const bindingsOf = "iam.v2.RoleBindingsService";

/** A group that the run makes and removes, among as many as the estate has. */
async function visitGroups(on: Caller): Promise<string> {
  const group = { name: "made" };
  const { body } = await on.write(`${groupsOf}/CreateGroup`, { parent: estate.root, group });
  const { uid } = body;
  await on.write(`${groupsOf}/CreateGroup`, { group: { name: "made" } }, "an organization");
  await on.get(`${groupsOf}/GetGroup`, { uid });
  await on.get(`${groupsOf}/GetGroup`, { uid: estate.chain[3] }, "on the deepest level");
  await on.write(`${groupsOf}/UpdateGroup`, { group: { uid, description } });
  await on.write("iam.v2.TermsService/AcceptTerms", { group: uid, documentIds: ["sfdpa.v1"] });
  return uid;
}

async function visitPeople(on: Caller, parent: string): Promise<void> {
  const claimMatch = { issuer: "https://issuer.example", subject: "build" };
  const identity = { name: "made", claimMatch };
  const made = await on.write(`${identitiesOf}/CreateIdentity`, { parent, identity });
  const { uid } = made.body;
  await on.get(`${identitiesOf}/GetIdentity`, { uid });
  await on.get(`${identitiesOf}/LookupIdentity`, claimMatch);
  await on.write(`${identitiesOf}/UpdateIdentity`, { identity: { uid, description } });
  await on.write(`${identitiesOf}/UpdateIdentityMetadata`, {
    identityMetadata: { company: "A company" },
  });
  const role = { name: "made", capabilities: ["CAP_REPO_LIST"] };
  const { body } = await on.write(`${rolesOf}/CreateRole`, { parent, role });
  await on.get(`${rolesOf}/GetRole`, { uid: body.uid });
  await on.get(`${rolesOf}/GetRole`, { uid: OWNER_ROLE }, "a built-in one");
  await on.write(`${rolesOf}/UpdateRole`, { role: { uid: body.uid, description } });
  await visitBindings(on, parent, uid, body.uid);
  await on.write(`${rolesOf}/DeleteRole`, { uid: body.uid });
  await on.write(`${identitiesOf}/DeleteIdentity`, { uid });
}

async function visitBindings(on: Caller, parent: string, identityUid: string, role: string) {
  const roleBinding = { identityUid, roleUid: role };
  const { body } = await on.write(`${bindingsOf}/CreateRoleBinding`, { parent, roleBinding });
  const { uid } = body;
  await on.get(`${bindingsOf}/GetRoleBinding`, { uid });
  await on.write(`${bindingsOf}/UpdateRoleBinding`, { roleBinding: { uid, roleUid: OWNER_ROLE } });
  const requests = [{ parent, roleBinding: { identityUid, roleUid: role } }];
  const batch = await on.write(
    `${bindingsOf}/BatchCreateRoleBindings`,
    { parent, requests },
    "of one",
  );
  const [also] = batch.body.roleBindings as { uid: string }[];
  for (const one of [uid, also?.uid])
    await on.write(`${bindingsOf}/DeleteRoleBinding`, { uid: one });
}

async function visitInvites(on: Caller, parent: string): Promise<void> {
  const of = "iam.v2.GroupInvitesService";
  const groupInvite = { roleUid: OWNER_ROLE, ttl: "3600s" };
  const { body } = await on.write(`${of}/CreateGroupInvite`, { parent, groupInvite });
  const { uid } = body;
  await on.get(`${of}/GetGroupInvite`, { uid });
  await on.write(`${of}/UpdateGroupInvite`, { groupInvite: { uid, email: "ada@example.com" } });
  await on.write(`${of}/DeleteGroupInvite`, { uid });
}

/** `issuer` is an OpenID issuer that can be asked for its configuration. */
async function visitProviders(on: Caller, parent: string, issuer: string): Promise<void> {
  const of = "iam.v2.IdentityProvidersService";
  const identityProvider = {
    name: "made",
    defaultRole: OWNER_ROLE,
    oidc: { issuer, clientId: "bench", pkceEnabled: true },
  };
  const made = await on.write(`${of}/CreateIdentityProvider`, { parent, identityProvider });
  const { uid } = made.body;
  await on.get(`${of}/GetIdentityProvider`, { uid });
  await on.write(`${of}/UpdateIdentityProvider`, { identityProvider: { uid, description } });
  await visitMappings(on, uid, estate.root);
  const identityProviderUid = uid;
  const given = await on.write(`${of}/GenerateScimToken`, { identityProviderUid });
  const next = { identityProviderUid, etag: etagIn(given.body), overlap: "60s" };
  const renewed = await on.write(`${of}/RegenerateScimToken`, next);
  const off = { identityProviderUid, etag: etagIn(renewed.body), enabled: false };
  await on.write(`${of}/SetScimEnabled`, off);
  await on.write(`${of}/RevokeScimToken`, { identityProviderUid });
  await on.write(`${of}/DeleteIdentityProvider`, { uid });
}

/** The etag of the SCIM configuration, wherever in the answer it stands. */
export function etagIn(json: unknown): unknown {
  if (typeof json !== "object" || json === null) return undefined;
  if ("etag" in json) return json.etag;
  return Object.values(json)
    .map(etagIn)
    .find((found) => found !== undefined);
}

async function visitMappings(on: Caller, parent: string, scope: string): Promise<void> {
  const of = "iam.v2.ExternalGroupRoleMappingsService";
  const make = async (externalGroupId: string) => {
    const mapping = { externalGroupId, roleUid: OWNER_ROLE, scope };
    const request = { parent, externalGroupRoleMapping: mapping };
    return (await on.write(`${of}/CreateExternalGroupRoleMapping`, request)).body.uid;
  };
  const [uid, other] = [await make("developers"), await make("operators")];
  await on.get(`${of}/GetExternalGroupRoleMapping`, { uid });
  await on.write(`${of}/UpdateExternalGroupRoleMapping`, {
    externalGroupRoleMapping: { uid, externalGroupId: "others" },
  });
  await on.write(`${of}/DeleteExternalGroupRoleMapping`, { uid });
  const batch = { parent, names: [other] };
  await on.write(`${of}/BatchDeleteExternalGroupRoleMappings`, batch, "of one");
}

async function visitTheRest(on: Caller, parent: string): Promise<void> {
  const of = "iam.v2.AccountAssociationsService";
  const accountAssociation = {
    name: "clouds",
    azure: {
      tenantId: "11111111-1111-4111-8111-111111111111",
      clientIds: { client: "22222222-2222-4222-8222-222222222222" },
    },
  };
  await on.write(`${of}/CreateAccountAssociation`, { parent, accountAssociation });
  await on.get(`${of}/GetAccountAssociation`, { uid: parent });
  await on.get(`${of}/CheckAccountAssociation`, {
    uid: parent,
    providerType: "ACCOUNT_PROVIDER_TYPE_AZURE",
  });
  await on.write(`${of}/UpdateAccountAssociation`, {
    accountAssociation: { uid: parent, description },
  });
  await on.write(`${of}/DeleteAccountAssociation`, { uid: parent });
  const subscriptions = "events.v2.SubscriptionsService";
  const subscription = { sink: "http://localhost:9000/events" };
  const made = await on.write(`${subscriptions}/CreateSubscription`, { parent, subscription });
  await on.get(`${subscriptions}/GetSubscription`, { uid: made.body.uid });
  await on.write(`${subscriptions}/DeleteSubscription`, { uid: made.body.uid });
}

/** Everything about a group that is made for it and removed at the end. */
export async function visitIam(on: Caller, issuer: string): Promise<void> {
  await on.get("ping.v2.PingService/Ping", {}, "", "");
  const group = await visitGroups(on);
  await visitPeople(on, group);
  await visitInvites(on, group);
  await visitProviders(on, group, issuer);
  await visitTheRest(on, group);
  await on.write(`${groupsOf}/DeleteGroup`, { uid: group });
}
