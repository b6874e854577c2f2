/** The messages of the queue of pulls (schema/deployment/workers.ts). */
import type { EventRow } from "../../outbox/outbox.ts";

/** The pulls of one image by one caller in one hour. */
export interface PullSum {
  /** The uid of the repository. */
  repo: string;
  /** The name of the tag. Empty for pulls by digest. */
  tag: string;
  digest: string;
  /** The uid of the identity. Empty for everyone without a role. */
  identity: string;
  identityName: string;
  /** The time of the last pull, in milliseconds since 1970. */
  time: number;
  pulls: number;
}

/** Sums, and the events of pulls in organizations with a subscription for them. Or uids of plans, and nothing else. */
export interface PullMessage {
  sums: PullSum[];
  events: EventRow[];
  /** The uids of expiry plans whose pulls have all been sent before this message. */
  plans?: string[];
}
