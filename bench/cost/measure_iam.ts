/** Measures reads and writes of identity and access in version 2, except for Lists (lists.ts). */

import { OWNER_ROLE } from "../../schema/tables/iam/roles.ts";
import type { BenchPlatform } from "../stage.ts";
import type { MeasuringCaller } from "./caller.ts";
import { fixtures } from "./fixtures.ts";
import { measureEvents } from "./measure_events.ts";

const description = "Another one";
const identitiesOf = "iam.v2.IdentitiesService";
const groupsOf = "iam.v2.GroupsService";
const rolesOf = "iam.v2.RolesService";
const bindingsOf = "iam.v2.RoleBindingsService";

/** Measures a group that the run creates and removes, with as many siblings as the fixtures have. */
async function measureGroups(caller: MeasuringCaller): Promise<string> {
  const group = { name: "made" };
  const { body } = await caller.write(`${groupsOf}/CreateGroup`, { parent: fixtures.root, group });
  const { uid } = body;
  await caller.write(`${groupsOf}/CreateGroup`, { group: { name: "made" } }, "an organization");
  await caller.get(`${groupsOf}/GetGroup`, { uid });
  await caller.get(`${groupsOf}/GetGroup`, { uid: fixtures.chain[3] }, "on the deepest level");
  await caller.write(`${groupsOf}/UpdateGroup`, { group: { uid, description } });
  await caller.write("iam.v2.TermsService/AcceptTerms", { group: uid, documentIds: ["sfdpa.v1"] });
  return uid;
}

async function measurePeople(caller: MeasuringCaller, parent: string): Promise<void> {
  const claimMatch = { issuer: "https://issuer.example", subject: "build" };
  const identity = { name: "made", claimMatch };
  const made = await caller.write(`${identitiesOf}/CreateIdentity`, { parent, identity });
  const { uid } = made.body;
  await caller.get(`${identitiesOf}/GetIdentity`, { uid });
  await measureCredentials(caller, uid);
  await caller.get(`${identitiesOf}/LookupIdentity`, claimMatch);
  await caller.write(`${identitiesOf}/UpdateIdentity`, { identity: { uid, description } });
  await caller.write(`${identitiesOf}/UpdateIdentityMetadata`, {
    identityMetadata: { company: "A company" },
  });
  const role = { name: "made", capabilities: ["CAP_REPO_LIST"] };
  const { body } = await caller.write(`${rolesOf}/CreateRole`, { parent, role });
  await caller.get(`${rolesOf}/GetRole`, { uid: body.uid });
  await caller.get(`${rolesOf}/GetRole`, { uid: OWNER_ROLE }, "a built-in one");
  await caller.write(`${rolesOf}/UpdateRole`, { role: { uid: body.uid, description } });
  await measureBindings(caller, parent, uid, body.uid);
  await caller.write(`${rolesOf}/DeleteRole`, { uid: body.uid });
  await caller.write(`${identitiesOf}/DeleteIdentity`, { uid });
}

/** The keys of an identity, and the sessions of the caller. A session comes from a login, which the bench does not have. */
async function measureCredentials(caller: MeasuringCaller, identity: string): Promise<void> {
  const keys = "iam.v2.KeysService";
  const key = await caller.write(`${keys}/CreateKey`, { parent: identity, key: { name: "made" } });
  await caller.get(`${keys}/GetKey`, { uid: key.body.uid });
  await caller.write(`${keys}/DeleteKey`, { uid: key.body.uid });
  await caller.get("iam.v2.SessionsService/SearchSessions", {});
  await caller.write("iam.v2.SessionsService/EndSessions", {
    uids: [`${identity}/${"0".repeat(16)}`],
  });
}

async function measureBindings(
  caller: MeasuringCaller,
  parent: string,
  identityUid: string,
  role: string,
) {
  const roleBinding = { identityUid, roleUid: role };
  const { body } = await caller.write(`${bindingsOf}/CreateRoleBinding`, { parent, roleBinding });
  const { uid } = body;
  await caller.get(`${bindingsOf}/GetRoleBinding`, { uid });
  await caller.write(`${bindingsOf}/UpdateRoleBinding`, {
    roleBinding: { uid, roleUid: OWNER_ROLE },
  });
  const requests = [{ parent, roleBinding: { identityUid, roleUid: role } }];
  const batch = await caller.write(
    `${bindingsOf}/BatchCreateRoleBindings`,
    { parent, requests },
    "of one",
  );
  const [second] = batch.body.roleBindings as { uid: string }[];
  for (const binding of [uid, second?.uid])
    await caller.write(`${bindingsOf}/DeleteRoleBinding`, { uid: binding });
}

