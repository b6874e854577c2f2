/** The capabilities for account associations, with their names for people. */

export const capabilities = {
  create: [["CAP_IAM_ACCOUNT_ASSOCIATIONS_CREATE", "account_associations.create"]],
  update: [["CAP_IAM_ACCOUNT_ASSOCIATIONS_UPDATE", "account_associations.update"]],
  delete: [["CAP_IAM_ACCOUNT_ASSOCIATIONS_DELETE", "account_associations.delete"]],
} as const;
