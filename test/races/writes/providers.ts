/** Writes of identity providers, their SCIM tokens and their role mappings. */
import { providerBody } from "../people.ts";
import type { RaceWorld } from "../world.ts";
import { type Write, writesOf } from "./write.ts";

const ofPlain = ({ plain: identityProviderUid }: RaceWorld) => ({ identityProviderUid });
const ofTokened = ({ tokened: identityProviderUid, etags: { tokened: etag } }: RaceWorld) => ({
  identityProviderUid,
  etag,
});
const ofProvisioning = (world: RaceWorld) => ({
  identityProviderUid: world.provisioning,
  etag: world.etags.provisioning,
});
const overlap = "600s";

const providers: Write[] = [
  ...writesOf("IdentityProvidersService/CreateIdentityProvider", {
    "with a role of the organization": ({ organization: parent, upstream, role }) => ({
      parent,
      identityProvider: providerBody(upstream, "new", role),
    }),
    "in the leaf": ({ leaf: parent, upstream, roles }) => ({
      parent,
      identityProvider: providerBody(upstream, "new", roles.viewer),
    }),
  }),
  ...writesOf("IdentityProvidersService/UpdateIdentityProvider", {
    description: ({ plain: uid }) => ({ identityProvider: { uid, description: "changed" } }),
    "default role": ({ plain: uid, role: defaultRole }) => ({
      identityProvider: { uid, defaultRole },
    }),
    client: ({ plain: uid }) => ({ identityProvider: { uid, oidc: { clientId: "other" } } }),
    "description of the provisioning one": ({ provisioning: uid }) => ({
      identityProvider: { uid, description: "changed" },
    }),
  }),
  ...writesOf("IdentityProvidersService/DeleteIdentityProvider", {
    plain: ({ plain: uid }) => ({ uid }),
    tokened: ({ tokened: uid }) => ({ uid }),
    provisioning: ({ provisioning: uid }) => ({ uid }),
  }),
  ...writesOf("iam.IdentityProviders/Create", {
    "with a role of the organization": ({ organization: parentId, upstream, role }) => ({
      parentId,
      identityProvider: providerBody(upstream, "new", role),
    }),
  }),
  ...writesOf("iam.IdentityProviders/Update", {
    plain: ({ plain: id, upstream, roles }) => ({
      ...{ id, description: "of version 1", ...providerBody(upstream, "plain", roles.viewer) },
    }),
  }),
  ...writesOf("iam.IdentityProviders/Delete", { plain: ({ plain: id }) => ({ id }) }),
];

const scim: Write[] = [
  ...writesOf("IdentityProvidersService/GenerateScimToken", { plain: ofPlain }),
  ...writesOf("IdentityProvidersService/RegenerateScimToken", {
    tokened: (world) => ({ ...ofTokened(world), overlap }),
    provisioning: (world) => ({ ...ofProvisioning(world), overlap }),
  }),
  ...writesOf("IdentityProvidersService/RevokeScimToken", {
    tokened: ({ tokened: identityProviderUid }) => ({ identityProviderUid }),
    provisioning: ({ provisioning: identityProviderUid }) => ({ identityProviderUid }),
  }),
  ...writesOf("IdentityProvidersService/SetScimEnabled", {
    on: (world) => ({ ...ofTokened(world), enabled: true }),
    off: (world) => ({ ...ofProvisioning(world), enabled: false }),
  }),
  ...writesOf("iam.IdentityProviders/GenerateScimToken", {
    plain: ({ plain: identityProviderId }) => ({ identityProviderId }),
  }),
  ...writesOf("iam.IdentityProviders/RegenerateScimToken", {
    tokened: ({ tokened: identityProviderId, etags: { tokened: etag } }) => ({
      ...{ identityProviderId, etag, overlap },
    }),
  }),
  ...writesOf("iam.IdentityProviders/RevokeScimToken", {
    tokened: ({ tokened: identityProviderId }) => ({ identityProviderId }),
  }),
  ...writesOf("iam.IdentityProviders/SetScimEnabled", {
    on: ({ tokened: identityProviderId, etags: { tokened: etag } }) => ({
      ...{ identityProviderId, etag, enabled: true },
    }),
  }),
];

const mappings: Write[] = [
  ...writesOf("ExternalGroupRoleMappingsService/CreateExternalGroupRoleMapping", {
    "of a new group": ({ plain: parent, role: roleUid, organization: scope }) => ({
      parent,
      externalGroupRoleMapping: { externalGroupId: "testers", roleUid, scope },
    }),
    "that there is": ({ plain: parent, roles: { viewer: roleUid }, organization: scope }) => ({
      parent,
      externalGroupRoleMapping: { externalGroupId: "developers", roleUid, scope },
    }),
  }),
  ...writesOf("ExternalGroupRoleMappingsService/UpdateExternalGroupRoleMapping", {
    group: ({ mapping: uid }) => ({
      externalGroupRoleMapping: { uid, externalGroupId: "testers" },
    }),
    role: ({ mapping: uid, role: roleUid }) => ({ externalGroupRoleMapping: { uid, roleUid } }),
  }),
  ...writesOf("ExternalGroupRoleMappingsService/DeleteExternalGroupRoleMapping", {
    "of the developers": ({ mapping: uid }) => ({ uid }),
  }),
  ...writesOf("ExternalGroupRoleMappingsService/BatchDeleteExternalGroupRoleMappings", {
    "of the developers": ({ plain: parent, mapping }) => ({ parent, names: [mapping] }),
  }),
  ...writesOf("iam.ExternalGroupRoleMappings/Create", {
    "of a new group": ({ plain: parentId, role: roleUidp, organization: scope }) => ({
      parentId,
      mapping: { externalGroupId: "testers", roleUidp, scope },
    }),
  }),
  ...writesOf("iam.ExternalGroupRoleMappings/Delete", {
    "of the developers": ({ mapping: id }) => ({ id }),
  }),
  ...writesOf("iam.ExternalGroupRoleMappings/BatchDelete", {
    "of the developers": ({ plain: parentId, mapping }) => ({ parentId, ids: [mapping] }),
  }),
];

export const providerWrites: Write[] = [...providers, ...scim, ...mappings];
