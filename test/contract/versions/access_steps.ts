/** Steps about access, and about people who join. */
import type { JsonObject } from "@bufbuild/protobuf";
import fc from "fast-check";
import { deletion, mostlyValid, name, ref, step, text } from "./step.ts";

const bound = fc.record({ ref, identity: ref, role: ref });

const bindingNames = { identity: "identity_uid", role: "role_uid", id: "uid" };

export const bindingSteps = [
  step("create binding", "binding", bound, (given, uid) => {
    const parent = uid("group", given.ref);
    const [identity, role] = [uid("identity", given.identity), uid("role", given.role)];
    const roleBinding = { identityUid: identity, roleUid: role };
    return {
      v1: {
        rpc: "iam.RoleBindings/Create",
        request: { parent, roleBinding: { identity, role } },
      },
      v2: { rpc: "RoleBindingsService/CreateRoleBinding", request: { parent, roleBinding } },
      names: bindingNames,
      makes: "binding",
    };
  }),
  step("replace binding", "binding", bound, (given, uid) => {
    const id = uid("binding", given.ref);
    const [identity, role] = [uid("identity", given.identity), uid("role", given.role)];
    const roleBinding = { uid: id, identityUid: identity, roleUid: role };
    return {
      v1: { rpc: "iam.RoleBindings/Update", request: { id, identity, role } },
      v2: {
        rpc: "RoleBindingsService/UpdateRoleBinding",
        request: { roleBinding, updateMask: "*" },
      },
      names: bindingNames,
    };
  }),
  step(
    "create bindings",
    "binding",
    fc.record({ ref, first: ref, second: ref, role: ref }),
    (given, uid) => {
      const parent = uid("group", given.ref);
      const role = uid("role", given.role);
      const bound = [given.first, given.second].map((one) => uid("identity", one));
      return {
        v1: {
          rpc: "iam.RoleBindings/CreateBatch",
          request: { parent, roleBindings: bound.map((identity) => ({ identity, role })) },
        },
        v2: {
          rpc: "RoleBindingsService/BatchCreateRoleBindings",
          request: {
            parent,
            requests: bound.map((identityUid) => ({ roleBinding: { identityUid, roleUid: role } })),
          },
        },
        names: Object.fromEntries(
          [0, 1].flatMap((at) => [
            [`role_bindings[${at}].identity`, `requests[${at}].role_binding.identity_uid`],
            [`role_bindings[${at}].role`, `requests[${at}].role_binding.role_uid`],
          ]),
        ),
        makes: "binding",
      };
    },
  ),
  deletion("binding", "iam.RoleBindings/Delete", "RoleBindingsService/DeleteRoleBinding"),
];

export const inviteSteps = [
  step(
    "create invite",
    "invite",
    fc.record({
      ref,
      role: ref,
      email: mostlyValid(fc.constantFrom("", "ann@example.com"), "nobody"),
      singleUse: fc.boolean(),
      ttl: mostlyValid(fc.constant("3600s"), "0s", "99999999s"),
    }),
    (given, uid) => {
      const { email, singleUse, ttl } = given;
      const [group, role] = [uid("group", given.ref), uid("role", given.role)];
      const groupInvite = { roleUid: role, email, singleUse, ttl };
      return {
        v1: { rpc: "iam.GroupInvites/Create", request: { group, role, email, singleUse, ttl } },
        v2: {
          rpc: "GroupInvitesService/CreateGroupInvite",
          request: { parent: group, groupInvite },
        },
        names: { group: "parent", role: "role_uid" },
        makes: "invite",
      };
    },
  ),
  deletion("invite", "iam.GroupInvites/Delete", "GroupInvitesService/DeleteGroupInvite"),
];

const cloud = mostlyValid(
  fc.constantFrom<JsonObject>(
    {},
    { amazon: { account: "123456789012" } },
    { google: { projectId: "project-one", projectNumber: "123456789" } },
  ),
  { amazon: { account: "short" } },
);

