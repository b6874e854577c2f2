/** Version 1 of identity, access and events. Its Lists answer everything at once, by their contract. */
import { OWNER_ROLE } from "../../schema/tables/roles.ts";
import type { Caller } from "./caller.ts";
import { estate } from "./estate.ts";
import { etagIn } from "./visit_iam.ts";

const description = "Another one";

/** One of the fifty groups, with a two-hundredth of the rows. */
const [area] = estate.areas;
/** Another, with as many, where fewest of the identities that have up to 50 bindings are bound. */
const last = estate.areas.at(-1) ?? area;

/** Lists that answer whole, asked for a place with a two-hundredth of the rows. */
async function visitWholeLists(on: Caller): Promise<void> {
  const uidp = { descendantsOf: area };
  const named: [string, Record<string, unknown>][] = [
    ["iam.Groups/List", { uidp }],
    ["iam.Identities/List", { uidp }],
    ["iam.Roles/List", { uidp }],
    ["iam.RoleBindings/List", { uidp: { descendantsOf: last } }],
    ["iam.IdentityProviders/List", { uidp }],
    ["iam.ExternalGroupRoleMappings/List", { uidp }],
    ["iam.GroupInvites/List", { group: area }],
    ["iam.GroupAccountAssociations/List", { group: area }],
    ["iam.Terms/ListAccepted", { group: area }],
    ["events.Subscriptions/List", { uidp }],
    ["registry.Registry/ListRepos", { uidp }],
    ["registry.Registry/ListTags", { uidp }],
  ];
  for (const [rpc, request] of named) {
    await on.measure(rpc, { name: "a group with a two-hundredth", kind: "whole" }, request);
  }
}

async function visitGroups(on: Caller): Promise<string> {
  const group = { name: "made of version 1" };
  const { body } = await on.write("iam.Groups/Create", { parent: estate.root, group });
  const { id } = body;
  await on.write("iam.Groups/Update", { id, name: "renamed of version 1" });
  await on.write("iam.Terms/AcceptTerms", { group: id, documentIds: ["sfdpa.v1"] });
  const clientIds = { client: "22222222-2222-4222-8222-222222222222" };
  const azure = { tenantId: "11111111-1111-4111-8111-111111111111", clientIds };
  const clouds = { group: id, name: "clouds", azure };
  await on.write("iam.GroupAccountAssociations/Create", clouds);
  await on.get("iam.GroupAccountAssociations/Check", { group: id, accountType: "AZURE" });
  await on.write("iam.GroupAccountAssociations/Update", { ...clouds, description });
  await on.write("iam.GroupAccountAssociations/Delete", { group: id });
  const sink = "http://localhost:9000/events";
  const request = { parentId: id, subscription: { sink } };
  const subscription = await on.write("events.Subscriptions/Create", request);
  await on.write("events.Subscriptions/Delete", { id: subscription.body.id });
  return id;
}

async function visitPeople(on: Caller, parent: string): Promise<void> {
  const claimMatch = { issuer: "https://issuer.example", subject: "release" };
  const identity = { name: "made", claimMatch };
  const made = await on.write("iam.Identities/Create", { parentId: parent, identity });
  const { id } = made.body;
  await on.get("iam.Identities/Lookup", claimMatch);
  await on.write("iam.Identities/Update", { id, name: "renamed", claimMatch });
  await on.write("events.Identities/UpdateMetadata", { name: "Ada" });
  const role = { name: "made", capabilities: ["repo.list"] };
  const roleId = (await on.write("iam.Roles/Create", { parentId: parent, role })).body.id;
  await on.write("iam.Roles/Update", { ...role, id: roleId, description });
  const roleBinding = { identity: id, role: roleId };
  const binding = await on.write("iam.RoleBindings/Create", { parent, roleBinding });
  const update = { id: binding.body.id, identity: id, role: OWNER_ROLE };
  await on.write("iam.RoleBindings/Update", update);
  const batch = { parent, roleBindings: [roleBinding] };
  await on.write("iam.RoleBindings/CreateBatch", batch, "of one");
  const found = await on.ask("iam.RoleBindings/List", { uidp: { childrenOf: parent } });
  for (const one of (found.body?.items ?? []) as { id: string }[]) {
    await on.write("iam.RoleBindings/Delete", { id: one.id });
  }
  await on.write("iam.Roles/Delete", { id: roleId });
  await on.write("iam.Identities/Delete", { id });
}

async function visitProviders(on: Caller, parentId: string, issuer: string): Promise<void> {
  const oidc = { issuer, clientId: "bench", pkceEnabled: true };
  const identityProvider = { name: "made", defaultRole: OWNER_ROLE, oidc };
  const made = await on.write("iam.IdentityProviders/Create", { parentId, identityProvider });
  const { id } = made.body;
  await on.write("iam.IdentityProviders/Update", { ...identityProvider, id, description });
  const make = async (externalGroupId: string) => {
    const mapping = { externalGroupId, roleUidp: OWNER_ROLE, scope: estate.root };
    const request = { parentId: id, mapping };
    return (await on.write("iam.ExternalGroupRoleMappings/Create", request)).body.id;
  };
  const [one, other] = [await make("developers"), await make("operators")];
  await on.get("iam.ExternalGroupRoleMappings/Get", { uid: one });
  await on.write("iam.ExternalGroupRoleMappings/Delete", { id: one });
  const batch = { parentId: id, ids: [other] };
  await on.write("iam.ExternalGroupRoleMappings/BatchDelete", batch, "of one");
  const of = { identityProviderId: id };
  const given = await on.write("iam.IdentityProviders/GenerateScimToken", of);
  const next = { ...of, etag: etagIn(given.body), overlap: "60s" };
  const renewed = await on.write("iam.IdentityProviders/RegenerateScimToken", next);
  const off = { ...of, etag: etagIn(renewed.body), enabled: false };
  await on.write("iam.IdentityProviders/SetScimEnabled", off);
  await on.write("iam.IdentityProviders/RevokeScimToken", of);
  await on.write("iam.IdentityProviders/Delete", { id });
}

/** Everything about a group that is made for it and removed at the end. */
export async function visitIamV1(on: Caller, issuer: string): Promise<void> {
  await on.get("ping.PingService/Ping", {}, "", "");
  await visitWholeLists(on);
  const group = await visitGroups(on);
  await visitPeople(on, group);
  const invite = { group, role: OWNER_ROLE, ttl: "3600s" };
  const invited = await on.write("iam.GroupInvites/Create", invite);
  await on.write("iam.GroupInvites/Delete", { id: invited.body.id });
  await visitProviders(on, group, issuer);
  await on.write("iam.Groups/Delete", { id: group });
}
