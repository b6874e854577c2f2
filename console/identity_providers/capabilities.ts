/** The capabilities for identity providers, with their names for people. */

export const capabilities = {
  create: [
    ["CAP_IAM_IDENTITY_PROVIDERS_CREATE", "identity_providers.create"],
    ["CAP_IAM_ROLE_BINDINGS_CREATE", "role_bindings.create"],
  ],
  update: [
    ["CAP_IAM_IDENTITY_PROVIDERS_UPDATE", "identity_providers.update"],
    ["CAP_IAM_ROLE_BINDINGS_CREATE", "role_bindings.create"],
  ],
  delete: [["CAP_IAM_IDENTITY_PROVIDERS_DELETE", "identity_providers.delete"]],
  scim: [
    ["CAP_IAM_SCIM_MANAGE", "identity_providers.scim.manage"],
    ["CAP_IAM_IDENTITY_PROVIDERS_LIST", "identity_providers.list"],
  ],
} as const;
