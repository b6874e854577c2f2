/** The addresses of pages, below `/console`. A link to a page comes from here. */

const query = (parameters: Record<string, string | undefined>) => {
  const filled = Object.entries(parameters).filter(
    ([, value]) => value !== undefined && value !== "",
  );
  const text = new URLSearchParams(filled as [string, string][]).toString();
  return text === "" ? "" : `?${text}`;
};

/** Parts of the query that an address can have in addition, such as the filters of a list. */
type More = Record<string, string | undefined>;

/** Uids keep their slashes. `group` is the uid of the group that a list is about. */
export const addresses = {
  home: (group?: string) => `/${query({ group })}`,
  repositories: (group?: string, more: More = {}) => `/repositories${query({ group, ...more })}`,
  /** `view` is a part of the page. Without it, the page shows the tags. */
  repository: (
    uid: string,
    view?: "readme" | "activity" | "rules" | "expiry" | "access" | "settings",
    parameters: Record<string, string | undefined> = {},
  ) => `/repositories/${uid}${view ? `/${view}` : ""}${query(parameters)}`,
  expiryPlan: (uid: string) => `/expiry-plans/${uid}`,
  tag: (uid: string) => `/tags/${uid}`,
  moves: (group?: string, more: More = {}) => `/moves${query({ group, ...more })}`,
  endOfLife: (group?: string, more: More = {}) => `/end-of-life${query({ group, ...more })}`,
  /** The timeline of a tag by its name. It also exists for a deleted tag. */
  tagNamed: (repo: string, name: string) => `/tags/${repo}/-${query({ name })}`,
  /** `view` is the part of the page, and what it shows. */
  access: (group?: string, view: More = {}) => `/access${query({ group, ...view })}`,
  /** The decision of a refused call, by the id in its error. */
  accessDecision: (id: string) => `/access/decisions/${encodeURIComponent(id)}`,
  identities: (group?: string, more: More = {}) => `/identities${query({ group, ...more })}`,
  /** `view` is a view of the page, such as `access`. */
  identity: (uid: string, view?: string) => `/identities/${uid}${query({ view })}`,
  newIdentity: (group?: string) => `/identities/new${query({ group })}`,
  /** Compares a token with the identities of a group, or with one of them. The view `warnings` needs no token. */
  tokenDoctor: (group?: string, identity?: string, view?: string) =>
    `/identities/doctor${query({ group, identity, view })}`,
  /**
   * An image: the uid of its repository, and its digest. `view` is a view of its page, such as `packages`. `index` is the
   * digest of an index that contains it.
   */
  image: (
    repo: string,
    digest: string,
    { view, index }: { view?: string | undefined; index?: string | undefined } = {},
  ) => `/images/${repo}@${digest}${query({ view, index })}`,
  /** Two images next to each other. Each is the uid of a tag, or the uid of a repository, `@` and a digest. */
  compare: (first: string, second?: string) => `/compare${query({ first, second })}`,
  /** `view` is a view of the page, such as `advisories`. */
  vulnerabilities: (group?: string, view?: string, more: More = {}) =>
    `/vulnerabilities${query({ group, view, ...more })}`,
  vulnerability: (id: string, group?: string) =>
    `/vulnerabilities/${encodeURIComponent(id)}${query({ group })}`,
  /** The images that contain a package. `text` is its name or its package URL. */
  packageSearch: (text?: string, group?: string) =>
    `/vulnerabilities${query({ group, view: "packages", package: text })}`,
  roles: (group?: string) => `/roles${query({ group })}`,
  role: (uid: string, group?: string) => `/roles/${uid}${query({ group })}`,
  /** A new role of the group. `copy` is the uid of a role that it begins with, and `capability` is one that it needs. */
  newRole: (group: string, start: { copy?: string; capability?: string } = {}) =>
    `/roles/new${query({ group, ...start })}`,
  invites: (group?: string, more: More = {}) => `/invites${query({ group, ...more })}`,
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
    `/account-associations/${uid}${query({ group: uid, view })}`,
  events: (group?: string, more: More = {}) => `/events${query({ group, ...more })}`,
  event: (uid: string) => `/events/${uid}`,
  subscriptions: (group?: string, more: More = {}) => `/subscriptions${query({ group, ...more })}`,
  subscription: (uid: string) => `/subscriptions/${uid}`,
  deliveries: (group?: string, more: More = {}) => `/deliveries${query({ group, ...more })}`,
  delivery: (uid: string) => `/deliveries/${uid}`,
  /** Where the person is signed in, or everyone in the group. */
  sessions: (group?: string, view?: string) => `/sessions${query({ group, view })}`,
  usage: (group?: string) => `/usage${query({ group })}`,
};
