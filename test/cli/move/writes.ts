/** Writes of every kind, which tests make while an organization moves. */
import type { DatabaseSync } from "node:sqlite";
import { childUid, digest, insertRow, organizationUid as root } from "../fsck/world.ts";
import { insertEvent } from "./world.ts";

const first = (table: string, condition = "true") =>
  `(SELECT uid FROM ${table} WHERE ${condition} AND uid LIKE '${root}%' ORDER BY uid LIMIT 1)`;
const last = (table: string, condition = "true") =>
  `(SELECT uid FROM ${table} WHERE ${condition} AND uid LIKE '${root}%' ORDER BY uid DESC LIMIT 1)`;

/** Exchanges the names of the first two rows with the same parent. */
const exchange = (table: string, column: string) => (db: DatabaseSync) => {
  const [one, other] = db
    .prepare(
      `SELECT uid, ${column} AS name FROM ${table} WHERE parent = (SELECT parent FROM ${table}
        WHERE uid LIKE '${root}/%' GROUP BY parent HAVING count(*) > 1 LIMIT 1) ORDER BY uid LIMIT 2`,
    )
    .all();
  if (!one || !other) throw new Error(`${table} has no two rows`);
  const set = db.prepare(`UPDATE ${table} SET ${column} = ? WHERE uid = ?`);
  set.run("between", one.uid as string);
  set.run(one.name as string, other.uid as string);
  set.run(other.name as string, one.uid as string);
};

/** Values that would otherwise be others in each database. */
const times = {
  ...{ create_time: 5, update_time: 6, last_seen_time: 7, aliases: "[]", capabilities: "[]" },
};

/** The digest of a blob that comes. */
const pushed = "ab".repeat(32);

