/** Imports of vulnerability data are taken back in steps, since one call deletes only so much. */
import type { JsonObject } from "./resources/flags.ts";
import type { PlatformClient } from "./resources/platform.ts";

/** The RPC that takes imports back. */
export const purgeRpc = "platform.vulnerabilities.v2.AdvisoryPurgesService/PurgeAdvisories";

/** Calls the RPC until nothing is left. Yields each answer; `more` says whether another follows. */
export async function* purgeSteps(
  platform: PlatformClient,
  request: JsonObject,
): AsyncGenerator<JsonObject> {
  for (let more = true; more; ) {
    const step = await platform.call(purgeRpc, { ...request, force: true });
    yield step;
    more = Boolean(step.more);
  }
}
