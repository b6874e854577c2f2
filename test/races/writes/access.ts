/** Writes of identities, roles, role bindings and invites. */
import type { RaceWorld } from "../world.ts";
import { type Write, writesOf } from "./write.ts";

/** The access of the other call's caller. */
function othersOf({ callers, held }: RaceWorld, caller: string) {
  const other = callers.find((token) => token !== caller) ?? "";
  const theirs = held[other];
  if (!theirs) throw new Error("nobody else calls");
  return theirs;
}

const asAnn = ({ annToken }: RaceWorld) => annToken;
const claimMatch = { issuer: "https://issuer.example", subject: "bot" };

const identities: Write[] = [
  ...writesOf("IdentitiesService/CreateIdentity", {
    "in the organization": ({ organization: parent }) => ({ parent, identity: { name: "new" } }),
    "in the leaf": ({ leaf: parent }) => ({ parent, identity: { name: "new" } }),
  }),
  ...writesOf("IdentitiesService/UpdateIdentity", {
    "description of the bot": ({ bot: uid }) => ({ identity: { uid, description: "changed" } }),
    "matcher of the bot": ({ bot: uid }) => ({ identity: { uid, claimMatch } }),
    "description of the device": ({ device: uid }) => ({ identity: { uid, description: "new" } }),
  }),
  ...writesOf("IdentitiesService/DeleteIdentity", {
    bot: ({ bot: uid }) => ({ uid }),
    spare: ({ spare: uid }) => ({ uid }),
    device: ({ device: uid }) => ({ uid }),
    "who makes the other call": (world, caller) => ({ uid: othersOf(world, caller).identity }),
  }),
  ...writesOf(
    "IdentitiesService/UpdateIdentityMetadata",
    {
      company: () => ({ identityMetadata: { company: "c" } }),
      "job title": () => ({ identityMetadata: { jobTitle: "j" } }),
      product: () => ({ identityMetadata: { product: "p" } }),
    },
    asAnn,
  ),
  ...writesOf("iam.Identities/Create", {
    "in the organization": ({ organization: parentId }) => ({ parentId, identity: { name: "n" } }),
  }),
  ...writesOf("iam.Identities/Update", {
    "of the bot": ({ bot: id }) => ({ id, name: "bot", description: "of version 1" }),
  }),
  ...writesOf("iam.Identities/Delete", { bot: ({ bot: id }) => ({ id }) }),
  ...writesOf(
    "events.Identities/UpdateMetadata",
    { company: () => ({ onboardingQuestions: { companyName: "of version 1" } }) },
    asAnn,
  ),
];

const capabilities = ["CAP_TAG_LIST"];

const roles: Write[] = [
  ...writesOf("RolesService/CreateRole", {
    "of a new name": ({ organization: parent }) => ({
      parent,
      role: { name: "new", capabilities },
    }),
    "of a name that is taken": ({ organization: parent }) => ({
      parent,
      role: { name: "role", capabilities },
    }),
    "in the leaf": ({ leaf: parent }) => ({ parent, role: { name: "new", capabilities } }),
  }),
  ...writesOf("RolesService/UpdateRole", {
    name: ({ role: uid }) => ({ role: { uid, name: "new" } }),
    capabilities: ({ role: uid }) => ({ role: { uid, capabilities } }),
    "capabilities of the bound one": ({ usedRole: uid }) => ({ role: { uid, capabilities } }),
    "capabilities of the other call": (world, caller) => ({
      role: { uid: othersOf(world, caller).role, capabilities },
    }),
  }),
  ...writesOf("RolesService/DeleteRole", {
    "that nothing needs": ({ role: uid }) => ({ uid }),
    "that is bound": ({ usedRole: uid }) => ({ uid }),
  }),
  ...writesOf("iam.Roles/Create", {
    "of a new name": ({ organization: parentId }) => ({
      parentId,
      role: { name: "new", capabilities: ["repo.list"] },
    }),
  }),
  ...writesOf("iam.Roles/Update", {
    "that nothing needs": ({ role: id }) => ({
      ...{ id, name: "role", description: "of version 1", capabilities: ["repo.list"] },
    }),
  }),
  ...writesOf("iam.Roles/Delete", { "that nothing needs": ({ role: id }) => ({ id }) }),
];

