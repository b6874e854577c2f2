/** A database for fsck. It has every migration, and rows of every table that has parents, at every depth. */

import { createHash } from "node:crypto";
import { copyFileSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { CheckedDatabase, D1Row } from "../../../cli/fsck/check.ts";
import type { CheckOutcome } from "../../../cli/fsck/run.ts";
import { parentedTables, readTriggers, type Trigger } from "../../../cli/fsck/triggers.ts";
import { migrationNames, migrationSql, recordTable } from "../../../cli/migrations.ts";
import { tagLineOf } from "../../../src/packages/tag_lines.ts";
import { hex } from "../../world/uids.ts";

/** A file with a filled database that has every migration. */
export async function newFile(path: string): Promise<void> {
  const db = new DatabaseSync(":memory:");
  db.exec(`${recordTable};\n${await migrationSql(await migrationNames())}`);
  await fill(db);
  db.prepare("VACUUM INTO ?").run(path);
  db.close();
}

/** Opens a copy of that file. */
export function openCopy(path: string): DatabaseSync {
  const copy = `${path}.copy`;
  rmSync(copy, { force: true });
  copyFileSync(path, copy);
  const db = new DatabaseSync(copy);
  db.exec("PRAGMA synchronous = off; PRAGMA journal_mode = memory");
  return db;
}

/** The database through the interface of fsck. Two short records fill a page. */
export const storeOf = (db: DatabaseSync): CheckedDatabase => ({
  pageSize: 300,
  query: async (statements) => statements.map((sql) => db.prepare(sql).all() as D1Row[]),
  async execute(statements) {
    db.exec(`BEGIN; ${statements.join(";\n")}; COMMIT`);
  },
});

const triggersOf = (db: DatabaseSync) => readTriggers(storeOf(db));

/**
 * Runs SQL as racing calls do: without the guards, but with the triggers that maintain totals, aliases and
 * contents.
 *
 * With `all`, it runs without these triggers too.
 */
export async function damageDatabase(
  db: DatabaseSync,
  sql: string,
  { all = false } = {},
): Promise<void> {
  const keeps = ({ sql: text }: Trigger) =>
    /\b(?:AFTER|INSTEAD OF) (?:INSERT|DELETE|UPDATE)\b/.test(text);
  const past = (await triggersOf(db)).filter((trigger) => all || !keeps(trigger));
  for (const { name } of past) db.exec(`DROP TRIGGER ${name}`);
  db.exec(sql);
  for (const { sql: text } of past) db.exec(text);
}

export const hash = (text: string) => createHash("sha256").update(text).digest("hex");
export const digest = (text: string) => `sha256:${hash(text)}`;

export const organizationUid = "a".repeat(40);
export const viewer = "fb8cf4f24fcd591a8e895de6931ca2bca2198e6b";

/** The uid of the nth row below a parent, in the order of `n`. Rows of two parents have different last steps. */
export const childUid = (uid: string, n: number) =>
  `${uid}/${n.toString(16).padStart(2, "0")}${hex(uid, 14)}`;

/** Column values that other tables or JSON readers require. */
const values: Record<string, (n: number) => string> = {
  entries: () => "[]",
  fix_versions: () => "[]",
  aliases: (n) => `["CVE-${n}","GHSA-${n}"]`,
  digest: (n) => digest(String(n)),
  identity_uid: () => childUid(organizationUid, 0),
  role_uid: () => viewer,
  default_role: () => viewer,
  source_digest: () => "",
};

let count = 0;

/** Inserts a row into any table. A required column without a value gets a unique text or number. */
export function insertRow(db: DatabaseSync, table: string, given: Record<string, unknown>): void {
  count += 1;
  const columns = db.prepare(`PRAGMA table_info(${table})`).all() as {
    name: string;
    type: string;
    notnull: number;
    dflt_value: unknown;
  }[];
  const row: Record<string, unknown> = {};
  for (const { name, type, notnull, dflt_value } of columns) {
    const value = given[name] ?? values[name]?.(count);
    if (value !== undefined) row[name] = value;
    else if (notnull && dflt_value === null)
      row[name] = type.toLowerCase() === "integer" ? 1_000 + count : `x${count}`;
  }
  const names = Object.keys(row);
  db.prepare(
    `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
  ).run(...(Object.values(row) as string[]));
}

/** Names for tags of every class. */
const tagNames = ["latest", "sha256-0a.sig", "1-20260101", "1.2-r3"];

/** The values of the nth row of a parent in these tables. */
const ownValues: Record<string, (n: number, uid: string) => Record<string, unknown>> = {
  tags: (n) => {
    const name = tagNames[n - 1] ?? "";
    const { line, lineKey } = tagLineOf(name);
    return { name, line, line_key: lineKey };
  },
  artifacts: (n) => ({ ecosystem: n % 2 }),
  role_bindings: (_, uid) => ({ identity_uid: uid }),
  manifests: (n) => ({ entries: n === 1 ? JSON.stringify([{ digest: digest("part") }]) : "[]" }),
  vuln_reports: (n) => ({ digest: digest(`image ${n}`), scan_time: 1 }),
  sboms: (n) => ({ digest: digest(`image ${n}`) }),
  examined_images: (n, uid) => ({
    ...{ digest: digest(`image ${n}`), report_uid: uid, scan_time: 1, sbom_uid: uid },
    ...{ findings_version: 1, finding_count: 1 },
  }),
  findings: (_, uid) => ({ image_uid: uid }),
  sbom_packages: (_, uid) => ({ sbom_uid: uid }),
};

/** Tables whose rows refer to rows with the same parent. */
const referring = [
  ...["image_signatures", "pushed_signatures", "verified_signatures"],
  ...["examined_images", "findings", "sbom_packages"],
];

/** Fills a database with rows in which no check finds an error. */
async function fill(db: DatabaseSync): Promise<void> {
  const uids: Record<string, string[]> = { groups: [organizationUid] };
  insertRow(db, "groups", { uid: organizationUid, name: "example.com", verified: 1 });
  for (let at = organizationUid; at.length < 40 + 17 * 4; ) {
    at = childUid(at, 0xf);
    uids.groups?.push(at);
    insertRow(db, "groups", { uid: at });
  }
  insertRow(db, "identities", { uid: childUid(organizationUid, 0) });
  const tables = parentedTables(await triggersOf(db));
  const isLate = ({ table }: { table: string }) => referring.includes(table);
  const late = tables.filter(isLate).sort(({ table }) => (table === "findings" ? 1 : -1));
  for (const { table, parents } of [...tables.filter((one) => !isLate(one)), ...late]) {
    if (table === "groups") continue;
    uids[table] = [];
    for (const parent of uids[parents[0] ?? ""] ?? []) {
      for (const n of [1, 2, 3, 4]) {
        const uid = table === "account_associations" ? parent : childUid(parent, n);
        if (uids[table]?.includes(uid)) continue;
        uids[table]?.push(uid);
        insertRow(db, table, { uid, ...ownValues[table]?.(n, uid) });
      }
    }
  }
  db.exec(
    "INSERT INTO tag_moves (repo_uid, tag, update_time, digest) SELECT parent, name, update_time, digest FROM tags",
  );
  db.exec(
    `INSERT INTO tag_moves (repo_uid, tag, update_time, digest) SELECT parent, name, 1, '${digest("first")}' FROM tags`,
  );
  importAdvisories(db, uids.advisories ?? []);
  keepBesides(db, uids);
}

/** The record of the nth advisory. The second has an older schema, and the third is VEX. */
export const recordOf = (n: number) =>
  JSON.stringify({
    id: `OSV-${n}`,
    modified: `2024-03-0${(n % 9) + 1}T10:00:00.5${n % 10}Z`,
    summary: "ä𝄞".repeat(n),
  });

function importAdvisories(db: DatabaseSync, uids: string[]): void {
  for (const [n, uid] of uids.entries()) {
    const record = recordOf(n);
    const source = n === 2 ? "of a statement" : hash(n === 1 ? record : `4\n${record}`);
    const time = Date.parse(JSON.parse(record).modified);
    db.exec(
      `UPDATE advisories SET source_digest = '${source}', source_time = ${time} WHERE uid = '${uid}'`,
    );
    if (n === 2) insertRow(db, "vex_subjects", { uid });
    else insertRow(db, "osv_records", { uid, record });
    insertRow(db, "affected_packages", { advisory_uid: uid });
    const detail = "{}";
    insertRow(db, "advisory_events", { uid: childUid(uid, 1), advisory_uid: uid, detail });
  }
}

/** Rows of the tables that have no parents. */
function keepBesides(db: DatabaseSync, uids: Record<string, string[]>): void {
  for (const uid of uids.identities ?? []) insertRow(db, "identity_metadata", { uid });
  for (const uid of uids.vuln_reports ?? []) insertRow(db, "vuln_report_contents", { uid });
  // An older database has no index of packages.
  for (const uid of uids.sbom_packages ? (uids.sboms ?? []) : []) {
    insertRow(db, "indexed_sboms", { uid, packages_version: 1, package_count: 1 });
  }
  for (const image_uid of uids.examined_images ?? [])
    insertRow(db, "announced_vulnerabilities", { image_uid, ids: "[]" });
  for (const subscription_uid of uids.subscriptions ?? [])
    insertRow(db, "grouped_events", { subscription_uid });
  for (const plan_uid of uids.expiry_plans ?? []) insertRow(db, "expiry_items", { plan_uid });
  storeContents(db);
  // An older database has no deletions in batches.
  const [deletions] = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'deletions'").all();
  for (const n of deletions ? [1, 2, 3, 4] : []) {
    insertRow(db, "deletions", { uid: childUid("d".repeat(40), n), time: Date.now() });
  }
  insertRow(db, "group_access_requests", { group_uid: organizationUid });
  insertRow(db, "match_marks", { root: organizationUid, uid: childUid(organizationUid, 1) });
  insertRow(db, "trust_changes", { uid: childUid(organizationUid, 1) });
  insertRow(db, "idempotency_keys", { organization_uid: organizationUid });
  // A person who has no row yet.
  insertRow(db, "role_bindings", {
    uid: childUid(organizationUid, 0xe),
    identity_uid: "b".repeat(40),
  });
}

/** Stores the manifests of some repositories, a blob of two pieces that all of these have, and uploads of one piece. */
function storeContents(db: DatabaseSync): void {
  // An older database has no contents.
  const [table] = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'objects'").all();
  if (!table) return;
  const digestOf = "unhex(substr(m.digest, 8))";
  const stored = `FROM manifests AS m JOIN repo_storage AS r ON r.uid = m.parent`;
  db.exec(`INSERT INTO organization_storage (uid) VALUES ('${organizationUid}');
    INSERT INTO repo_storage (uid, organization_id) SELECT uid, 1 FROM repos ORDER BY uid DESC LIMIT 5;
    INSERT INTO blobs (digest, size, content) SELECT ${digestOf}, 10 + length(m.uid), '{}' ${stored};
    INSERT INTO blobs (digest, size) VALUES (unhex('${hash("layer")}'), 1000);
    INSERT INTO objects (key, blob_id, first_byte, size, etag) SELECT value ->> 0, blobs.id, value ->> 1, value ->> 2, 'e'
      FROM blobs, json_each('[["x1", 0, 600], ["x2", 600, 400]]') WHERE blobs.size = 1000;
    INSERT INTO blob_links (repo_id, kind, blob_id) SELECT r.id, 1, b.id ${stored} JOIN blobs AS b ON b.digest = ${digestOf};
    INSERT INTO blob_links (repo_id, kind, blob_id) SELECT r.id, 0, b.id FROM repo_storage AS r JOIN blobs AS b ON b.size = 1000;
    INSERT INTO referrers SELECT repo_id, blob_id, unhex('${hash("image")}'), 'a', 'b', NULL FROM blob_links WHERE kind = 1 LIMIT 5;
    INSERT INTO pushed_documents SELECT repo_id, blob_id, unhex('${hash("image")}'), 5 FROM blob_links WHERE kind = 0 LIMIT 2;
    INSERT INTO incomplete_indexes SELECT repo_id, blob_id, unhex('${hash("image")}') FROM blob_links WHERE kind = 1 LIMIT 2;
    INSERT INTO uploads (id, repo_id, organization_id, identity_uid, size, chunks, create_time, update_time)
      SELECT hex(id), id, organization_id, 'x', 50, 1, 1, 1 FROM repo_storage;
    INSERT INTO objects (key, upload_id, organization_id, size, etag) SELECT 'u' || id, id, organization_id, 50, 'e' FROM uploads`);
}

/** The checks that find something, and how many faults they find. */
export const foundProblems = (outcomes: CheckOutcome[]) =>
  Object.fromEntries(outcomes.filter((one) => one.found > 0).map((one) => [one.name, one.found]));

/** The rows of all tables, and the triggers. */
export function allRows(db: DatabaseSync): Record<string, D1Row[]> {
  const rows = (sql: string) => db.prepare(sql).all() as D1Row[];
  const all = rows(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
  );
  const tables = all.map(({ name }) => [name, sorted(rows(`SELECT * FROM "${name}"`))]);
  const triggers = rows("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name");
  return { ...Object.fromEntries(tables), triggers };
}

/** Not every table has a rowid to sort by. */
const sorted = (all: unknown[]) =>
  all.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
