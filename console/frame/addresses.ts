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
  /**
   * An image: the uid of its repository, and its digest. `view` is a view of its page, such as `packages`. `index` is the
   * digest of an index that contains it.
   */
  image: (
    repo: string,
    digest: string,
    { view, index }: { view?: string | undefined; index?: string | undefined } = {},
  ) => `/images/${repo}@${digest}${query({ view, index })}`,
  /** `view` is a view of the page, such as `advisories`. */
  vulnerabilities: (group?: string, view?: string) => `/vulnerabilities${query({ group, view })}`,
  vulnerability: (id: string, group?: string) =>
    `/vulnerabilities/${encodeURIComponent(id)}${query({ group })}`,
  /** The images that contain a package. `text` is its name or its package URL. */
  packageSearch: (text?: string, group?: string) =>
    `/vulnerabilities${query({ group, view: "packages", package: text })}`,
  access: (group?: string) => `/access${query({ group })}`,
  identities: (group?: string) => `/identities${query({ group })}`,
  identity: (uid: string) => `/identities/${uid}`,
  roles: (group?: string) => `/roles${query({ group })}`,
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