async function measureInvites(caller: MeasuringCaller, parent: string): Promise<void> {
  const of = "iam.v2.GroupInvitesService";
  const groupInvite = { roleUid: OWNER_ROLE, ttl: "3600s" };
  const { body } = await caller.write(`${of}/CreateGroupInvite`, { parent, groupInvite });
  const { uid } = body;
  await caller.get(`${of}/GetGroupInvite`, { uid });
  await caller.write(`${of}/UpdateGroupInvite`, { groupInvite: { uid, email: "ada@example.com" } });
  await caller.write(`${of}/DeleteGroupInvite`, { uid });
}

/** `issuer` is an OpenID issuer that serves its configuration. */
async function measureProviders(
  caller: MeasuringCaller,
  parent: string,
  issuer: string,
): Promise<void> {
  const of = "iam.v2.IdentityProvidersService";
  const identityProvider = {
    name: "made",
    defaultRole: OWNER_ROLE,
    oidc: { issuer, clientId: "bench", pkceEnabled: true },
  };
  const made = await caller.write(`${of}/CreateIdentityProvider`, { parent, identityProvider });
  const { uid } = made.body;
  await caller.get(`${of}/GetIdentityProvider`, { uid });
  await caller.write(`${of}/UpdateIdentityProvider`, { identityProvider: { uid, description } });
  await measureMappings(caller, uid, fixtures.root);
  const identityProviderUid = uid;
  const generated = await caller.write(`${of}/GenerateScimToken`, { identityProviderUid });
  const next = { identityProviderUid, etag: etagIn(generated.body), overlap: "60s" };
  const renewed = await caller.write(`${of}/RegenerateScimToken`, next);
  const off = { identityProviderUid, etag: etagIn(renewed.body), enabled: false };
  await caller.write(`${of}/SetScimEnabled`, off);
  await caller.write(`${of}/RevokeScimToken`, { identityProviderUid });
  await caller.write(`${of}/DeleteIdentityProvider`, { uid });
}

/** Returns the etag of the SCIM configuration from anywhere in the response. */
export function etagIn(json: unknown): unknown {
  if (typeof json !== "object" || json === null) return undefined;
  if ("etag" in json) return json.etag;
  return Object.values(json)
    .map(etagIn)
    .find((etag) => etag !== undefined);
}

async function measureMappings(
  caller: MeasuringCaller,
  parent: string,
  scope: string,
): Promise<void> {
  const of = "iam.v2.ExternalGroupRoleMappingsService";
  const make = async (externalGroupId: string) => {
    const mapping = { externalGroupId, roleUid: OWNER_ROLE, scope };
    const request = { parent, externalGroupRoleMapping: mapping };
    return (await caller.write(`${of}/CreateExternalGroupRoleMapping`, request)).body.uid;
  };
  const [uid, other] = [await make("developers"), await make("operators")];
  await caller.get(`${of}/GetExternalGroupRoleMapping`, { uid });
  await caller.write(`${of}/UpdateExternalGroupRoleMapping`, {
    externalGroupRoleMapping: { uid, externalGroupId: "others" },
  });
  await caller.write(`${of}/DeleteExternalGroupRoleMapping`, { uid });
  const batch = { parent, names: [other] };
  await caller.write(`${of}/BatchDeleteExternalGroupRoleMappings`, batch, "of one");
}

async function measureOthers(caller: MeasuringCaller, parent: string): Promise<void> {
  const of = "iam.v2.AccountAssociationsService";
  const accountAssociation = {
    name: "clouds",
    azure: {
      tenantId: "11111111-1111-4111-8111-111111111111",
      clientIds: { client: "22222222-2222-4222-8222-222222222222" },
    },
  };
  await caller.write(`${of}/CreateAccountAssociation`, { parent, accountAssociation });
  await caller.get(`${of}/GetAccountAssociation`, { uid: parent });
  await caller.get(`${of}/CheckAccountAssociation`, {
    uid: parent,
    providerType: "ACCOUNT_PROVIDER_TYPE_AZURE",
  });
  await caller.write(`${of}/UpdateAccountAssociation`, {
    accountAssociation: { uid: parent, description },
  });
  await caller.write(`${of}/DeleteAccountAssociation`, { uid: parent });
}

/** Measures everything about a group that is created for it and removed at the end. */
export async function measureIam(
  platform: BenchPlatform,
  caller: MeasuringCaller,
  issuer: string,
): Promise<void> {
  await caller.get("ping.v2.PingService/Ping", {}, "", "");
  const group = await measureGroups(caller);
  await measurePeople(caller, group);
  await measureInvites(caller, group);
  await measureProviders(caller, group, issuer);
  await measureOthers(caller, group);
  await measureEvents(platform, caller, group);
  await caller.write(`${groupsOf}/DeleteGroup`, { uid: group });
}
