/** How far a move has come. Each database says what its own rows of the organization are worth. */
import { literal, run, type Sql } from "./sql.ts";

/** The position of a move in its source. */
export interface Progress {
  /** The step that is being copied, and the position in it. */
  step: number;
  after: unknown[];
  /** The number of the last event that was copied. */
  event: number;
  /** See `Route`. */
  shift: number;
  /** Whether the directory names the target, and whether the old rows are deleted. */
  ended?: "switched" | "purged";
}

type MoveState = "copying" | "leaving" | "departed" | "arriving";

/** The row of an organization in `organization_moves`. */
export interface MoveRow {
  state: MoveState;
  /** The name of the other database. */
  database: string;
  progress: Progress;
}

export async function readMoveRow(database: Sql, root: string): Promise<MoveRow | undefined> {
  const [row] = await run(
    database,
    "SELECT state, database, progress FROM organization_moves WHERE uid = ?",
    root,
  );
  if (!row) return undefined;
  // The platform has written it.
  return {
    state: row.state as MoveState,
    database: String(row.database),
    progress: JSON.parse(String(row.progress)) as Progress,
  };
}

export const writeMoveRow = (
  database: Sql,
  root: string,
  { state, ...move }: MoveRow,
  now: number,
) =>
  run(
    database,
    `INSERT INTO organization_moves (uid, state, database, time, progress) VALUES (?, ${literal(state)}, ?, ?, ?)
      ON CONFLICT (uid) DO UPDATE SET state = excluded.state, database = excluded.database, time = excluded.time,
        progress = excluded.progress`,
    root,
    move.database,
    now,
    JSON.stringify(move.progress),
  );

/** Changes the state of a move if it is still the one before. Returns whether it was. */
export async function advanceMoveRow(
  database: Sql,
  root: string,
  [before, state]: [MoveState, MoveState],
  progress: Progress,
): Promise<boolean> {
  const changed = await run(
    database,
    `UPDATE organization_moves SET state = ${literal(state)}, time = ?, progress = ?
      WHERE uid = ? AND state = ${literal(before)} RETURNING uid`,
    Date.now(),
    JSON.stringify(progress),
    root,
  );
  return changed.length > 0;
}

/**
 * Lets a copy serve its organization. Returns false if the schedule has given up the copy, because its move was
 * interrupted for too long (src/events/stalled_moves.ts).
 */
export async function openCopy(target: Sql, root: string): Promise<boolean> {
  await run(target, "DELETE FROM organization_moves WHERE uid = ? AND database <> ''", root);
  return (await readMoveRow(target, root)) === undefined;
}

export const deleteMoveRow = (database: Sql, root: string) =>
  run(database, "DELETE FROM organization_moves WHERE uid = ?", root);

/** The name of the database that has an organization, according to the directory. */
export async function readLocation(first: Sql, root: string): Promise<string> {
  const [row] = await run(first, "SELECT database FROM organization_databases WHERE uid = ?", root);
  return String(row?.database ?? "DB");
}

/** Names another database. A verified organization keeps its name, which only one organization can have. */
export async function writeLocation(
  first: Sql,
  root: string,
  database: string,
  verifiedName: string | null,
): Promise<void> {
  await run(
    first,
    `INSERT INTO organization_databases (uid, database, verified_name) VALUES (?, ?, ?)
      ON CONFLICT (uid) DO UPDATE SET database = excluded.database,
        verified_name = ifnull(verified_name, excluded.verified_name)`,
    root,
    database,
    verifiedName,
  );
}
