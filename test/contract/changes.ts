/** One real change by every RPC that has an event, by the RPC's name. */
import { accountChanges } from "./account_changes.ts";
import type { Change } from "./change.ts";
import { eventsChanges } from "./events_changes.ts";
import { groupV1Changes } from "./group_v1_changes.ts";
import { iamChanges } from "./iam_changes.ts";
import { inviteChanges } from "./invite_changes.ts";
import { providerChanges } from "./provider_changes.ts";
import { registryChanges } from "./registry_changes.ts";
import { vulnerabilityChanges } from "./vulnerability_changes.ts";

export const changes: Record<string, Change> = {
  ...iamChanges,
  ...registryChanges,
  ...vulnerabilityChanges,
  ...eventsChanges,
  ...accountChanges,
  ...inviteChanges,
  ...providerChanges,
  ...groupV1Changes,
};
