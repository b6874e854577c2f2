/**
 * Keeps the local database readable on a full disk. Left alone, it is not: workerd writes a bookmark
 * with each read of a local D1, and makes its -wal and -shm files anew after ten idle seconds.
 *
 * So this process has the database open too, which keeps both files, and gives the -wal file room
 * from the start. While there is little room on the disk, writes are refused in SQLite's own words for
 * a full disk. A file beside the database is deleted then, so that what was written last can leave
 * the -wal file for the database, which may have to grow by it.
 */
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { refusedFailure } from "../failure.ts";

const MiB = 1024 * 1024;

/** Of the -wal file, and of the file beside: more than the 4 MiB at which SQLite empties the former. */
const walReserveBytes = 6 * MiB;

/**
 * Free bytes: to start; below which writes are refused, and from which they go on; below which the
 * -wal file is emptied at every look.
 */
const thresholds = {
  start: 32 * MiB,
  refuse: 8 * MiB,
  goOn: 8 * MiB + walReserveBytes,
  near: 256 * MiB,
};

/** Milliseconds between two looks at the disk. */
const interval = 500;

/** Milliseconds to wait for a Worker that still writes: that of a start which was killed just before. */
const timeoutMs = 2_000;

/** Tables that tokens are exchanged by, which goes on as reads do. */
const exemptTables = ["refresh_tokens"];

/** Free bytes of the disk that a path is on, or will be; Infinity where the disk does not say. */
export function freeBytes(path: string): number {
  const parent = dirname(path);
  if (!existsSync(path) && parent !== path) return freeBytes(parent);
  const { bavail, blocks, bsize } = statfsSync(path);
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
}

/** Refuses to start with too little room for a first start, so that none ends half done. */
export function requireFreeSpace(path: string, free = freeBytes): void {
  const bytes = free(path);
  if (bytes >= thresholds.start) return;
  throw refusedFailure(
    "DISK",
    `The disk of ${path} is full: ${inMiB(bytes)} are free, and a start takes ${inMiB(thresholds.start)}. ` +
      "Make room, then start again; nothing was changed.",
  );
}

const inMiB = (bytes: number) => `${Math.floor(bytes / MiB)} MiB`;

/** Path of the database in the folder that wrangler keeps it in, or undefined before there is one. */
export function databaseFile(folder: string): string | undefined {
  const inside = join(folder, "v3/d1/miniflare-D1DatabaseObject");
  if (!existsSync(inside)) return undefined;
  const name = readdirSync(inside).find((one) => /^[0-9a-f]{64}\.sqlite$/.test(one));
  return name && join(inside, name);
}

const reserveOf = (file: string) => `${file}-reserve`;

/** Takes away what a guard that was killed has left in the way of writes. */
export function allowWrites(file: string): void {
  const db = new DatabaseSync(file, { timeout: timeoutMs });
  dropTriggers(db);
  db.close();
  rmSync(reserveOf(file), { force: true });
}

export interface DiskGuard {
  /** Looks at the disk now. It is looked at by itself, every half second. */
  look(): void;
  close(): void;
}

/**
 * Guards a database until it is closed. Start it before the Worker, as making room takes the write
 * lock, which workerd does not wait for. `print` is called when writes are refused or go on.
 */
export function startDiskGuard(
  file: string,
  print: (line: string) => void,
  free = freeBytes,
): DiskGuard {
  const db = new DatabaseSync(file, { timeout: timeoutMs });
  makeWalRoom(db);
  // From here on, waiting would hold up every connection to the platform.
  db.exec("pragma busy_timeout = 0");
  writeReserve(file);
  let isFull = false;
  const turn = (bytes: number) => {
    if (isFull) {
      dropTriggers(db);
      writeReserve(file);
    } else {
      rmSync(reserveOf(file), { force: true });
      createTriggers(db);
    }
    isFull = !isFull;
    const left = `the disk of ${dirname(file)} has ${inMiB(bytes)} left`;
    print(isFull ? `Storage is full: ${left}. Writes are refused.` : `Writes go on: ${left}.`);
  };
  const look = () => {
    try {
      const bytes = free(file);
      if (isFull ? bytes >= thresholds.goOn : bytes < thresholds.refuse) turn(bytes);
      // What the database is to grow by must not wait for a moment without room.
      if (bytes < thresholds.near) db.exec("pragma wal_checkpoint(passive)");
    } catch {
      // workerd is writing, or somebody was faster to take the room: the next look comes soon.
    }
  };
  const timer = setInterval(look, interval).unref();
  return {
    look,
    close() {
      clearInterval(timer);
      try {
        if (isFull) dropTriggers(db);
      } catch {
        // The next start does it.
      }
      db.close();
      rmSync(reserveOf(file), { force: true });
    },
  };
}

/** Pages that the cache cannot hold go into the -wal file; undone, they leave it as large. */
function makeWalRoom(db: DatabaseSync): void {
  db.exec("pragma cache_size = 16");
  db.exec("begin immediate");
  db.exec(`create table wal_room as select zeroblob(${walReserveBytes}) as room`);
  db.exec("rollback");
}

/** Of random bytes, as there are disks that keep no zeros. */
function writeReserve(file: string): void {
  writeFileSync(reserveOf(file), randomBytes(walReserveBytes));
}

function createTriggers(db: DatabaseSync): void {
  const tables = db
    .prepare(
      `select name from sqlite_schema where type = 'table' and name not glob 'sqlite_*'
         and name not glob '_cf_*' and name not in (select value from json_each(?))`,
    )
    .all(JSON.stringify(exemptTables));
  inTransaction(
    db,
    tables.map(
      ({ name }) => `create trigger if not exists storage_full_${name} before insert on ${name}
        begin select raise(abort, 'database or disk is full'); end`,
    ),
  );
}

function dropTriggers(db: DatabaseSync): void {
  const triggers = db
    .prepare("select name from sqlite_schema where type = 'trigger' and name glob 'storage_full_*'")
    .all();
  inTransaction(
    db,
    triggers.map(({ name }) => `drop trigger ${name}`),
  );
}

/** Runs the statements in one transaction: all or none. */
function inTransaction(db: DatabaseSync, statements: string[]): void {
  if (statements.length === 0) return;
  try {
    db.exec(["begin immediate", ...statements, "commit"].join(";"));
  } catch (error) {
    if (db.isTransaction) db.exec("rollback");
    throw error;
  }
}
