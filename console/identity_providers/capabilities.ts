/** The capabilities that changes of identity providers need. */

export const capabilities = {
  create: ["CAP_IAM_IDENTITY_PROVIDERS_CREATE", "CAP_IAM_ROLE_BINDINGS_CREATE"],
  update: ["CAP_IAM_IDENTITY_PROVIDERS_UPDATE", "CAP_IAM_ROLE_BINDINGS_CREATE"],
  delete: ["CAP_IAM_IDENTITY_PROVIDERS_DELETE"],
  scim: ["CAP_IAM_SCIM_MANAGE", "CAP_IAM_IDENTITY_PROVIDERS_LIST"],
} as const;
