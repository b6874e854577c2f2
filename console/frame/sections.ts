/** The navigation of the console: what it shows, and where. */
import type { Capability } from "../../client/index.ts";
import { addresses } from "./addresses.ts";

/** A page in the navigation. */
export interface SectionPage {
  title: string;
  address: (group?: string) => string;
  /** The beginnings of addresses of further pages that belong to it. */
  further?: readonly string[];
}

/** The groups of the navigation. */
export const sections: readonly { title: string; places: readonly SectionPage[] }[] = [
  {
    title: "Registry",
    places: [
      { title: "Home", address: addresses.home },
      {
        title: "Repositories",
        address: addresses.repositories,
        further: ["/tags/", "/images/", "/expiry-plans/", "/compare"],
      },
      { title: "Tag moves", address: addresses.moves },
      { title: "End-of-life tags", address: addresses.endOfLife },
      { title: "Vulnerabilities", address: addresses.vulnerabilities },
      { title: "Usage", address: addresses.usage },
    ],
  },
  {
    title: "Access",
    places: [
      { title: "Groups and access", address: addresses.access },
      { title: "Identities", address: addresses.identities },
      { title: "Roles", address: addresses.roles },
      { title: "Invites", address: addresses.invites },
      { title: "Identity providers", address: addresses.identityProviders },
      { title: "Role mappings", address: addresses.roleMappings },
      { title: "Account associations", address: addresses.accountAssociations },
      { title: "Where am I signed in", address: addresses.sessions },
    ],
  },
  {
    title: "Events",
    places: [
      { title: "Event log", address: addresses.events },
      { title: "Subscriptions", address: addresses.subscriptions },
      { title: "Deliveries", address: addresses.deliveries },
    ],
  },
];

/** Dialogs and forms that create something, and the capability that each needs on the group. */
export const creations: readonly (SectionPage & { capability: Capability })[] = [
  {
    title: "New repository",
    capability: "CAP_REPO_CREATE",
    address: (group) => addresses.repositories(group, { new: "1" }),
  },
  {
    title: "New group",
    capability: "CAP_IAM_GROUPS_CREATE",
    address: (group) => addresses.access(group, { new: "group" }),
  },
  {
    title: "Give access",
    capability: "CAP_IAM_ROLE_BINDINGS_CREATE",
    address: (group) => addresses.access(group, { new: "access" }),
  },
  {
    title: "New identity",
    capability: "CAP_IAM_IDENTITY_CREATE",
    address: addresses.newIdentity,
  },
  {
    title: "New role",
    capability: "CAP_IAM_ROLES_CREATE",
    address: (group = "") => addresses.newRole(group),
  },
  {
    title: "New invite",
    capability: "CAP_IAM_GROUP_INVITES_CREATE",
    address: (group) => addresses.invites(group, { new: "1" }),
  },
  {
    title: "New subscription",
    capability: "CAP_EVENTS_SUBSCRIPTION_CREATE",
    address: (group) => addresses.subscriptions(group, { new: "1" }),
  },
];

/** The place in the navigation that a page belongs to. `location` is its path below `/console`. */
export const placeOf = (location: string): SectionPage | undefined =>
  sections
    .flatMap(({ places }) => places)
    .find(({ address, further = [] }) => {
      const path = address();
      if (path === "/") return location === "/";
      return (
        location === path || [`${path}/`, ...further].some((prefix) => location.startsWith(prefix))
      );
    });
