import type { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { childUid, hash, insertRow } from "../fsck/world.ts";
import { faultsIn, newWorld, root, snapshot } from "./world.ts";

let world: Awaited<ReturnType<typeof newWorld>>;
beforeAll(async () => {
  world = await newWorld();
});
afterAll(() => world.remove());

test("a move copies every row of every table with its uid, and leaves none behind", async () => {
  const pair = world.open();
  const before = snapshot(pair.source);
  const empty = Object.entries(before).filter(([, rows]) => rows.length === 0);
  expect(empty.map(([table]) => table)).toEqual([]);
  const moved = await pair.move();
  expect([moved.from, moved.to, pair.location()]).toEqual(["DB_2", "DB", "DB"]);
  expect(snapshot(pair.target)).toEqual(before);
  const after = Object.entries(snapshot(pair.source)).filter(([, rows]) => rows.length > 0);
  expect(after).toEqual([]);
  pair.close();
});

test("an organization above its quotas moves with them, and its new database keeps it from growing", async () => {
  const pair = world.open();
  const kinds = "'repos', 'tags', 'document_bytes', 'open_uploads', 'identities'";
  pair.source.exec(`INSERT OR REPLACE INTO quotas (organization, kind, quota_limit)
    SELECT '${root}', kind, iif(kind = 'tags', 1, 0) FROM quotas WHERE organization = '' AND kind IN (${kinds});
    UPDATE counts SET warning = 2 WHERE ancestor = '${root}' AND descendants > 0 AND kind IN (${kinds})`);
  const before = snapshot(pair.source);
  await pair.move();
  expect(snapshot(pair.target)).toEqual(before);
  const grow = () => insertRow(pair.target, "repos", { uid: childUid(root, 0xff), name: "new" });
  expect(grow).toThrow(new RegExp(`over quota repos 0 \\d+ ${root}`));
  const warned = "SELECT DISTINCT warning FROM counts WHERE kind = 'repos' AND ancestor = ?";
  expect(pair.target.prepare(warned).all(root)).toEqual([{ warning: 2 }]);
  pair.close();
});

test("fsck finds no fault in either database after a move", async () => {
  const pair = world.open();
  const before = await faultsIn(pair.source);
  await pair.move();
  expect(await faultsIn(pair.target)).toEqual(before);
  expect(await faultsIn(pair.source)).toEqual({});
  pair.close();
});

test("a move waits until the schedule has removed deleted repositories, and then continues", async () => {
  const pair = world.open();
  const mark = () =>
    pair.source.exec(
      `INSERT INTO deletions (uid, name, time, identity_uid, identity_name) VALUES ('${root}/${"9".repeat(16)}', 'large', 1, '', '')`,
    );
  mark();
  await expect(pair.move()).rejects.toThrow("not removed yet: large");
  pair.source.exec("DELETE FROM deletions WHERE name = 'large'");
  let isMarked = false;
  const markLate = (step: string) => {
    if (isMarked || step !== "pause") return;
    isMarked = true;
    mark();
  };
  await expect(pair.move({ onStep: markLate })).rejects.toThrow("not removed yet: large");
  expect([isMarked, pair.location()]).toEqual([true, "DB_2"]);
  pair.source.exec("DELETE FROM deletions WHERE name = 'large'");
  await pair.move();
  expect(pair.location()).toBe("DB");
  pair.close();
});

test("an organization that moves away and back is the same as before", async () => {
  const pair = world.open();
  const before = snapshot(pair.source);
  await pair.move();
  await pair.move({ to: "DB_2" });
  expect(pair.location()).toBe("DB_2");
  expect(snapshot(pair.source)).toEqual(before);
  pair.close();
});

test("events that were sent keep a place before all others, and those that wait come after the cursor", async () => {
  const pair = world.open();
  await pair.move();
  const rows = pair.target
    .prepare(
      "SELECT id, seq, (SELECT event_seq FROM delivery_cursor) AS cursor FROM events ORDER BY seq",
    )
    .all();
  const waiting = rows.filter(({ seq, cursor }) => Number(seq) > Number(cursor));
  expect(waiting.map(({ id }) => id)).toEqual([26, 27, 28, 29, 30].map((n) => `id-${n}`));
  expect(rows.filter(({ seq }) => Number(seq) < 0)).toHaveLength(25);
  pair.close();
});

test("the old database says that the organization has departed, and has no triggers of the move", async () => {
  const pair = world.open();
  await pair.move();
  expect(pair.source.prepare("SELECT uid, state FROM organization_moves").all()).toEqual([
    { uid: root, state: "departed" },
  ]);
  expect(pair.target.prepare("SELECT uid FROM organization_moves").all()).toEqual([]);
  const triggers = "SELECT name FROM sqlite_master WHERE name LIKE 'move%'";
  expect(pair.source.prepare(triggers).all()).toEqual([]);
  pair.close();
});

/** Gives a blob of the organization to another organization of the target, with bytes of its own. */
function shareBlob(db: DatabaseSync, fault: string | null): void {
  const size = "(SELECT id FROM blobs WHERE size = 1000)";
  db.exec(`INSERT INTO organization_storage (uid) VALUES ('${"b".repeat(40)}');
    INSERT INTO blobs (digest, size) VALUES (unhex('${hash("layer")}'), 1000);
    INSERT INTO objects (key, blob_id, size, etag) VALUES ('own', ${size}, 1000, 'e');
    INSERT INTO organization_blobs VALUES ((SELECT max(id) FROM organization_storage), ${size}, 1, 99)`);
  db.prepare("UPDATE blobs SET fault = ? WHERE size = 1000").run(fault);
}

const objectsOf = (db: DatabaseSync) =>
  db
    .prepare(
      `SELECT key, fault, organization_id IS NULL AS is_free FROM objects
        JOIN blobs ON blobs.id = blob_id WHERE blobs.size = 1000 ORDER BY key`,
    )
    .all()
    .map((row) => ({ ...row }));

test("a blob that another organization of the new database has keeps its bytes there, unless they are damaged", async () => {
  const sound = world.open();
  shareBlob(sound.target, null);
  await sound.move();
  expect(objectsOf(sound.target)).toEqual([{ key: "own", fault: null, is_free: 1 }]);
  sound.close();
  const damaged = world.open();
  shareBlob(damaged.target, "missing");
  await damaged.move();
  expect(objectsOf(damaged.target)).toEqual([
    { key: "x1", fault: null, is_free: 1 },
    { key: "x2", fault: null, is_free: 1 },
  ]);
  const released = "SELECT key FROM objects WHERE blob_id IS NULL AND idle_time > 1";
  expect(damaged.target.prepare(released).all()).toMatchObject([{ key: "own" }]);
  damaged.close();
});

test("an object whose row the new database was about to delete is needed there again", async () => {
  const pair = world.open();
  for (const [key, time] of [
    ["x1", 1],
    ["u31", 0],
  ])
    pair.target
      .prepare("INSERT INTO objects (key, size, idle_time) VALUES (?, 5, ?)")
      .run(String(key), Number(time));
  const before = snapshot(pair.source);
  await pair.move();
  expect(snapshot(pair.target)).toEqual(before);
  const unneeded = "SELECT key FROM objects WHERE idle_time IS NOT NULL";
  expect(pair.target.prepare(unneeded).all()).toEqual([]);
  pair.close();
});
