/** The pages of the console. Each loads its own code when someone opens it. */
import type { FunctionComponent } from "preact";
import type { PageProps } from "./lazy_page.tsx";

interface Route {
  /** The address below `/console`. With `/*`, the rest of the address is `rest`. */
  path: string;
  load: () => Promise<{ default: FunctionComponent<PageProps> }>;
}

/** In the order in which they are tried. */
export const routes: readonly Route[] = [
  { path: "/", load: () => import("../home/home.tsx") },
  { path: "/repositories", load: () => import("../repositories/repositories.tsx") },
  { path: "/repositories/*", load: () => import("../repositories/repository.tsx") },
  { path: "/expiry-plans/*", load: () => import("../expiry_plans/plan.tsx") },
  { path: "/compare", load: () => import("../compare/compare.tsx") },
  { path: "/access", load: () => import("../access/access.tsx") },
  { path: "/access/decisions/*", load: () => import("../access/decision.tsx") },
  { path: "/roles", load: () => import("../roles/roles.tsx") },
  { path: "/roles/new", load: () => import("../roles/new_role.tsx") },
  { path: "/roles/*", load: () => import("../roles/role.tsx") },
  { path: "/identities", load: () => import("../identities/identities.tsx") },
  { path: "/identities/new", load: () => import("../identities/new_identity.tsx") },
  { path: "/identities/doctor", load: () => import("../identities/doctor.tsx") },
  { path: "/identities/*", load: () => import("../identities/identity.tsx") },
  { path: "/moves", load: () => import("../moves/moves.tsx") },
  { path: "/end-of-life", load: () => import("../moves/end_of_life.tsx") },
  { path: "/sessions", load: () => import("../sessions/sessions.tsx") },
  { path: "/usage", load: () => import("../usage/usage.tsx") },
  { path: "/events", load: () => import("../events/events.tsx") },
  { path: "/events/*", load: () => import("../events/event.tsx") },
  { path: "/subscriptions", load: () => import("../events/subscriptions.tsx") },
  { path: "/subscriptions/*", load: () => import("../events/subscription.tsx") },
  { path: "/deliveries", load: () => import("../events/deliveries.tsx") },
  { path: "/deliveries/*", load: () => import("../events/delivery.tsx") },
  { path: "/tags/*", load: () => import("../timeline/timeline.tsx") },
  { path: "/invites", load: () => import("../invites/invites.tsx") },
  { path: "/identity-providers", load: () => import("../identity_providers/providers.tsx") },
  { path: "/identity-providers/new", load: () => import("../identity_providers/new_provider.tsx") },
  { path: "/identity-providers/*", load: () => import("../identity_providers/provider.tsx") },
  { path: "/role-mappings", load: () => import("../role_mappings/role_mappings.tsx") },
  { path: "/account-associations", load: () => import("../account_associations/associations.tsx") },
  {
    path: "/account-associations/*",
    load: () => import("../account_associations/association.tsx"),
  },
  { path: "/vulnerabilities", load: () => import("../vulnerabilities/vulnerabilities.tsx") },
  { path: "/vulnerabilities/*", load: () => import("../vulnerabilities/vulnerability.tsx") },
  { path: "/images/*", load: () => import("../images/image.tsx") },
];
