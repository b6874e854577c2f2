/** Databases for moves, as files of SQLite: one with an organization that has rows of every table, and an empty one. */
import { copyFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { runFsck } from "../../../cli/fsck/run.ts";
import { moveOrganization, undoMove } from "../../../cli/move/move.ts";
import { numbered, selectNumbered } from "../../../cli/move/numbered.ts";
import type { MoveRequest } from "../../../cli/move/request.ts";
import type { Row, Sql, Statement } from "../../../cli/move/sql.ts";
import { derivedTables, pathTables } from "../../../cli/move/tables.ts";
import {
  childUid,
  digest,
  foundProblems,
  insertRow,
  newFile,
  openCopy,
  organizationUid as root,
  storeOf,
} from "../fsck/world.ts";

export { organizationUid as root } from "../fsck/world.ts";

/**
 * A database through the interface of a move. `answer` is called after each batch, and loses its answer if it throws.
 */
const sqlOf = (db: DatabaseSync, answer: () => void): Sql => ({
  async batch(statements) {
    const results = transact(db, statements);
    answer();
    return results;
  },
});

function transact(db: DatabaseSync, statements: Statement[]): Row[][] {
  db.exec("BEGIN IMMEDIATE");
  try {
    const results = statements.map(
      ({ sql, params = [] }) => db.prepare(sql).all(...(params as string[])) as Row[],
    );
    db.exec("COMMIT");
    return results;
  } catch (thrown) {
    db.exec("ROLLBACK");
    throw thrown;
  }
}

/** A person who logs in, and the identity provider of the organization that they log in through. */
export const person = "d".repeat(40);
const provider = childUid(root, 1);

/** The files. `open` opens copies of them. */
export async function newWorld() {
  const folder = await mkdtemp(join(tmpdir(), "move-"));
  const [full, empty] = [join(folder, "full.sqlite"), join(folder, "empty.sqlite")];
  await newFile(full);
  copyFileSync(full, empty);
  change(full, addNumbered);
  change(empty, makeEmpty);
  const open = () => newPair(full, empty);
  return { open, remove: () => rm(folder, { recursive: true }) };
}

/** Changes a file without waiting for the disk. */
function change(path: string, work: (db: DatabaseSync) => void): void {
  const db = new DatabaseSync(path);
  db.exec("PRAGMA synchronous = off; BEGIN");
  work(db);
  db.exec("COMMIT");
  db.close();
}

/** Leaves all migrations and no organization, and one blob that the organization has too. */
function makeEmpty(db: DatabaseSync): void {
  const tables = db
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    .all();
  const triggers = db.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").all();
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
  for (const { name } of tables) {
    if (name === "roles") db.exec("DELETE FROM roles WHERE length(uid) > 40");
    else if (name === "counts")
      db.exec("DELETE FROM counts WHERE ancestor <> '' OR kind <> 'roles'");
    else if (name === "quotas") db.exec("DELETE FROM quotas WHERE organization <> ''");
    else if (name !== "delivery_cursor") db.exec(`DELETE FROM ${name}`);
  }
  for (const { sql } of triggers) db.exec(String(sql));
}

/** Events, deliveries and other rows that `newFile` does not make. */
function addNumbered(db: DatabaseSync): void {
  db.exec(
    `INSERT INTO quotas (organization, kind, quota_limit) VALUES ('${root}', 'repos', 900), ('${root}', 'tags', -1)`,
  );
  insertRow(db, "identities", { uid: person, issuer: "https://idp.example", subject: "ada" });
  insertRow(db, "role_bindings", { uid: childUid(root, 0xaa), identity_uid: person });
  insertRow(db, "sign_ins", { identity_provider_uid: provider, identity_uid: person });
  insertRow(db, "sessions", { uid: childUid(provider, 0xab), identity_uid: person });
  db.exec(`INSERT INTO scim_group_members SELECT scim_groups.uid, scim_users.uid
    FROM scim_groups JOIN scim_users ON scim_users.parent = scim_groups.parent`);
  for (const digest of ["one", "two"]) {
    insertRow(db, "refresh_tokens", {
      digest,
      identity_uid: person,
      identity_provider_uid: provider,
      claims: "{}",
    });
  }
  const [repo] = db.prepare("SELECT id, uid FROM repo_storage ORDER BY uid").all();
  insertRow(db, "tag_pulls", { repo_id: repo?.id, reference: "latest", identity: person, time: 5 });
  insertRow(db, "pull_hours", { repo_id: repo?.id, hour: 5, pulls: 2 });
  db.exec(`INSERT INTO pushed_documents SELECT repo_id, blob_id, x'01', 5 FROM blob_links WHERE repo_id = ${repo?.id} AND kind = 0;
    INSERT INTO incomplete_indexes SELECT repo_id, blob_id, x'0102' FROM blob_links WHERE repo_id = ${repo?.id} AND kind = 1`);
  addHistory(db, String(repo?.uid));
  db.exec(
    "UPDATE identities SET key_expire_time = 9e15, key_notice_time = 8e15 WHERE parent <> ''",
  );
  db.exec("UPDATE keys SET notice_time = 8e15");
  for (let n = 1; n <= 30; n += 1) insertEvent(db, n);
  db.exec("UPDATE delivery_cursor SET event_seq = 25");
  const subscription = childUid(root, 1);
  for (const n of [1, 2, 3, 4]) {
    const isPending = n > 2;
    insertRow(db, "deliveries", {
      ...{
        uid: childUid(subscription, n),
        event_seq: n,
        attempts: "[]",
        pool: "p",
        partition: `${n}`,
      },
      ...{ state: isPending ? "pending" : "delivered", due_time: isPending ? 77 : null },
      ...{ end_time: isPending ? null : 7, lease: n === 4 ? "someone" : "" },
    });
  }
}

/** Names of tags, as numbers and with each character that names can have. */
export const historyTags = ["0123", "1e5", "A_b.c-9", "null", `t${"x".repeat(127)}`];

/** Adds records of tags with these names. Their digests are of all kinds, and identities have unusual names. */
function addHistory(db: DatabaseSync, repo: string): void {
  const digests = [digest("a"), digest("b"), `sha512:${"ab".repeat(64)}`, "sha256:NOT-HEX", ""];
  for (const [at, tag] of historyTags.entries()) {
    for (const [n, one] of digests.entries()) {
      insertRow(db, "tag_moves", {
        ...{ repo_uid: repo, tag, update_time: 1_000 * (n + 1) + at, digest: one, method: n },
        ...{ repo: "r", identity: person, identity_name: `Ada "\\" 日本 ${n}` },
      });
    }
  }
  db.exec(`INSERT INTO tag_overrides (repo_uid, tag, update_time, rule, reason)
    SELECT repo_uid, tag, update_time, 'releases', 'urgent: ' || tag FROM tag_moves WHERE repo_uid = '${repo}'`);
  db.exec(`INSERT INTO upstream_states (repo_uid, account) VALUES ('${repo}', 'a docker.io b');
    INSERT INTO mirrored_tags (repo_uid, tag, check_time) VALUES ('${repo}', 'latest', 1);
    INSERT INTO mirror_fetches (repo_uid, reference, holder, expire_time) VALUES ('${repo}', 'r', 'h', 1);
    INSERT INTO repo_syncs (repo_uid, time) VALUES ('${repo}', 1)`);
  // The records of a repository can all be gone, and its name and number remain.
  const [last] = db.prepare("SELECT max(id) AS id FROM tag_repos").all();
  const organization = `(SELECT organization_id FROM tag_repos WHERE repo_uid = '${repo}')`;
  const empty = `INSERT INTO tag_repos (id, repo_uid, organization_id) VALUES (?, ?, ${organization})`;
  db.prepare(empty).run(Number(last?.id) + 1, `${root}/eeeeeeeeeeeeeeee`);
}

/** Inserts the nth event of the organization. */
export function insertEvent(db: DatabaseSync, n: number): void {
  insertRow(db, "events", {
    seq: n,
    ...{
      uid: `${root}/${(0x1000 + n).toString(16).padStart(16, "0")}`,
      id: `id-${n}`,
      type: "t",
      source: "s",
      subject: "x",
    },
    ...{
      group_uid: root,
      audience: "customer",
      extensions: "{}",
      data: `{"n":${n}}`,
      time: 1000 + n,
    },
  });
}

function newPair(full: string, empty: string) {
  const [one, other] = [openCopy(full), openCopy(empty)];
  let answer = () => {};
  const databases = new Map([
    ["DB", sqlOf(other, () => answer())],
    ["DB_2", sqlOf(one, () => answer())],
  ]);
  other.prepare("INSERT INTO organization_databases (uid, database) VALUES (?, 'DB_2')").run(root);
  const request = (more: Partial<MoveRequest> = {}): MoveRequest => ({
    ...{ databases, root, to: "DB" },
    ...more,
  });
  return {
    source: one,
    target: other,
    move: (more?: Partial<MoveRequest>) => moveOrganization(request(more)),
    /** Sets what happens after each batch of a move. */
    onAnswer(does: () => void) {
      answer = does;
    },
    undo: () => undoMove(request()),
    location: () =>
      other.prepare("SELECT database FROM organization_databases WHERE uid = ?").get(root)
        ?.database,
    close() {
      one.close();
      other.close();
    },
  };
}

export type Pair = ReturnType<typeof newPair>;

/** All rows of the organization in a database, without the numbers that only that database knows. */
export function snapshot(db: DatabaseSync): Record<string, unknown[]> {
  const rows = (sql: string, ...params: unknown[]) =>
    db
      .prepare(sql)
      .all(...(params as string[]))
      .map((row) => JSON.stringify(row));
  const range = [root, `${root}0`];
  const ofPaths = pathTables.map(({ name, path }) => [
    name,
    rows(`SELECT * FROM ${name} WHERE ${path} >= ? AND ${path} < ?`, ...range).sort(),
  ]);
  const ofNumbers = numbered.map((table) => {
    const { sql, params = [] } = selectNumbered({ ...table, pageSize: 10_000 }, root, {
      after: [],
    });
    return [
      table.name,
      db
        .prepare(sql)
        .all(...(params as string[]))
        .map(({ row }) => row)
        .sort(),
    ];
  });
  const keys: Record<string, string> = {
    counts: "ancestor",
    advisory_aliases: "advisory_uid",
    advisory_products: "advisory_uid",
    index_entries: "repo_uid",
    finding_ids: "uid",
  };
  const ofTriggers = derivedTables.flatMap((name) => {
    const key = keys[name];
    const some = name === "counts" ? "AND descendants <> 0" : "";
    return key
      ? [
          [
            name,
            rows(`SELECT * FROM ${name} WHERE ${key} >= ? AND ${key} < ? ${some}`, ...range).sort(),
          ],
        ]
      : [];
  });
  const deliveries = `SELECT deliveries.uid, events.id, deliveries.state, deliveries.due_time, deliveries.end_time
    FROM deliveries JOIN events ON events.seq = deliveries.event_seq WHERE deliveries.uid >= ? AND deliveries.uid < ?`;
  return {
    ...Object.fromEntries([...ofPaths, ...ofNumbers, ...ofTriggers]),
    events: rows("SELECT uid, id, data, time FROM events WHERE ancestor0 = ? ORDER BY seq", root),
    deliveries: rows(deliveries, ...range).sort(),
    bytes: rows("SELECT uid, bytes, shared_bytes FROM repo_storage ORDER BY uid"),
  };
}

/** The checks of `platformctl fsck` that find a fault. */
export const faultsIn = async (db: DatabaseSync) =>
  foundProblems(await runFsck(storeOf(db), false));
