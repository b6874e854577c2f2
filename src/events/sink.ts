/**
 * Where events may be sent. Checked when a subscription is made. Whoever delivers has to check again,
 * since names may come to mean other addresses.
 */
import { destinationRefusal, sinkRules } from "../auth/outgoing/destination.ts";
import type { Config } from "../config.ts";

/**
 * Why nothing may be sent to the sink, in words for its owner; undefined where it may. Looks its
 * name up, and throws UNAVAILABLE where that cannot be done now.
 */
export async function sinkRefusal(config: Config, sink: string): Promise<string | undefined> {
  const refusal = await destinationRefusal(config, sink, sinkRules);
  return refusal === undefined ? undefined : `sink ${refusal}`;
}
