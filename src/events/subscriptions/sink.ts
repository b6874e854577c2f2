/**
 * Checks the destination of events when a subscription is created. The sender of events must check it again,
 * because a name can change its addresses.
 */
import { destinationRefusal, sinkRules } from "../../auth/outgoing/destination.ts";
import type { Config } from "../../config.ts";

/**
 * Says why nothing may be sent to the sink, in words for its owner. Undefined if it is allowed. Looks up the
 * name of the host. Throws UNAVAILABLE if that is not possible now.
 */
export async function sinkRefusal(config: Config, sink: string): Promise<string | undefined> {
  const refusal = await destinationRefusal(config, sink, sinkRules);
  return refusal === undefined ? undefined : `sink ${refusal}`;
}
