/** All rows of an organization, to see whether a call changed anything. */
import { expect } from "vitest";
import { sql } from "../world/platform.ts";

/** The column that connects the rows of a table or a view to an organization. */
const keyOf = (definition: string) =>
  ["uid", "repo_uid", "plan_uid", "ancestor", "group_uid"].find(
    (key) => definition.includes(`\`${key}\` text`) || definition.includes(` AS ${key},`),
  );

const eventTables = ["events"];

/** The statement that reads every row of an organization as text, from all tables and views with such rows. */
async function selectAll(): Promise<{ name: string; select: string }[]> {
  const tables = await sql<{ name: string; sql: string }>(
    "select name, sql from sqlite_master where type in ('table', 'view') and name not like 'refused%'",
  );
  const keyed = tables.flatMap(({ name, sql }) => {
    const key = keyOf(sql ?? "");
    return key ? [{ name, key }] : [];
  });
  expect(keyed.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["groups", "repos", "tags", "tag_moves", "role_bindings", "counts"]),
  );
  return Promise.all(
    keyed.map(async ({ name, key }) => {
      // The use of a row is recorded after the response, whatever the call does.
      const columns = await sql<{ name: string }>(
        `select name from pragma_table_info('${name}') where name <> 'last_used_time'`,
      );
      const row = columns.map((column) => `quote("${column.name}")`).join(" || ',' || ");
      const select = `(select json_group_array(row) from (select ${row} as row from ${name}
        where ${key} >= ?1 and ${key} < ?2 order by 1)) as ${name}`;
      return { name, select };
    }),
  );
}

let everything: ReturnType<typeof selectAll> | undefined;

/** Everything in an organization in one read, without its events unless they are asked for. */
export async function organizationRows(organization: string, { events = false } = {}) {
  everything ??= selectAll();
  const parts = (await everything).filter(({ name }) => events || !eventTables.includes(name));
  const selects = parts.map(({ select }) => select);
  return sql(`select ${selects.join(", ")}`, organization, `${organization}0`);
}