export const associationSteps = [
  step(
    "create association",
    "association",
    fc.record({ ref, name, description: text, cloud }),
    (given, uid) => {
      const { name, description } = given;
      const group = uid("group", given.ref);
      const accountAssociation = { name, description, ...given.cloud };
      return {
        v1: {
          rpc: "iam.GroupAccountAssociations/Create",
          request: { group, ...accountAssociation },
        },
        v2: {
          rpc: "AccountAssociationsService/CreateAccountAssociation",
          request: { parent: group, accountAssociation },
        },
        names: { group: "parent" },
      };
    },
  ),
  step(
    "replace association",
    "association",
    fc.record({ ref, name, description: text, cloud }),
    (given, uid) => {
      const { name, description } = given;
      const group = uid("group", given.ref);
      const rest = { name, description, ...given.cloud };
      return {
        v1: { rpc: "iam.GroupAccountAssociations/Update", request: { group, ...rest } },
        v2: {
          rpc: "AccountAssociationsService/UpdateAccountAssociation",
          request: { accountAssociation: { uid: group, ...rest }, updateMask: "*" },
        },
        names: { group: "uid" },
      };
    },
  ),
  step("delete association", "association", fc.record({ ref }), (given, uid) => {
    const group = uid("group", given.ref);
    return {
      v1: { rpc: "iam.GroupAccountAssociations/Delete", request: { group } },
      v2: { rpc: "AccountAssociationsService/DeleteAccountAssociation", request: { uid: group } },
      names: { group: "uid" },
    };
  }),
];

export const mappingSteps = [
  step(
    "create mapping",
    "mapping",
    fc.record({
      ref,
      role: ref,
      externalGroupId: mostlyValid(fc.constantFrom("devs", "ops", "all"), ""),
    }),
    (given, uid) => {
      const { externalGroupId } = given;
      const [provider, role] = [uid("provider", { nth: 0 }), uid("role", given.role)];
      const scope = uid("group", given.ref);
      return {
        v1: {
          rpc: "iam.ExternalGroupRoleMappings/Create",
          request: {
            parentId: provider,
            mapping: { externalGroupId, roleUidp: role, scope },
          },
        },
        v2: {
          rpc: "ExternalGroupRoleMappingsService/CreateExternalGroupRoleMapping",
          request: {
            parent: provider,
            externalGroupRoleMapping: { externalGroupId, roleUid: role, scope },
          },
        },
        names: { parent_id: "parent", role_uidp: "role_uid" },
        makes: "mapping",
      };
    },
  ),
  deletion(
    "mapping",
    "iam.ExternalGroupRoleMappings/Delete",
    "ExternalGroupRoleMappingsService/DeleteExternalGroupRoleMapping",
  ),
];

export const providerSteps = [
  step(
    "replace provider",
    "mapping",
    fc.record({ name, description: text, role: ref }),
    (given, uid) => {
      const { name, description } = given;
      const [id, defaultRole] = [uid("provider", { nth: 0 }), uid("role", given.role)];
      const rest = { name, description, defaultRole };
      return {
        v1: { rpc: "iam.IdentityProviders/Update", request: { id, ...rest, oidc: provider() } },
        v2: {
          rpc: "IdentityProvidersService/UpdateIdentityProvider",
          request: {
            identityProvider: { uid: id, ...rest, oidc: provider() },
            updateMask: "name,description,defaultRole,oidc",
          },
        },
        names: { id: "uid" },
      };
    },
  ),
  step("generate SCIM token", "mapping", fc.record({}), (_, uid) => {
    const identityProvider = uid("provider", { nth: 0 });
    return {
      v1: {
        rpc: "iam.IdentityProviders/GenerateScimToken",
        request: { identityProviderId: identityProvider },
      },
      v2: {
        rpc: "IdentityProvidersService/GenerateScimToken",
        request: { identityProviderUid: identityProvider },
      },
      names: { identity_provider_id: "identity_provider_uid" },
    };
  }),
  step(
    "accept terms",
    "group",
    fc.record({ ref, documentId: mostlyValid(fc.constant("sfdpa.v1"), "no.v1") }),
    (given, uid) => {
      const request = { group: uid("group", given.ref), documentIds: [given.documentId] };
      return {
        v1: { rpc: "iam.Terms/AcceptTerms", request },
        v2: { rpc: "TermsService/AcceptTerms", request },
        names: {},
      };
    },
  ),
];

/** The address of the provider of every world, which is known once they exist. */
let issuer = "";
export const useIssuer = (address: string) => {
  issuer = address;
};
const provider = () => ({ issuer, clientId: "client", additionalScopes: ["groups"] });
