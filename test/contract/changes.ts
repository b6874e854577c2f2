/** One real change by every RPC that has an event, by the RPC's name. */
import type { Change } from "./change.ts";
import { iamChanges } from "./iam_changes.ts";
import { registryChanges } from "./registry_changes.ts";

export const changes: Record<string, Change> = { ...iamChanges, ...registryChanges };
