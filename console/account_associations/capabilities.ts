/** The capabilities that changes of account associations need. */

export const capabilities = {
  create: ["CAP_IAM_ACCOUNT_ASSOCIATIONS_CREATE"],
  update: ["CAP_IAM_ACCOUNT_ASSOCIATIONS_UPDATE"],
  delete: ["CAP_IAM_ACCOUNT_ASSOCIATIONS_DELETE"],
} as const;
