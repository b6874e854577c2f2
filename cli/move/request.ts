/** The request for a move, and its state while it runs. */
import type { Route } from "./route.ts";
import type { Sql } from "./sql.ts";
import { type MoveRow, type Progress, writeMoveRow } from "./state.ts";

/** The databases of the platform, and the organization to move. */
export interface MoveRequest {
  databases: Map<string, Sql>;
  root: string;
  /** The name of the database to move to. */
  to: string;
  /** Called with each step, before it begins. */
  onStep?: (step: MoveStep) => void | Promise<void>;
  /** The longest time without writes, in milliseconds. If it is over, writes continue and the move tries again. */
  maxPause?: number;
  /** The most rows that are copied at once. */
  maxPage?: number;
}

export type MoveStep =
  | "begin"
  | "copy"
  | "page"
  | "catch up"
  | "pause"
  | "compare"
  | "switch"
  | "arm"
  | "name"
  | "delete"
  | "done";

/** The result of a move: how long writes were refused, in milliseconds. 0 if this run did not refuse any. */
export interface Moved {
  from: string;
  to: string;
  pause: number;
}

/** A move that cannot begin or continue. The message is for the user. */
export class MoveError extends Error {
  override name = "MoveError";
}

/** A move that runs. `source` is the database that the organization leaves, and `from` its name. */
export interface Move extends Required<Omit<MoveRequest, "databases">> {
  first: Sql;
  from: string;
  source: Sql;
  target: Sql;
}

/** The part that copies need. */
export const routeOf = ({ source, target, root, maxPage }: Move, { shift }: Progress): Route => ({
  source,
  target,
  root,
  shift,
  maxPage,
});

/** Stores how far the move has come. */
export const keep = ({ source, root, to }: Move, state: MoveRow["state"], progress: Progress) =>
  writeMoveRow(source, root, { state, database: to, progress }, Date.now());
