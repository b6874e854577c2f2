/** Compares the totals that triggers maintain with a recount. */
import { type CheckPart, type FsckCheck, newCheck } from "./check.ts";
import { isPresent } from "./deletions.ts";
import {
  type CountedTable,
  countedTables,
  type SummedTable,
  summedTables,
  type Trigger,
} from "./triggers.ts";

/** Rows of `counts` that one statement rewrites. Each row is only a key, so more of them fit than of other rows. */
const maxCountsPerRepair = 50_000;

/**
 * Returns a SELECT of the rows of `counts` that are wrong, with their correct values. It counts the rows of a table by
 * parent, which an index sorts, and then adds each parent to its ancestors. A missing row counts as 0.
 */
function differing({ table, classColumn, hasRoots }: CountedTable): string {
  const rows = `count(*) AS n FROM "${table}" WHERE ${isPresent("parent")} GROUP BY parent`;
  const own = classColumn
    ? `SELECT parent, "${classColumn}" AS class, ${rows}, "${classColumn}"`
    : `SELECT parent, 0 AS class, ${rows}`;
  const roots = hasRoots ? "SELECT '', class, n, n, 0, 0 FROM own WHERE parent = '' UNION ALL" : "";
  return `WITH own AS MATERIALIZED (${own}),
    steps (size) AS (VALUES (40), (57), (74), (91), (108), (125)),
    parts (ancestor, class, children, descendants, kept_children, kept_descendants) AS (
      ${roots}
      SELECT substr(parent, 1, size), class, iif(length(parent) = size, n, 0), n, 0, 0
        FROM own, steps WHERE length(parent) >= size
      UNION ALL
      SELECT ancestor, class, 0, 0, children, descendants FROM counts WHERE kind = '${table}')
    SELECT ancestor, class, sum(children) AS children, sum(descendants) AS descendants,
      sum(kept_children) AS kept_children, sum(kept_descendants) AS kept_descendants
    FROM parts GROUP BY ancestor, class
    HAVING sum(children) <> sum(kept_children) OR sum(descendants) <> sum(kept_descendants)`;
}

function partOf(counted: CountedTable): CheckPart {
  const { table } = counted;
  return {
    table,
    damaged: `SELECT ifnull(nullif(ancestor, ''), '(root)') AS uid, '${table}' || iif(class, ' of class ' || class, '')
      || ': children: ' || kept_children || ' stored, ' || children || ' counted'
      || ', descendants: ' || kept_descendants || ' stored, ' || descendants || ' counted' AS wrong FROM (${differing(counted)})`,
    repair: [
      `INSERT INTO counts (ancestor, kind, class, children, descendants)
      SELECT ancestor, '${table}', class, children, descendants FROM (${differing(counted)}) WHERE true LIMIT ${maxCountsPerRepair}
      ON CONFLICT (ancestor, kind, class) DO UPDATE SET children = excluded.children, descendants = excluded.descendants`,
    ],
  };
}

/** D1 allows no more SELECTs than this in one UNION. */
const maxTerms = 5;

/** SQL: the rows of all these SELECTs with the columns `uid` and `n`. */
function unionAll(selects: string[]): string {
  if (selects.length <= maxTerms) return selects.join(" UNION ALL ");
  const groups = Array.from({ length: Math.ceil(selects.length / maxTerms) }, (_, at) =>
    selects.slice(at * maxTerms, (at + 1) * maxTerms),
  );
  return unionAll(groups.map((group) => `SELECT uid, n FROM (${unionAll(group)})`));
}

/** Compares a total of organizations with the sum over the rows of its tables. A row without an organization adds nothing. */
function sumOf(kind: string, summed: SummedTable[]): CheckPart {
  const rows = summed.map(
    ({ table, root, amount }) => `SELECT ${root} AS uid, ${amount} AS n FROM "${table}" AS NEW`,
  );
  const wrong = `SELECT uid, sum(n) AS n, sum(kept) AS kept FROM (
      SELECT uid, n, 0 AS kept FROM (${unionAll(rows)}) WHERE uid IS NOT NULL
      UNION ALL SELECT ancestor, 0, descendants FROM counts WHERE kind = '${kind}')
    GROUP BY uid HAVING sum(n) <> sum(kept)`;
  return {
    table: "counts",
    damaged: `SELECT uid, '${kind}: ' || kept || ' stored, ' || n || ' counted' AS wrong FROM (${wrong})`,
    repair: [
      `INSERT INTO counts (ancestor, kind, class, children, descendants)
      SELECT uid, '${kind}', 0, 0, n FROM (${wrong}) WHERE true LIMIT ${maxCountsPerRepair}
      ON CONFLICT (ancestor, kind, class) DO UPDATE SET descendants = excluded.descendants`,
    ],
  };
}

/** Finds totals of kinds that nothing counts. No trigger maintains them. */
function stray(kinds: string[]): CheckPart {
  const strays = `FROM counts WHERE kind NOT IN (${kinds.map((kind) => `'${kind}'`).join(", ")})`;
  return {
    table: "counts",
    damaged: `SELECT ancestor AS uid, kind || ' is not a counted kind' AS wrong ${strays}`,
    repair: [
      `DELETE FROM counts WHERE rowid IN (SELECT rowid ${strays} LIMIT ${maxCountsPerRepair})`,
    ],
  };
}

export function countsCheck(triggers: Trigger[]): FsckCheck {
  const tables = countedTables(triggers);
  const sums = Map.groupBy(summedTables(triggers), ({ kind }) => kind);
  return newCheck(
    {
      name: "counts",
      promise:
        "Each total in `counts` equals the number, or the bytes, of the rows that it counts.",
      remedy: "counts the rows again and stores the totals",
    },
    [
      ...tables.map(partOf),
      ...[...sums].map(([kind, summed]) => sumOf(kind, summed)),
      stray([...tables.map(({ table }) => table), ...sums.keys()]),
    ],
  );
}
