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
  /** `view` is a part of the page. Without it, the page shows the tags. */
  repository: (
    uid: string,
    view?: "readme" | "activity" | "settings",
    parameters: Record<string, string | undefined> = {},
  ) => `/repositories/${uid}${view ? `/${view}` : ""}${query(parameters)}`,
  tag: (uid: string) => `/tags/${uid}`,
  /** The timeline of a tag by its name. It also exists for a deleted tag. */
  tagNamed: (repo: string, name: string) => `/tags/${repo}/-${query({ name })}`,
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
  events: (group?: string) => `/events${query({ group })}`,
  subscriptions: (group?: string) => `/subscriptions${query({ group })}`,
  subscription: (uid: string) => `/subscriptions/${uid}`,
  deliveries: (group?: string) => `/deliveries${query({ group })}`,
  usage: (group?: string) => `/usage${query({ group })}`,
};
