/** One real change for every RPC that writes an event, by the name of the RPC. */

import { type ContractRpc, rpcs } from "../rpcs.ts";
import { eventOf, standardChange } from "../standard_changes.ts";
import { accountChanges } from "./accounts.ts";
import { advisoryV1Changes } from "./advisories_v1.ts";
import { authV1Changes } from "./auth_v1.ts";
import type { EventChange, OwnChange } from "./change.ts";
import { eventsChanges } from "./events.ts";
import { expiryPlanChanges } from "./expiry_plans.ts";
import { groupV1Changes } from "./groups_v1.ts";
import { iamChanges } from "./iam.ts";
import { identityV1Changes } from "./identities_v1.ts";
import { inviteChanges } from "./invites.ts";
import { keyChanges } from "./keys.ts";
import { providerChanges } from "./providers.ts";
import { providerV1Changes } from "./providers_v1.ts";
import { quotaChanges } from "./quotas.ts";
import { registryChanges } from "./registry.ts";
import { registryV1Changes } from "./registry_v1.ts";
import { roleV1Changes } from "./roles_v1.ts";
import { sbomChanges } from "./sboms.ts";
import { tokenChanges } from "./tokens.ts";
import { trustPolicyChanges } from "./trust_policies.ts";
import { vulnReportChanges } from "./vuln_reports.ts";
import { vulnerabilityChanges } from "./vulnerabilities.ts";

const own: Record<string, OwnChange> = {
  ...iamChanges,
  ...registryChanges,
  ...expiryPlanChanges,
  ...vulnerabilityChanges,
  ...vulnReportChanges,
  ...sbomChanges,
  ...eventsChanges,
  ...accountChanges,
  ...inviteChanges,
  ...keyChanges,
  ...providerChanges,
  ...groupV1Changes,
  ...authV1Changes,
  ...advisoryV1Changes,
  ...registryV1Changes,
  ...roleV1Changes,
  ...identityV1Changes,
  ...providerV1Changes,
  ...tokenChanges,
  ...trustPolicyChanges,
  ...quotaChanges,
};

/** The change of an RPC: the part that follows from the RPC, and the part that is written by hand. */
function changeOf(rpc: ContractRpc): [string, EventChange] {
  const { prepare, ...change } = { ...standardChange(rpc), ...eventOf(rpc), ...own[rpc.name] };
  if (!prepare)
    throw new Error(`nothing says how ${rpc.name} is called: add it to a file of changes`);
  return [rpc.name, { ...change, prepare }];
}

/** An RPC without an event of its own can write the event of another one. */
const writesEvent = ({ event, name }: ContractRpc) => event || own[name]?.type;

export const changes: Record<string, EventChange> = Object.fromEntries(
  rpcs.filter(writesEvent).map(changeOf),
);

/** The names of RPCs with a part that is written by hand. */
export const described = Object.keys(own);
