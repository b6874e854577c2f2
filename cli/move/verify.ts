/** Compares a copy with its source. */
import { countEvents } from "./events.ts";
import { numbered } from "./numbered.ts";
import { countPaths } from "./paths.ts";
import { type Row, rangeOf, type Sql, type Statement } from "./sql.ts";
import { pathTables } from "./tables.ts";

/** The rows of an organization in one table, as each database counts them. */
export interface Difference {
  table: string;
  source: number;
  target: number;
}

const countNumbered = (root: string): Statement[] =>
  numbered.map(({ source, params }) => ({
    sql: `SELECT count(*) AS n FROM ${source}`,
    params: params(root),
  }));

/** Sums that must be equal too: totals that triggers keep, and what triggers compute for moves of tags. */
const sums = (root: string): [string, Statement][] => [
  [
    "deliveries",
    {
      sql: "SELECT count(*) AS n FROM deliveries WHERE uid >= ? AND uid < ?",
      params: rangeOf(root),
    },
  ],
  [
    "counts",
    {
      sql: "SELECT ifnull(sum(descendants * 1000003 + children * 31 + class), 0) AS n FROM counts WHERE ancestor >= ? AND ancestor < ? AND descendants <> 0",
      params: rangeOf(root),
    },
  ],
  [
    "kinds and warnings of tag_records",
    {
      sql: "SELECT ifnull(sum(flags * 100 + length(digest)), 0) AS n FROM tag_records WHERE repo_id IN (SELECT id FROM tag_repos WHERE repo_uid >= ? AND repo_uid < ?)",
      params: rangeOf(root),
    },
  ],
  [
    "bytes of uploads",
    {
      sql: `SELECT ifnull(sum(object.size), 0) AS n FROM repo_storage AS repo CROSS JOIN uploads AS one ON one.repo_id = repo.id
        CROSS JOIN objects AS object ON object.upload_id = one.id WHERE repo.uid >= ? AND repo.uid < ?`,
      params: rangeOf(root),
    },
  ],
  [
    "bytes of organization_storage",
    {
      sql: "SELECT ifnull(sum(bytes + 3 * shared_bytes + 5 * document_bytes), 0) AS n FROM organization_storage WHERE uid = ?",
      params: [root],
    },
  ],
  [
    "bytes of repo_storage",
    {
      sql: "SELECT ifnull(sum(bytes + 3 * shared_bytes), 0) AS n FROM repo_storage WHERE uid >= ? AND uid < ?",
      params: rangeOf(root),
    },
  ],
];

/**
 * Counts the rows of each table in both databases, at the same time. Returns the tables that differ. The target does
 * not have the events after the one with the number `passed` yet.
 */
export async function differences(
  source: Sql,
  target: Sql,
  root: string,
  passed: number,
): Promise<Difference[]> {
  const checks: [string, Statement][] = [
    ...pathTables.map((table): [string, Statement] => [table.name, countPaths(table, root)]),
    ...countNumbered(root).map((statement, index): [string, Statement] => [
      numbered[index]?.name ?? "",
      statement,
    ]),
    ...sums(root),
  ];
  const statements = checks.map(([, statement]) => statement);
  checks.push(["events", countEvents(root, passed)]);
  const [ofSource, ofTarget] = await Promise.all([
    source.batch([...statements, countEvents(root, passed)]),
    target.batch([...statements, countEvents(root, Number.MAX_SAFE_INTEGER)]),
  ]);
  const number = (rows: Row[] | undefined) => Number(rows?.[0]?.n ?? 0);
  return checks.flatMap(([table], index) => {
    const [a, b] = [number(ofSource[index]), number(ofTarget[index])];
    return a === b ? [] : [{ table, source: a, target: b }];
  });
}
