/** Sets the columns that a copy leaves empty, because a schedule acts on them. */
import { quoted, rangeOf, run, type Sql } from "./sql.ts";
import { pathTables } from "./tables.ts";

/** Copies these columns. The source does not change any more. */
export async function armRows(source: Sql, target: Sql, root: string): Promise<void> {
  for (const { name, armed = [] } of pathTables) {
    for (const column of armed) await armColumn(source, target, root, { name, column });
  }
}

async function armColumn(
  source: Sql,
  target: Sql,
  root: string,
  { name, column }: { name: string; column: string },
): Promise<void> {
  const [table, value] = [quoted(name), quoted(column)];
  const [first, end] = rangeOf(root);
  for (let after = first; ; ) {
    const rows = await run(
      source,
      `SELECT uid, ${value} AS value FROM ${table} WHERE uid > ? AND uid < ? AND ${value} IS NOT NULL
        ORDER BY uid LIMIT 1000`,
      after,
      end,
    );
    if (rows.length === 0) return;
    const values = JSON.stringify(rows.map((row) => [row.uid, row.value]));
    await run(
      target,
      `UPDATE ${table} SET ${value} = given.value ->> 1 FROM json_each(?) AS given WHERE ${table}.uid = given.value ->> 0`,
      values,
    );
    after = String(rows.at(-1)?.uid);
  }
}
