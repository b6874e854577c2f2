/** Measures version 1 of identity, access and events. Its Lists return everything at once, by their contract. */
import { OWNER_ROLE } from "../../schema/tables/iam/roles.ts";
import type { MeasuringCaller } from "./caller.ts";
import { fixtures } from "./fixtures.ts";
import { etagIn } from "./measure_iam.ts";

const description = "Another one";

/** One of the fifty groups, with one two-hundredth of the rows. */
const [area] = fixtures.areas;
/** Another group with as many rows, on which the fewest identities with up to 50 role bindings have one. */
const last = fixtures.areas.at(-1) ?? area;

/** Measures Lists without pages, for a place with one two-hundredth of the rows. */
async function measureUnpagedLists(caller: MeasuringCaller): Promise<void> {
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
    await caller.measure(rpc, { name: "a group with 1/200 of the rows", kind: "whole" }, request);
  }
}

async function measureGroups(caller: MeasuringCaller): Promise<string> {
  const group = { name: "made of version 1" };
  const { body } = await caller.write("iam.Groups/Create", { parent: fixtures.root, group });
  const { id } = body;
  await caller.write("iam.Groups/Update", { id, name: "renamed of version 1" });
  await caller.write("iam.Terms/AcceptTerms", { group: id, documentIds: ["sfdpa.v1"] });
  const clientIds = { client: "22222222-2222-4222-8222-222222222222" };
  const azure = { tenantId: "11111111-1111-4111-8111-111111111111", clientIds };
  const clouds = { group: id, name: "clouds", azure };
  await caller.write("iam.GroupAccountAssociations/Create", clouds);
  await caller.get("iam.GroupAccountAssociations/Check", { group: id, accountType: "AZURE" });
  await caller.write("iam.GroupAccountAssociations/Update", { ...clouds, description });
  await caller.write("iam.GroupAccountAssociations/Delete", { group: id });
  const sink = "http://localhost:9000/events";
  const request = { parentId: id, subscription: { sink } };
  const subscription = await caller.write("events.Subscriptions/Create", request);
  await caller.write("events.Subscriptions/Delete", { id: subscription.body.id });
  return id;
}

async function measurePeople(caller: MeasuringCaller, parent: string): Promise<void> {
  const claimMatch = { issuer: "https://issuer.example", subject: "release" };
  const identity = { name: "made", claimMatch };
  const made = await caller.write("iam.Identities/Create", { parentId: parent, identity });
  const { id } = made.body;
  await caller.get("iam.Identities/Lookup", claimMatch);
  await caller.write("iam.Identities/Update", { id, name: "renamed", claimMatch });
  await caller.write("events.Identities/UpdateMetadata", { name: "Ada" });
  const role = { name: "made", capabilities: ["repo.list"] };
  const roleId = (await caller.write("iam.Roles/Create", { parentId: parent, role })).body.id;
  await caller.write("iam.Roles/Update", { ...role, id: roleId, description });
  const roleBinding = { identity: id, role: roleId };
  const binding = await caller.write("iam.RoleBindings/Create", { parent, roleBinding });
  const update = { id: binding.body.id, identity: id, role: OWNER_ROLE };
  await caller.write("iam.RoleBindings/Update", update);
  const batch = { parent, roleBindings: [roleBinding] };
  await caller.write("iam.RoleBindings/CreateBatch", batch, "of one");
  const listed = await caller.ask("iam.RoleBindings/List", { uidp: { childrenOf: parent } });
  for (const row of (listed.body?.items ?? []) as { id: string }[]) {
    await caller.write("iam.RoleBindings/Delete", { id: row.id });
  }
  await caller.write("iam.Roles/Delete", { id: roleId });
  await caller.write("iam.Identities/Delete", { id });
}

async function measureProviders(
  caller: MeasuringCaller,
  parentId: string,
  issuer: string,
): Promise<void> {
  const oidc = { issuer, clientId: "bench", pkceEnabled: true };
  const identityProvider = { name: "made", defaultRole: OWNER_ROLE, oidc };
  const made = await caller.write("iam.IdentityProviders/Create", { parentId, identityProvider });
  const { id } = made.body;
  await caller.write("iam.IdentityProviders/Update", { ...identityProvider, id, description });
  const make = async (externalGroupId: string) => {
    const mapping = { externalGroupId, roleUidp: OWNER_ROLE, scope: fixtures.root };
    const request = { parentId: id, mapping };
    return (await caller.write("iam.ExternalGroupRoleMappings/Create", request)).body.id;
  };
  const [first, other] = [await make("developers"), await make("operators")];
  await caller.get("iam.ExternalGroupRoleMappings/Get", { uid: first });
  await caller.write("iam.ExternalGroupRoleMappings/Delete", { id: first });
  const batch = { parentId: id, ids: [other] };
  await caller.write("iam.ExternalGroupRoleMappings/BatchDelete", batch, "of one");
  const of = { identityProviderId: id };
  const generated = await caller.write("iam.IdentityProviders/GenerateScimToken", of);
  const next = { ...of, etag: etagIn(generated.body), overlap: "60s" };
  const renewed = await caller.write("iam.IdentityProviders/RegenerateScimToken", next);
  const off = { ...of, etag: etagIn(renewed.body), enabled: false };
  await caller.write("iam.IdentityProviders/SetScimEnabled", off);
  await caller.write("iam.IdentityProviders/RevokeScimToken", of);
  await caller.write("iam.IdentityProviders/Delete", { id });
}

/** Measures everything about a group that is created for it and removed at the end. */
export async function measureIamV1(caller: MeasuringCaller, issuer: string): Promise<void> {
  await caller.get("ping.PingService/Ping", {}, "", "");
  await measureUnpagedLists(caller);
  const group = await measureGroups(caller);
  await measurePeople(caller, group);
  const invite = { group, role: OWNER_ROLE, ttl: "3600s" };
  const invited = await caller.write("iam.GroupInvites/Create", invite);
  await caller.write("iam.GroupInvites/Delete", { id: invited.body.id });
  await measureProviders(caller, group, issuer);
  await caller.write("iam.Groups/Delete", { id: group });
}
