/** The context of a run of the sender. */
import type { Database } from "../../auth/call.ts";
import type { Config, Env } from "../../config.ts";
import type { Trace } from "../../telemetry/trace.ts";

/** The Worker that a run belongs to. */
export interface SenderContext {
  config: Config;
  db: Database;
  /** Starts another run after some seconds. It begins with the groups of events that are complete, if it is about them. */
  wake: (delaySeconds: number, closesGroups?: boolean) => Promise<void>;
  /** The trace of the run, which gets the spans of its attempts. */
  trace?: Trace | undefined;
  /** Where the data points of the attempts go. */
  metrics?: Pick<Env, "METRICS">;
  /** Whether the run writes how long the oldest event has waited. The schedule does, once a minute. */
  measuresAge?: boolean;
}
