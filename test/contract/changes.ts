/** One real change by every RPC that has an event, by the RPC's name. */
import { accountChanges } from "./account_changes.ts";
import { advisoryV1Changes } from "./advisory_v1_changes.ts";
import { authV1Changes } from "./auth_v1_changes.ts";
import type { EventChange, OwnChange } from "./change.ts";
import { eventsChanges } from "./events_changes.ts";
import { groupV1Changes } from "./group_v1_changes.ts";
import { iamChanges } from "./iam_changes.ts";
import { identityV1Changes } from "./identity_v1_changes.ts";
import { inviteChanges } from "./invite_changes.ts";
import { providerChanges } from "./provider_changes.ts";
import { providerV1Changes } from "./provider_v1_changes.ts";
import { registryChanges } from "./registry_changes.ts";
import { registryV1Changes } from "./registry_v1_changes.ts";
import { roleV1Changes } from "./role_v1_changes.ts";
import { type ContractRpc, rpcs } from "./rpcs.ts";
import { sbomChanges } from "./sbom_changes.ts";
import { eventOf, standardChange } from "./standard_changes.ts";
import { vulnReportChanges } from "./vuln_report_changes.ts";
import { vulnerabilityChanges } from "./vulnerability_changes.ts";

const own: Record<string, OwnChange> = {
  ...iamChanges,
  ...registryChanges,
  ...vulnerabilityChanges,
  ...vulnReportChanges,
  ...sbomChanges,
  ...eventsChanges,
  ...accountChanges,
  ...inviteChanges,
  ...providerChanges,
  ...groupV1Changes,
  ...authV1Changes,
  ...advisoryV1Changes,
  ...registryV1Changes,
  ...roleV1Changes,
  ...identityV1Changes,
  ...providerV1Changes,
};

/** The change of an RPC: what follows from the RPC itself, and what is its own. */
function changeOf(rpc: ContractRpc): [string, EventChange] {
  const { prepare, ...change } = { ...standardChange(rpc), ...eventOf(rpc), ...own[rpc.name] };
  if (!prepare)
    throw new Error(`nothing says how ${rpc.name} is called: add it to a file of changes`);
  return [rpc.name, { ...change, prepare }];
}

export const changes: Record<string, EventChange> = Object.fromEntries(
  rpcs.filter(({ event }) => event).map(changeOf),
);

/** Names of RPCs that have something of their own here. */
export const described = Object.keys(own);
