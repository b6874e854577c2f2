/** The addresses of pages, below `/console`. A link to a page comes from here. */

const query = (parameters: Record<string, string | undefined>) => {
  const given = Object.entries(parameters).filter(
    ([, value]) => value !== undefined && value !== "",
  );
  const text = new URLSearchParams(given as [string, string][]).toString();
  return text === "" ? "" : `?${text}`;
};

/** Uids keep their slashes. `group` is the uid of the group that a list is about. */
export const addresses = {
  home: () => "/",
  repositories: (group?: string) => `/repositories${query({ group })}`,
  repository: (uid: string) => `/repositories/${uid}`,
  tag: (uid: string) => `/tags/${uid}`,
  /** An image: the uid of its repository, and its digest. */
  image: (repo: string, digest: string) => `/images/${repo}@${digest}`,
  vulnerabilities: (group?: string) => `/vulnerabilities${query({ group })}`,
  vulnerability: (id: string, group?: string) =>
    `/vulnerabilities/${encodeURIComponent(id)}${query({ group })}`,
  access: (group?: string) => `/access${query({ group })}`,
  identities: (group?: string) => `/identities${query({ group })}`,
  identity: (uid: string) => `/identities/${uid}`,
  roles: (group?: string) => `/roles${query({ group })}`,
  invites: (group?: string) => `/invites${query({ group })}`,
  identityProviders: (group?: string) => `/identity-providers${query({ group })}`,
  newIdentityProvider: (group?: string) => `/identity-providers/new${query({ group })}`,
  /** With the view `edit`, it is the form that changes the identity provider. */
  identityProvider: (uid: string, view?: "edit") => `/identity-providers/${uid}${query({ view })}`,
  /** `provider` is the uid of an identity provider, for its role mappings only. */
  roleMappings: (group?: string, provider?: string) =>
    `/role-mappings${query({ group, provider })}`,
  accountAssociations: (group?: string) => `/account-associations${query({ group })}`,
  /** The account association of a group, by the uid of the group. */
  accountAssociation: (uid: string, view?: "edit") =>
    `/account-associations/${uid}${query({ view })}`,
  events: (group?: string) => `/events${query({ group })}`,
  subscriptions: (group?: string) => `/subscriptions${query({ group })}`,
  subscription: (uid: string) => `/subscriptions/${uid}`,
  deliveries: (group?: string) => `/deliveries${query({ group })}`,
  usage: (group?: string) => `/usage${query({ group })}`,
};
