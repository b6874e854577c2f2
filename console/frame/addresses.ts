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
  /** `view` is the part of the page, and what it shows. */
  access: (group?: string, view: Record<string, string | undefined> = {}) =>
    `/access${query({ group, ...view })}`,
  /** The decision of a refused call, by the id in its error. */
  accessDecision: (id: string) => `/access/decisions/${encodeURIComponent(id)}`,
  identities: (group?: string) => `/identities${query({ group })}`,
  /** `view` is a view of the page, such as `access`. */
  identity: (uid: string, view?: string) => `/identities/${uid}${query({ view })}`,
  newIdentity: (group?: string) => `/identities/new${query({ group })}`,
  /** Compares a token with the identities of a group, or with one of them. The view `warnings` needs no token. */
  tokenDoctor: (group?: string, identity?: string, view?: string) =>
    `/identities/doctor${query({ group, identity, view })}`,
  roles: (group?: string) => `/roles${query({ group })}`,
  role: (uid: string, group?: string) => `/roles/${uid}${query({ group })}`,
  /** A new role of the group. `copy` is the uid of a role that it begins with, and `capability` is one that it needs. */
  newRole: (group: string, start: { copy?: string; capability?: string } = {}) =>
    `/roles/new${query({ group, ...start })}`,
  invites: (group?: string) => `/invites${query({ group })}`,
  identityProviders: (group?: string) => `/identity-providers${query({ group })}`,
  roleMappings: (group?: string) => `/role-mappings${query({ group })}`,
  accountAssociations: (group?: string) => `/account-associations${query({ group })}`,
  events: (group?: string) => `/events${query({ group })}`,
  subscriptions: (group?: string) => `/subscriptions${query({ group })}`,
  subscription: (uid: string) => `/subscriptions/${uid}`,
  deliveries: (group?: string) => `/deliveries${query({ group })}`,
  usage: (group?: string) => `/usage${query({ group })}`,
};
