/** Deletes the rows of an organization from a database that does not have it. */
import { purgeEvents } from "./events.ts";
import { numbered } from "./numbered.ts";
import { purgePaths } from "./paths.ts";
import { rangeOf, run, type Sql, type Statement } from "./sql.ts";
import { pathTables } from "./tables.ts";

/** The rows that one statement deletes. Triggers delete and count more. */
const limit = 200;

/** Deletes an incomplete copy, or the rows of an organization that has departed. */
export async function purge(database: Sql, root: string): Promise<void> {
  const [state] = await run(database, "SELECT state FROM organization_moves WHERE uid = ?", root);
  if (state?.state !== "departed" && state?.state !== "arriving")
    throw new Error(
      "the rows of an organization can be deleted only where it has departed or is arriving",
    );
  const statements: Statement[] = [
    ...purgeEvents(root, limit),
    // Findings and packages come first: the deletion of a report or an SBOM deletes all of its own at once.
    ...pathTables.toReversed().map((table) => purgePaths(table, root, limit)),
  ];
  // Links before repositories, whose deletion deletes theirs.
  const links = numbered.toReversed().map((table) => table.purge(root, limit));
  for (const statement of [...links, ...statements]) await repeat(database, statement);
  await run(database, "DELETE FROM counts WHERE ancestor >= ? AND ancestor < ?", ...rangeOf(root));
}

/** Repeats a deletion until it deletes nothing. */
async function repeat(database: Sql, { sql, params = [] }: Statement): Promise<void> {
  for (;;) {
    const [, [changed] = []] = await database.batch([
      { sql, params },
      { sql: "SELECT changes() AS n" },
    ]);
    if (Number(changed?.n) < limit) return;
  }
}
