/** The addresses of pages, below `/console`. A link to a page comes from here. */

const query = (parameters: Record<string, string | undefined>) => {
  const given = Object.entries(parameters).filter(
    ([, value]) => value !== undefined && value !== "",
  );
  const text = new URLSearchParams(given as [string, string][]).toString();
  return text === "" ? "" : `?${text}`;
};

/** Parts of the query that an address can have in addition, such as the filters of a list. */
type More = Record<string, string | undefined>;

/** Uids keep their slashes. `group` is the uid of the group that a list is about. */
export const addresses = {
  home: () => "/",
  repositories: (group?: string) => `/repositories${query({ group })}`,
  repository: (uid: string) => `/repositories/${uid}`,
  tag: (uid: string) => `/tags/${uid}`,
  /** An image: the uid of its repository, and its digest. */
  image: (repo: string, digest: string) => `/images/${repo}@${digest}`,
  moves: (group?: string, more: More = {}) => `/moves${query({ group, ...more })}`,
  endOfLife: (group?: string, more: More = {}) => `/end-of-life${query({ group, ...more })}`,
  vulnerabilities: (group?: string) => `/vulnerabilities${query({ group })}`,
  vulnerability: (id: string, group?: string) =>
    `/vulnerabilities/${encodeURIComponent(id)}${query({ group })}`,
  /** `view` is the part of the page, and what it shows. */
  access: (group?: string, view: More = {}) => `/access${query({ group, ...view })}`,
  /** The decision of a refused call, by the id in its error. */
  accessDecision: (id: string) => `/access/decisions/${encodeURIComponent(id)}`,
  identities: (group?: string, more: More = {}) => `/identities${query({ group, ...more })}`,
  identity: (uid: string) => `/identities/${uid}`,
  roles: (group?: string) => `/roles${query({ group })}`,
  role: (uid: string, group?: string) => `/roles/${uid}${query({ group })}`,
  /** A new role of the group. `copy` is the uid of a role that it begins with, and `capability` is one that it needs. */
  newRole: (group: string, start: { copy?: string; capability?: string } = {}) =>
    `/roles/new${query({ group, ...start })}`,
  invites: (group?: string) => `/invites${query({ group })}`,
  identityProviders: (group?: string) => `/identity-providers${query({ group })}`,
  roleMappings: (group?: string) => `/role-mappings${query({ group })}`,
  accountAssociations: (group?: string) => `/account-associations${query({ group })}`,
  events: (group?: string, more: More = {}) => `/events${query({ group, ...more })}`,
  event: (uid: string) => `/events/${uid}`,
  subscriptions: (group?: string) => `/subscriptions${query({ group })}`,
  subscription: (uid: string) => `/subscriptions/${uid}`,
  deliveries: (group?: string, more: More = {}) => `/deliveries${query({ group, ...more })}`,
  delivery: (uid: string) => `/deliveries/${uid}`,
  usage: (group?: string) => `/usage${query({ group })}`,
};
