/** The cost of reading an organization page by page. */
import type { D1Database } from "@cloudflare/workers-types";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readDeliveries } from "../../../cli/move/events.ts";
import { numbered, selectNumbered } from "../../../cli/move/numbered.ts";
import { readPaths, type Travelling } from "../../../cli/move/paths.ts";
import type { Row, Sql } from "../../../cli/move/sql.ts";
import { pathTables } from "../../../cli/move/tables.ts";
import { type SpreadPlatform, startSpread } from "../../world/spread.ts";
import { root } from "./world.ts";

const rows = 1_500;
const pageSize = 50;
const repo = `${root}/00000000000000cc`;
const other = `${"b".repeat(40)}/00000000000000cc`;

let platform: SpreadPlatform;
beforeAll(async () => {
  platform = await startSpread();
  const each = `from (with recursive n(n) as (select 1 union all select n + 1 from n where n < ${rows}) select n from n)`;
  const statements = [
    `insert into groups (uid, name, create_time, update_time) values ('${root}', 'pages', 1, 1)`,
    `insert into repos (uid, name, create_time, update_time) values ('${repo}', 'r', 1, 1)`,
    `insert into tags (uid, name, digest, create_time, update_time) select printf('${repo}/%016x', n), 't' || n, 'd', 1, 1 ${each}`,
    `insert into sign_ins (identity_provider_uid, identity_uid, create_time, last_time) select '${repo}', printf('%040x', n), 1, 1 ${each}`,
    `insert into deliveries (uid, event_seq, attempts, pool, partition, state, create_time) select printf('${repo}/%016x', n), n, '[]', 'p', n, 'delivered', 1 ${each}`,
    `insert into tag_repos values (1, '${other}', 1), (2, '${repo}', 2)`,
    `insert into tag_names (repo_id, tag) select 1, 't' || n ${each}`,
    `insert into tag_names (repo_id, tag) select 2, 't' || n ${each}`,
    `insert into organization_storage (uid) values ('${root}') on conflict do nothing`,
    `insert into repo_storage (uid, organization_id) select '${repo}', id from organization_storage where uid = '${root}'`,
    `insert into tag_pulls (repo_id, reference, identity, identity_name, time, days) select id, 't' || n, 'i', '', 1, 1 from repo_storage join (select n ${each}) where uid = '${repo}'`,
  ];
  for (const one of statements) await platform.rowsIn("DB_2", one);
});
afterAll(() => platform.stop());

/** The database, which counts the rows that it reads. */
function counted() {
  let read = 0;
  const sql: Sql = {
    async batch(statements) {
      const database = platform.databases.DB_2 as D1Database;
      const results = await database.batch<Row>(
        statements.map(({ sql: text, params = [] }) => database.prepare(text).bind(...params)),
      );
      for (const { meta } of results) read += meta.rows_read;
      return results.map(({ results: found }) => found);
    },
  };
  return { sql, read: () => read };
}

type Read = (sql: Sql, after: unknown[]) => Promise<Travelling[]>;

const pathRead = (name: string): Read => {
  const table = pathTables.find((one) => one.name === name);
  if (!table) throw new Error(name);
  return (sql, after) => readPaths(sql, { ...table, pageSize }, root, { after });
};

const numberedRead = (name: string): Read => {
  const table = numbered.find((one) => one.name === name);
  if (!table) throw new Error(name);
  return async (sql, after) => {
    const [page] = await sql.batch([selectNumbered({ ...table, pageSize }, root, { after })]);
    // Casts, because a statement does not say which columns it returns.
    return (page ?? []) as unknown as Travelling[];
  };
};

/** Reads all pages. Returns the number of rows in them. */
async function readAll(sql: Sql, read: Read): Promise<number> {
  let count = 0;
  for (let after: unknown[] = []; ; ) {
    const page = await read(sql, after);
    count += page.length;
    const last = page.at(-1);
    if (!last) return count;
    after = JSON.parse(last.position) as unknown[];
  }
}

const reads: [string, Read][] = [
  ...["sign_ins"].map((name): [string, Read] => [name, pathRead(name)]),
  ...["tags", "tag_names", "tag_pulls"].map((name): [string, Read] => [name, numberedRead(name)]),
  ["deliveries", (sql, after) => readDeliveries(sql, root, { after })],
];

test.each(reads)(
  "a copy reads each row a few times, however many pages it takes: %s",
  async (_, read) => {
    const { sql, read: total } = counted();
    expect(await readAll(sql, read)).toBe(rows);
    expect(total()).toBeLessThan(4 * rows);
  },
);

test("deleting the tags of an organization reads each of them a few times, however many repositories are empty", async () => {
  const gone = "d".repeat(40);
  const repos = `(with recursive n(n) as (select 1 union all select n + 1 from n where n < 300) select printf('${gone}/%016x', n) as repo from n)`;
  const tags = `(select repo, value from ${repos} join json_each('[1,2,3,4,5]'))`;
  for (const one of [
    `insert into groups (uid, name, create_time, update_time) values ('${gone}', 'gone', 1, 1)`,
    `insert into repos (uid, name, create_time, update_time) select repo, repo, 1, 1 from ${repos}`,
    `insert into tags (uid, name, digest, create_time, update_time) select repo || printf('/%016x', value), value, 'd', 1, 1 from ${tags}`,
  ])
    await platform.rowsIn("DB_2", one);
  const { sql, read } = counted();
  const table = numbered.find(({ name }) => name === "tags");
  if (!table) throw new Error("tags are not moved");
  const left = `select count(*) as n from tags where uid like '${gone}%'`;
  for (let batch = 0; batch < rows / pageSize; batch += 1)
    await sql.batch([table.purge(gone, pageSize)]);
  expect(await platform.rowsIn("DB_2", left)).toEqual([{ n: 0 }]);
  // A row, its parent, its totals, their places in indexes, and whether its repository is being deleted: 13 in all.
  expect(read()).toBeLessThan(14 * rows);
});
