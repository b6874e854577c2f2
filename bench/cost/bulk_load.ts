/**
 * Writes many rows into D1's SQLite file at once, so that a million rows take seconds. It works without triggers and
 * secondary indexes, and creates them again afterwards. It computes what the triggers of an insert maintain (counts,
 * aliases) for all rows at once, with the triggers' own SQL.
 */
import { DatabaseSync } from "node:sqlite";
import { eventsJson } from "../../schema/tables/vulnerabilities/advisories.ts";

/** One statement that inserts rows into a table. */
export interface TableLoad {
  table: string;
  sql: string;
}

interface Part {
  name: string;
  sql: string;
}

/** Opens the file of a D1 that no one else has open, for fast writing. A crash may corrupt it. */
export function openFile(file: string): DatabaseSync {
  const db = new DatabaseSync(file);
  db.exec(
    "pragma journal_mode = off; pragma synchronous = off; pragma locking_mode = exclusive; pragma cache_size = -1000000; pragma temp_store = memory; pragma threads = 2",
  );
  return db;
}

/** Runs the loads. The result is the same as with the triggers in place. */
export function loadInBulk(
  db: DatabaseSync,
  loads: TableLoad[],
  say: (line: string) => void,
): void {
  const loaded = [...new Set(loads.map(({ table }) => table))];
  const hasHistory = loaded.includes(history.view);
  const tables = loaded.flatMap((table) => (table === history.view ? history.tables : [table]));
  const triggers = tables.flatMap((table) => partsOf(db, "trigger", table));
  for (const { name } of triggers) db.exec(`drop trigger ${name}`);
  const indexes = new Map(tables.map((table) => [table, partsOf(db, "index", table)]));
  for (const { name } of [...indexes.values()].flat()) db.exec(`drop index ${name}`);
  const begun = Date.now();
  // The temporary table hides the view of the same name, so the loads write into it.
  if (hasHistory) db.exec(`create temp table ${history.view} (repo_uid, tag, update_time, digest)`);
  for (const { sql } of loads) db.exec(sql);
  if (hasHistory) for (const sql of history.fill) db.exec(sql);
  say(`  rows: ${secondsSince(begun)}`);
  const kept = Date.now();
  db.exec("create temp table steps (value integer primary key)");
  db.exec("insert into steps values (0), (1), (2), (3), (4), (5)");
  for (const sql of triggers.flatMap(toBulkStatements)) {
    db.exec(sql);
  }
  say(`  counts: ${secondsSince(kept)}`);
  for (const [table, parts] of indexes) {
    const started = Date.now();
    for (const { sql } of parts) db.exec(sql);
    if (Date.now() - started > 5_000) say(`  indexes of ${table}: ${secondsSince(started)}`);
  }
  for (const { sql } of triggers) db.exec(sql);
}

/** Runs the loads row by row with the triggers. It is slow, and {@link loadInBulk} must produce the same result. */
export function loadByTriggers(db: DatabaseSync, loads: TableLoad[]): void {
  db.exec("begin");
  for (const { sql } of loads) db.exec(sql);
  db.exec("commit");
}

const secondsSince = (time: number) => `${((Date.now() - time) / 1000).toFixed(1)} s`;

/** Returns the indexes or the triggers of a table. Indexes that SQLite created for a key have no SQL. */
function partsOf(db: DatabaseSync, type: "index" | "trigger", table: string): Part[] {
  return db
    .prepare(
      "select name, sql from sqlite_master where type = ? and tbl_name = ? and sql is not null",
    )
    .all(type, table) as unknown as Part[];
}

const trigger =
  /^CREATE TRIGGER \S+ AFTER INSERT ON (\w+)(?: WHEN [^\n]+)? BEGIN\s+(INSERT (?:OR IGNORE )?INTO \w+ \([^)]*\))\s+(SELECT[\s\S]*?)(\s+ON CONFLICT[\s\S]*?)?;\s*END$/;

const insertProducts = `insert or ignore into advisory_products (alias, product, group_uid, advisory_uid)
  select upper(value), artifact_name, advisories.parent, uid from advisories, json_each(aliases) where source <> 'osv'
  union select upper(advisory_id), artifact_name, parent, uid from advisories where source <> 'osv'`;

/** The advisories of the fixtures have few and short events. */
const showEvents = `update advisories set shown_events = found.events
  from (select advisory_uid, ${eventsJson} as events from advisory_events group by 1) as found
  where found.advisory_uid = advisories.uid`;

