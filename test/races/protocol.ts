/** The requests of the test to the Worker module in front of the platform, and its responses. */
import type { SentStatement } from "../world/recorder.ts";

/** One HTTP request to the platform. */
export interface HttpCall {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** How two calls run: one after the other, both at once, or the second within the first. */
export type RunOrder = "sequence" | "together" | "within";

/** A run of one call or two on the rows of the world, which are as before once it is over. */
export interface Run {
  calls: [HttpCall | null, HttpCall | null];
  /** The second call begins, or has the other in it. */
  isTurned?: boolean;
  order: RunOrder;
  /** Within: the round trip to D1 of the outer call before which the inner one runs; the first is 1. */
  before?: number;
  /** Together: decides whose round trip is next. */
  seed?: number;
  /**
   * Milliseconds since 1970 in UTC. The time stays at this value, and with `runs` it continues from
   * there.
   */
  clock: { time: number; runs: boolean };
  /** Whether the statements are answered. */
  records?: boolean;
}

/** A row as the JSON array of its columns. */
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
  /** In the order of `calls`; null for one that was not made. */
  answers: (HttpAnswer | null)[];
  /** Broken invariants, in words. */
  damage: string[];
  /** By table, those that are not as before. */
  changes: Record<string, TableChange>;
  /** Round trips of each call. */
  trips: number[];
  /** Whether the outer call came to the round trip before which the inner one was to run. */
  isReached: boolean;
  /** A list for each round trip of each call, where asked for. */
  statements?: SentStatement[][][];
}

/** Columns that are stored, by table. */
export type Columns = Record<string, string[]>;

/** The responses of an OpenID provider: documents by path, and ID tokens by code. */
export interface UpstreamPages {
  url: string;
  documents: Record<string, object>;
  codes: Record<string, string>;
}

/** Where the module listens; every other path is the platform's. */
export const stagePath = "/__races";

export type StageCommand =
  | { do: "runs"; runs: Run[] }
  | { do: "snapshot" }
  | { do: "compare" }
  | { do: "clock"; time: number }
  | { do: "upstream"; pages: UpstreamPages }
  | { do: "sql"; statements: { query: string; values: unknown[] }[] };
