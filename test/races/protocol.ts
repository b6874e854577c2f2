/** The requests of the test to the Worker module in front of the platform, and its responses. */
import type { SentStatement } from "../world/recorder.ts";

/** One HTTP request to the platform. */
export interface HttpCall {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** How two calls run: one after the other, both at once, the second within the first, or after the first was cut off. */
export type RunOrder = "sequence" | "together" | "within" | "cut";

/** A run of one call or two on the rows of the world. After it, the rows are reset. */
export interface Run {
  calls: [HttpCall | null, HttpCall | null];
  /** Whether the second call begins, or runs around the other. */
  isTurned?: boolean;
  order: RunOrder;
  /**
   * Within: the number of the outer call's D1 round trip before which the inner call runs, from 1. Cut: that before which
   * the outer call ends, as if its Worker was killed there.
   */
  before?: number;
  /** Together: decides which call makes the next round trip. */
  seed?: number;
  /**
   * Milliseconds since 1970 in UTC. The time stays at this value, and with `runs` it continues from
   * there.
   */
  clock: { time: number; runs: boolean };
  /** Whether to return the statements. */
  records?: boolean;
}

/** A row as a JSON array of its columns. */
export type RowText = string;

/** The rows of a table after a run. */
export interface TableChange {
  gone: RowText[];
  new: RowText[];
}

export interface HttpAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export interface RunRecord {
  /** In the order of `calls`. Null for a call that was not made. */
  answers: (HttpAnswer | null)[];
  /** Broken invariants, in words. */
  damage: string[];
  /** By table: the rows that have changed. */
  changes: Record<string, TableChange>;
  /** The round trips of each call. */
  trips: number[];
  /** Whether the outer call reached the round trip before which the inner one had to run. */
  isReached: boolean;
  /** A list for each round trip of each call, if requested. */
  statements?: SentStatement[][][];
}

/** The stored columns by table. */
export type Columns = Record<string, string[]>;

/** The responses of an OpenID provider: documents by path, and ID tokens by code. */
export interface UpstreamPages {
  url: string;
  documents: Record<string, object>;
  codes: Record<string, string>;
}

/** The path of the module. Every other path belongs to the platform. */
export const stagePath = "/__races";

export type StageCommand =
  | { do: "runs"; runs: Run[] }
  | { do: "snapshot" }
  | { do: "compare" }
  | { do: "clock"; time: number }
  | { do: "upstream"; pages: UpstreamPages }
  | { do: "sql"; statements: { query: string; values: unknown[] }[] };
