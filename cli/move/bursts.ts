/**
 * A trigger keeps the last burst of moves of each repository. In a copy it sees the moves in another order, so it keeps
 * another burst.
 */
import { columnsOf } from "./paths.ts";
import { decoded, encodedRow, jsonOf, quoted, run, type Sql } from "./sql.ts";

const keys = "SELECT value FROM json_each(?)";

/** Gives the repositories of some moves, whose rows travel, the bursts of the source. */
export async function restoreBursts(source: Sql, target: Sql, moves: string[]): Promise<void> {
  const columns = (await columnsOf(source, "tag_bursts")).map(quoted);
  const repos = new Set(moves.map((row) => (JSON.parse(row) as unknown[])[1]));
  const given = JSON.stringify([...repos]);
  const found = await run(
    source,
    `SELECT ${encodedRow(columns)} AS row FROM tag_bursts WHERE repo_uid IN (${keys})`,
    given,
  );
  await target.batch([
    { sql: `DELETE FROM tag_bursts WHERE repo_uid IN (${keys})`, params: [given] },
    {
      sql: `INSERT INTO tag_bursts (${columns.join(", ")})
        SELECT ${columns.map((_, at) => decoded(at + 1)).join(", ")} FROM json_each(?)`,
      params: [jsonOf(found.map(({ row }) => String(row)))],
    },
  ]);
}