const bindings: Write[] = [
  ...writesOf("RoleBindingsService/CreateRoleBinding", {
    "of the spare": ({ organization: parent, spare: identityUid, role: roleUid }) => ({
      parent,
      roleBinding: { identityUid, roleUid },
    }),
    "of the spare at the leaf": ({ leaf: parent, spare: identityUid, role: roleUid }) => ({
      parent,
      roleBinding: { identityUid, roleUid },
    }),
    "that there is": ({ organization: parent, bot: identityUid, usedRole: roleUid }) => ({
      parent,
      roleBinding: { identityUid, roleUid },
    }),
    "of ann": ({ organization: parent, ann: identityUid, role: roleUid }) => ({
      parent,
      roleBinding: { identityUid, roleUid },
    }),
    "of zed, who never came": ({ organization: parent, zed: identityUid, roles }) => ({
      parent,
      roleBinding: { identityUid, roleUid: roles.editor },
    }),
    "of the guest, for whom another waits": ({ leaf: parent, guest: identityUid, role }) => ({
      parent,
      roleBinding: { identityUid, roleUid: role },
    }),
  }),
  ...writesOf("RoleBindingsService/BatchCreateRoleBindings", {
    "of two": ({ organization: parent, spare, bot, role: roleUid }) => ({
      ...{ parent, roleUid },
      requests: [{ roleBinding: { identityUid: bot } }, { roleBinding: { identityUid: spare } }],
    }),
  }),
  ...writesOf("RoleBindingsService/UpdateRoleBinding", {
    role: ({ binding: uid, role: roleUid }) => ({ roleBinding: { uid, roleUid } }),
    identity: ({ binding: uid, spare: identityUid }) => ({ roleBinding: { uid, identityUid } }),
    "of the second owner": ({ secondOwner: uid, roles: { viewer: roleUid } }) => ({
      roleBinding: { uid, roleUid },
    }),
    "of what waits for the guest": ({ pending: uid, roles: { viewer: roleUid } }) => ({
      roleBinding: { uid, roleUid },
    }),
  }),
  ...writesOf("RoleBindingsService/DeleteRoleBinding", {
    "of the bot": ({ binding: uid }) => ({ uid }),
    "of the bot at the leaf": ({ bindingAtLeaf: uid }) => ({ uid }),
    "of the second owner": ({ secondOwner: uid }) => ({ uid }),
    "of what waits for the guest": ({ pending: uid }) => ({ uid }),
    "of the other call": (world, caller) => ({ uid: othersOf(world, caller).binding }),
  }),
  ...writesOf("iam.RoleBindings/Create", {
    "of the spare": ({ organization: parent, spare: identity, role }) => ({
      parent,
      roleBinding: { identity, role },
    }),
  }),
  ...writesOf("iam.RoleBindings/CreateBatch", {
    "of two": ({ organization: parent, spare, bot, role }) => ({
      parent,
      roleBindings: [
        { identity: bot, role },
        { identity: spare, role },
      ],
    }),
  }),
  ...writesOf("iam.RoleBindings/Update", {
    "of the bot": ({ binding: id, bot: identity, role }) => ({ id, identity, role }),
  }),
  ...writesOf("iam.RoleBindings/Delete", { "of the bot": ({ binding: id }) => ({ id }) }),
];

const keys: Write[] = [
  ...writesOf("KeysService/CreateKey", {
    "of the bot": ({ bot: parent }) => ({ parent, key: { name: "ci" } }),
    "of an identity without a role": ({ spare: parent }) => ({ parent, key: { name: "ci" } }),
  }),
  ...writesOf("KeysService/DeleteKey", {
    "of the bot": ({ botKey: uid }) => ({ uid }),
    "of an identity without a role": ({ spareKey: uid }) => ({ uid }),
  }),
];

const sessions: Write[] = writesOf("SessionsService/EndSessions", {
  "of a person": ({ session: uid }) => ({ uids: [uid] }),
});

const ttl = "3600s";

const invites: Write[] = [
  ...writesOf("GroupInvitesService/CreateGroupInvite", {
    "into the organization": ({ organization: parent, role: roleUid }) => ({
      parent,
      groupInvite: { roleUid, ttl },
    }),
    "into the leaf": ({ leaf: parent, roles: { viewer: roleUid } }) => ({
      parent,
      groupInvite: { roleUid, ttl },
    }),
  }),
  ...writesOf("GroupInvitesService/UpdateGroupInvite", {
    address: ({ invite: uid }) => ({ groupInvite: { uid, email: "ann@corp.example" } }),
    role: ({ invite: uid, usedRole: roleUid }) => ({ groupInvite: { uid, roleUid } }),
    "use of the single one": ({ single: uid }) => ({ groupInvite: { uid, singleUse: false } }),
  }),
  ...writesOf("GroupInvitesService/DeleteGroupInvite", {
    "for many": ({ invite: uid }) => ({ uid }),
    "for one": ({ single: uid }) => ({ uid }),
  }),
  ...writesOf(
    "GroupInvitesService/AcceptGroupInvite",
    {
      "for many, by ann": ({ inviteCode: code }) => ({ code }),
      "for one, by ann": ({ singleCode: code }) => ({ code }),
    },
    asAnn,
  ),
  ...writesOf(
    "GroupInvitesService/AcceptGroupInvite",
    { "for one, by the bot": ({ singleCode: code }) => ({ code }) },
    ({ botToken }) => botToken,
  ),
  ...writesOf(
    "GroupInvitesService/AcceptGroupInvite",
    {
      "of what waits, by the guest": ({ pending: code }) => ({ code }),
      "for many, by the guest": ({ inviteCode: code }) => ({ code }),
    },
    ({ guestToken }) => guestToken,
  ),
  ...writesOf("iam.GroupInvites/Create", {
    "into the organization": ({ organization: group, role }) => ({ group, role, ttl }),
  }),
  ...writesOf("iam.GroupInvites/Delete", { "for one": ({ single: id }) => ({ id }) }),
];

export const accessWrites: Write[] = [
  ...identities,
  ...roles,
  ...bindings,
  ...keys,
  ...sessions,
  ...invites,
];