/** The rows of the view `tag_moves`, and what its trigger does for the fixtures. */
const history = {
  view: "tag_moves",
  tables: ["tag_repos", "tag_names", "tag_origins", "tag_records"],
  /**
   * In the fixtures, each record has a new digest, no tag is a release, and the records of a repository are more than
   * ten minutes apart. So no record has a warning.
   */
  fill: [
    `insert into tag_repos (id, repo_uid, organization_id)
    select id, repo_uid, min(id) over (partition by substr(repo_uid, 1, 40))
    from (select row_number() over () as id, repo_uid from (select distinct repo_uid from temp.tag_moves))`,
    `insert into tag_names (repo_id, tag) select distinct tag_repos.id, tag
    from temp.tag_moves join tag_repos using (repo_uid)`,
    `insert into tag_origins (repo_uid, repo, identity, identity_name, method) select repo_uid, '', '', '', 0 from tag_repos`,
    `insert into tag_records (tag_id, update_time, organization_id, repo_id, digest, origin_id, flags)
    select tag_names.id, update_time, organization_id, tag_repos.id, unhex(substr(digest, 8)), tag_origins.id,
      iif(lag(update_time) over (partition by tag_names.id order by update_time) is null, 1, 2)
    from temp.tag_moves join tag_repos using (repo_uid)
    join tag_names on tag_names.repo_id = tag_repos.id and tag_names.tag = temp.tag_moves.tag
    join tag_origins on tag_origins.repo_uid = tag_repos.repo_uid`,
    "drop table temp.tag_moves",
    `insert into tag_bursts (repo_uid, start_time, end_time, tags, largest)
    select repo_uid, max(update_time), max(update_time), 1, count(*) > 1
    from tag_records join tag_repos on tag_repos.id = repo_id where flags = 2 group by 1`,
  ],
};

/** Triggers whose SQL works for one row only. */
const byHand: Record<string, string[]> = {
  advisories_insert_products: [insertProducts],
  advisory_events_show_insert: [showEvents],
};

/** The insert of a trigger that counts rows: a row for each group above. It leaves out the check of the trigger. */
const counting =
  /INSERT INTO counts (\([^)]*\))\s+(SELECT\s(?:(?!INSERT)[\s\S])*?FROM json_each[\s\S]*?)\s+ON CONFLICT \(ancestor, kind, class\) DO UPDATE/;

/** The update of a trigger that adds up an amount of an organization. */
const summing =
  /UPDATE counts SET descendants = descendants \+ ([\s\S]*?), warning = [\s\S]*WHERE ancestor = ([\s\S]*?) AND kind = '(\w+)' AND class = 0;\s*END$/;

const addsCounts = `on conflict (ancestor, kind, class) do update set
  children = children + excluded.children, descendants = descendants + excluded.descendants`;

/**
 * Turns the trigger of an insert into statements for all rows of its table. The name of the row, NEW, becomes that of
 * the table. A condition of the trigger is left out, as it only saves work. Triggers that only reject rows, or that
 * record other changes, have no statement.
 */
function toBulkStatements({ name, sql }: Part): string[] {
  const table = / AFTER INSERT ON (\w+)/.exec(sql)?.[1];
  if (table === undefined) return [];
  const own = byHand[name];
  if (own) return own;
  const [, amount, root, kind] = summing.exec(sql) ?? [];
  if (amount !== undefined)
    return [
      `insert into counts (ancestor, kind, class, children, descendants)
        select ${root}, '${kind}', 0, 0, sum(${amount}) from ${table} as NEW where true group by 1 ${addsCounts}`,
    ];
  const [, columns, counted] = counting.exec(sql) ?? [];
  if (columns !== undefined && counted !== undefined) {
    // A row of counts combines many rows of the table. The sums are computed first, so that each row is written once.
    // Rows that the migrations insert are already counted and are counted again here.
    return [
      `delete from counts where kind = '${table}'`,
      `with counted ${columns} as (${ofAllRows(counted, table)}) insert into counts ${columns}
        select ancestor, kind, class, sum(children), sum(descendants) from counted where true group by 1, 2, 3
        ${addsCounts}`,
    ];
  }
  const [, , head = "", select = "", conflict = ""] = trigger.exec(sql) ?? [];
  if (head === "") throw new Error(`the trigger ${name} has a form that cannot be run in bulk`);
  return [`${head} ${ofAllRows(select, table)}${conflict}`];
}

/** The SELECT of a trigger for all rows of its table. */
function ofAllRows(select: string, table: string): string {
  const rows = select
    .replace(/FROM (json_each|tag_names)/, `FROM ${table} AS NEW, $1`)
    // This table has the same numbers. The list would be parsed once for each row.
    .replace("json_each('[0,1,2,3,4,5]')", "steps");
  if (rows === select)
    throw new Error(`a trigger of ${table} reads neither json_each nor tag_names`);
  return rows;
}
