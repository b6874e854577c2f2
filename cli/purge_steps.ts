/** Imports of vulnerability data are removed in steps, because one call deletes a limited number of rows. */
import type { JsonObject } from "./resources/flags.ts";
import type { PlatformClient } from "./resources/platform.ts";

/** The RPC that removes imports. */
export const purgeRpc = "platform.vulnerabilities.v2.AdvisoryPurgesService/PurgeAdvisories";

/** Calls the RPC until nothing is left. Yields each response. `more` says whether another one follows. */
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
