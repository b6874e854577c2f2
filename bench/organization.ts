/** Writes an organization of any size, and its owner, directly into D1's SQLite file. */
import { DatabaseSync } from "node:sqlite";
import { OWNER_ROLE } from "../schema/tables/iam/roles.ts";
import { randomNumbers } from "../test/world/random.ts";
import { below, hex } from "../test/world/uids.ts";

/** The uids of what a run lists, and of the identity that lists it. */
export interface BenchOrganization {
  root: string;
  /** The uid of a repository in a group below the root. */
  repo: string;
  /** The uid of an identity with one role binding, on the root. */
  owner: string;
}

const rootUid = (text: string) => hex(text, 40);

const start = Date.UTC(2026, 0, 1);
const day = 24 * 3600 * 1000;

/** Returns a typical tag name. Four of ten are plain, and the others belong to the classes that a List hides. */
function tagName(index: number, random: () => number): string {
  const version = `${Math.floor(random() * 40)}.${index}`;
  const kind = index % 10;
  if (kind < 4) return version;
  if (kind < 6) return `${version}-2025${String(1 + (index % 12)).padStart(2, "0")}17`;
  if (kind < 8) return `${version}-r${index % 9}`;
  return `sha256-${index.toString(16).padStart(64, "0")}.sig`;
}

/**
 * Fills the SQLite file of a migrated D1 that no one has open. Nine tenths of the tags belong to the organization, in
 * 40 repositories next to 1000 empty ones. The rest belong to another organization. Triggers count them. The indexes on
 * tags are created after the rows, because they are the most expensive.
 */
export function fillOrganization(file: string, tags: number): BenchOrganization {
  const db = new DatabaseSync(file);
  db.exec("pragma journal_mode = wal; pragma synchronous = off; pragma cache_size = -400000");
  const { root, group, area, nested } = insertGroups(db);
  const owner = insertOwner(db, root);
  const shelves = [root, group, area, nested];
  const repos = Array.from({ length: 40 }, (_, index) => {
    const shelf = shelves[index % shelves.length] ?? root;
    return insertRepo(db, shelf, `image-${index}`);
  });
  for (let index = 0; index < 1_000; index += 1) insertRepo(db, root, `empty-${index}`);
  const other = rootUid("other");
  insertGroup(db, other, "other.example");
  const others = Array.from({ length: 5 }, (_, index) => insertRepo(db, other, `image-${index}`));
  insertTags(db, tags, repos, others);
  db.close();
  const repo = repos.find((uid) => uid.startsWith(`${group}/`));
  if (!repo) throw new Error("there is no repository in the group");
  return { root, repo, owner };
}

function insertGroups(db: DatabaseSync) {
  const root = rootUid("organization");
  insertGroup(db, root, "bench.example");
  const [group, area] = [below(root, "team"), below(root, "area")];
  const nested = below(area, "product");
  for (const uid of [group, area, nested]) insertGroup(db, uid, `group ${uid.slice(-4)}`);
  return { root, group, area, nested };
}

function insertGroup(db: DatabaseSync, uid: string, name: string): void {
  db.prepare(
    "insert into groups (uid, name, verified, create_time, update_time) values (?, ?, ?, ?, ?)",
  ).run(uid, name, uid.length === 40 ? 1 : 0, start, start);
}

/** Creates an identity that owns one group. */
function insertOwner(db: DatabaseSync, group: string): string {
  const uid = rootUid("owner");
  db.prepare(
    "insert into identities (uid, name, last_seen_time, create_time, update_time) values (?, ?, ?, ?, ?)",
  ).run(uid, "owner", start, start, start);
  db.prepare(
    "insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time) values (?, ?, ?, ?, ?)",
  ).run(below(group, uid), uid, OWNER_ROLE, start, start);
  return uid;
}

function insertRepo(db: DatabaseSync, parent: string, name: string): string {
  const uid = below(parent, name);
  db.prepare("insert into repos (uid, name, create_time, update_time) values (?, ?, ?, ?)").run(
    uid,
    name,
    start,
    start,
  );
  return uid;
}

function insertTags(db: DatabaseSync, count: number, repos: string[], others: string[]): void {
  const random = randomNumbers(count);
  const indexes = db
    .prepare(
      "select name, sql from sqlite_master where tbl_name = 'tags' and type = 'index' and sql is not null",
    )
    .all() as { name: string; sql: string }[];
  for (const { name } of indexes) db.exec(`drop index ${name}`);
  const insert = db.prepare(
    "insert into tags (uid, name, digest, line, create_time, update_time) values (?, ?, ?, '', ?, ?)",
  );
  const uids = Array.from({ length: count }, () => {
    const shelf = random() < 0.9 ? repos : others;
    return `${shelf[Math.floor(random() * shelf.length)]}/${step(random)}`;
  }).sort();
  db.exec("begin");
  for (const [index, uid] of uids.entries()) {
    // The times are whole seconds, so that some rows have the same time and the uid decides their order.
    const created = start + Math.floor((random() * 10 * day) / 1000) * 1000;
    const updated = created + Math.floor((random() * 10 * day) / 1000) * 1000;
    const digest = `sha256:${(index % (count / 2)).toString(16).padStart(64, "0")}`;
    insert.run(uid, tagName(index, random), digest, created, updated);
  }
  db.exec("commit");
  for (const { sql } of indexes) db.exec(sql);
}

/** Returns the last step of a uid. */
const step = (random: () => number) =>
  [random(), random()]
    .map((value) =>
      Math.floor(value * 2 ** 32)
        .toString(16)
        .padStart(8, "0"),
    )
    .join("");