/** The same in every database with the same rows. */
export const writes: Record<string, (db: DatabaseSync) => void> = {
  "names of repositories are exchanged": exchange("repos", "name"),
  "names of roles are exchanged": exchange("roles", "name"),
  "a group is added and renamed": (db) => {
    insertRow(db, "groups", { uid: childUid(root, 0x77), name: "added", ...times });
    const inner = childUid(childUid(root, 0x77), 1);
    insertRow(db, "repos", { uid: inner, name: "r", ...times });
    insertRow(db, "tags", { uid: childUid(inner, 1), name: "t", digest: digest("t"), ...times });
    db.exec(`UPDATE groups SET name = 'renamed' WHERE uid = '${childUid(root, 0x77)}'`);
  },
  "an identity comes and gets a role": (db) => {
    const uid = childUid(root, 0x79);
    insertRow(db, "identities", { uid, name: "new", ...times });
    insertRow(db, "roles", { uid: childUid(root, 0x78), name: "new", ...times });
    insertRow(db, "role_bindings", {
      ...{ uid: childUid(root, 0x7a), identity_uid: uid, role_uid: childUid(root, 0x78) },
      ...times,
    });
  },
  "a repository takes the name of another": (db) => {
    db.exec(`UPDATE repos SET name = 'other' WHERE uid = ${first("repos")}`);
    insertRow(db, "repos", {
      ...{ uid: `${root}/ffffffffffffffff`, name: "x-old", ...times },
    });
    db.exec(`UPDATE repos SET name = 'older' WHERE uid = ${first("repos")}`);
    db.exec(`UPDATE repos SET name = 'other' WHERE uid = '${root}/ffffffffffffffff'`);
  },
  "a repository is deleted": (db) => {
    const [gone] = db.prepare(`SELECT ${last("repos")} AS uid`).all();
    const uid = String(gone?.uid);
    db.exec(`DELETE FROM expiry_items WHERE plan_uid > '${uid}' AND plan_uid < '${uid}0'`);
    const tables = [
      ...["repo_storage", "tags", "manifests", "image_holds", "expiry_plans"],
      ...["sboms", "vuln_reports", "trust_policies", "signed_verdicts"],
    ];
    for (const table of tables) {
      db.exec(`DELETE FROM ${table} WHERE uid > '${uid}' AND uid < '${uid}0'`);
    }
    db.exec(`DELETE FROM repo_storage WHERE uid = '${uid}'`);
    db.exec(`DELETE FROM repos WHERE uid = '${uid}'`);
  },
  "a tag moves twice": (db) => {
    for (const time of [9_000_000, 9_000_001]) {
      db.exec(`INSERT INTO tag_moves (repo_uid, tag, update_time, digest)
        SELECT parent, name, ${time}, '${digest("other")}' FROM tags WHERE uid = ${first("tags")}`);
    }
  },
  "an import writes another record for the time of one that it has made redundant": (db) => {
    const [repo] = db.prepare("SELECT repo_uid AS uid FROM tag_moves WHERE tag = '0123'").all();
    const record = db.prepare(
      "INSERT INTO tag_moves (repo_uid, tag, update_time, digest) VALUES (?, '0123', ?, ?)",
    );
    record.run(repo?.uid as string, 1_500, digest("b"));
    db.exec("DELETE FROM tag_moves WHERE tag = '0123' AND update_time = 2000");
    record.run(repo?.uid as string, 2_000, digest("c"));
  },
  "so many tags move that earlier records get a warning": (db) => {
    const [repo] = db.prepare("SELECT repo_uid AS uid FROM tag_moves WHERE tag = '0123'").all();
    const record = db.prepare(
      "INSERT INTO tag_moves (repo_uid, tag, update_time, digest) VALUES (?, ?, ?, ?)",
    );
    for (const n of Array.from({ length: 12 }, (_, at) => at)) {
      record.run(repo?.uid as string, `burst-${n}`, 9_000_000, digest("d"));
      record.run(repo?.uid as string, `burst-${n}`, 9_000_010 + n, digest("e"));
    }
  },
  "a report is deleted with its findings": (db) => {
    db.exec(`DELETE FROM findings WHERE uid = ${first("findings")}`);
    db.exec(`DELETE FROM vuln_reports WHERE uid = ${last("vuln_reports")}`);
  },
  "a signature comes, and another goes with its manifest": (db) => {
    const uid = first("manifests");
    db.exec(`INSERT INTO image_signatures (uid, digest, issuer, subject, create_time)
      VALUES (${uid}, '${digest("signed")}', 'https://issuer.example.com', 'ana@example.com', 5);
      DELETE FROM manifests WHERE uid = ${last("manifests")}`);
  },
  "a subscription changes": (db) => {
    db.exec(`UPDATE subscriptions SET update_time = 99 WHERE uid = ${first("subscriptions")}`);
  },
  "a link goes and an upload comes": (db) => {
    db.exec(`DELETE FROM blob_links WHERE repo_id = (SELECT min(repo_id) FROM blob_links) AND kind = 0;
      INSERT INTO uploads (id, repo_id, organization_id, identity_uid, create_time, update_time)
        SELECT 'new', min(id), organization_id, 'x', 7, 7 FROM repo_storage`);
  },
  "a new blob is pushed": (db) => {
    db.exec(`INSERT INTO blobs (digest, size) VALUES (unhex('${pushed}'), 44);
      INSERT INTO objects (key, blob_id, size, etag) SELECT 'y1', id, 44, 'e' FROM blobs WHERE digest = unhex('${pushed}');
      INSERT INTO blob_links (repo_id, kind, blob_id)
        SELECT (SELECT max(id) FROM repo_storage), 0, id FROM blobs WHERE digest = unhex('${pushed}')`);
  },
  "a request reserves the bytes of an object": (db) => {
    const upload = "(SELECT max(id) FROM uploads)";
    db.exec(`INSERT INTO objects (key, upload_id, organization_id, size, multipart, idle_time)
      SELECT 'z1', id, organization_id, 8, 'm', 5 FROM uploads WHERE id = ${upload};
      UPDATE objects SET size = 16, idle_time = 6 WHERE key = 'z1'`);
  },
  "an upload gets a piece that replaces another, and a request gives up": (db) => {
    const upload = "(SELECT min(id) FROM uploads)";
    db.exec(`INSERT INTO objects (key, upload_id, organization_id, size, idle_time)
      SELECT value, uploads.id, organization_id, 70, 5 FROM uploads, json_each('["z2", "z3"]') WHERE uploads.id = ${upload};
      UPDATE uploads SET size = 70, chunks = 2, update_time = 8 WHERE id = ${upload};
      UPDATE objects SET etag = 'e', idle_time = NULL WHERE key = 'z2';
      UPDATE objects SET upload_id = NULL, idle_time = 9 WHERE key <> 'z2' AND upload_id = ${upload};
      DELETE FROM objects WHERE key = 'z3'`);
  },
  "an upload becomes a blob": (db) => {
    const blob = `(SELECT id FROM blobs WHERE digest = unhex('${"cd".repeat(32)}'))`;
    const upload = "(SELECT id FROM uploads WHERE id = hex(2))";
    db.exec(`INSERT INTO blobs (digest, size) VALUES (unhex('${"cd".repeat(32)}'), 50);
      UPDATE objects SET blob_id = ${blob}, upload_id = NULL, organization_id = NULL WHERE upload_id = ${upload};
      INSERT INTO blob_links (repo_id, kind, blob_id, idle_time) SELECT repo_id, 0, ${blob}, 5 FROM uploads WHERE id = ${upload};
      DELETE FROM uploads WHERE id = ${upload}`);
  },
  "a blob is found damaged": (db) => {
    db.exec("UPDATE blobs SET fault = 'changed', fault_time = 5 WHERE size = 1000");
  },
  "a push replaces the bytes of a damaged blob": (db) => {
    db.exec(`UPDATE blobs SET fault = 'missing' WHERE size = 1000;
      UPDATE blobs SET size = 1000, fault = NULL WHERE size = 1000;
      UPDATE objects SET blob_id = NULL, idle_time = 5 WHERE blob_id = (SELECT id FROM blobs WHERE size = 1000);
      INSERT INTO objects (key, blob_id, size, etag) SELECT 'y2', id, 1000, 'e' FROM blobs WHERE size = 1000`);
  },
  "a limit changes": (db) => {
    db.exec(`UPDATE organization_storage SET byte_limit = 123456 WHERE uid = '${root}';
      UPDATE quotas SET quota_limit = 901 WHERE organization = '${root}' AND kind = 'repos';
      DELETE FROM quotas WHERE organization = '${root}' AND kind = 'tags';
      INSERT INTO quotas (organization, kind, quota_limit) VALUES ('${root}', 'roles', 77)`);
  },
  "an event comes": (db) => insertEvent(db, 31),
  "the sender continues": (db) => {
    db.exec("UPDATE delivery_cursor SET event_seq = 28");
    db.exec(
      "UPDATE deliveries SET state = 'delivered', due_time = NULL, end_time = 5, lease = '' WHERE event_seq = 3",
    );
  },
  "a token is used": (db) => {
    db.exec("UPDATE refresh_tokens SET use_time = 55 WHERE digest = 'one'");
    db.exec("DELETE FROM refresh_tokens WHERE digest = 'two'");
  },
  "a pull is counted": (db) => {
    db.exec("UPDATE tag_pulls SET time = 500");
  },
  "a key is about to expire": (db) => {
    db.exec("UPDATE identities SET key_notice_time = 4e15 WHERE key_notice_time IS NOT NULL");
  },
  "an identity is deleted": (db) => {
    const gone = last("identities", "parent <> ''");
    db.exec(`DELETE FROM role_bindings WHERE identity_uid = ${gone}`);
    db.exec(`DELETE FROM identity_metadata WHERE uid = ${gone}`);
    db.exec(`DELETE FROM keys WHERE parent = ${gone}`);
    db.exec(`DELETE FROM identities WHERE uid = ${gone}`);
  },
};
