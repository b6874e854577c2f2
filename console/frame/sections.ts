/** The navigation of the console: what it shows, and where. */
import { addresses } from "./addresses.ts";

/** A page in the navigation. */
export interface Place {
  title: string;
  address: (group?: string) => string;
  /** The beginnings of addresses of further pages that belong to it. */
  further?: readonly string[];
}

/** The groups of the navigation. */
export const sections: readonly { title: string; places: readonly Place[] }[] = [
  {
    title: "Registry",
    places: [
      { title: "Home", address: addresses.home },
      {
        title: "Repositories",
        address: addresses.repositories,
        further: ["/tags/", "/images/"],
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

/** The place in the navigation that a page belongs to. `location` is its path below `/console`. */
export const placeOf = (location: string): Place | undefined =>
  sections
    .flatMap(({ places }) => places)
    .find(({ address, further = [] }) => {
      const path = address();
      if (path === "/") return location === "/";
      return location === path || [`${path}/`, ...further].some((one) => location.startsWith(one));
    });
