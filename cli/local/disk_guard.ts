/**
 * Keeps the local database readable when the disk is full. Without this guard, reads would fail, because workerd
 * writes a bookmark with each read of a local D1. It also creates the -wal and -shm files again after ten idle seconds.
 *
 * This process therefore also has the database open, which keeps both files, and reserves space in the -wal file from
 * the start. While the disk has little space, writes fail with SQLite's own message for a full disk. A reserve file
 * next to the database is deleted then. Its space lets the database grow by the last writes, which are still in the
 * -wal file.
 */
import { randomBytes } from "node:crypto";
import { existsSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { refusedFailure } from "../failure.ts";

const MiB = 1024 * 1024;

/**
 * The size of the -wal file and of the reserve file. It is more than the 4 MiB at which SQLite empties the -wal file.
 */
const walReserveBytes = 6 * MiB;

/**
 * Limits in free bytes. `start` is the minimum to start. Writes fail below `refuse` and continue from `goOn`. Below
 * `near`, every check empties the -wal file.
 */
const thresholds = {
  start: 32 * MiB,
  refuse: 8 * MiB,
  goOn: 8 * MiB + walReserveBytes,
  near: 256 * MiB,
};

/** The milliseconds between two checks of the disk. */
const interval = 500;

/** In milliseconds: how long to wait for a Worker that still writes, because its `npm start` was just killed. */
const timeoutMs = 2_000;

/** Tables that the exchange of tokens needs. It continues, as reads do. */
const exemptTables = ["refresh_tokens"];

/**
 * Returns the free bytes of the disk of a path that exists or will exist, or Infinity if the disk does not report them.
 */
export function freeBytes(path: string): number {
  const parent = dirname(path);
  if (!existsSync(path) && parent !== path) return freeBytes(parent);
  const { bavail, blocks, bsize } = statfsSync(path);
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
}

/** Throws a Failure if there is too little space for a first start, so that no start ends halfway. */
export function requireFreeSpace(path: string, free = freeBytes): void {
  const bytes = free(path);
  if (bytes >= thresholds.start) return;
  throw refusedFailure(
    "DISK",
    `The disk of ${path} is full: ${inMiB(bytes)} are free, but the platform needs ${inMiB(thresholds.start)} to start. ` +
      "Free some space and start again. Nothing was changed.",
  );
}

const inMiB = (bytes: number) => `${Math.floor(bytes / MiB)} MiB`;

const reserveOf = (file: string) => `${file}-reserve`;

/** Removes the triggers that a killed guard has left behind and that block writes. */
export function allowWrites(file: string): void {
  const db = new DatabaseSync(file, { timeout: timeoutMs });
  dropTriggers(db);
  db.close();
  rmSync(reserveOf(file), { force: true });
}

export interface DiskGuard {
  /** Checks the disk now. It is also checked every half second. */
  look(): void;
  close(): void;
}

/**
 * Guards a database until it is closed. Start the guard before the Worker, because reserving space takes the write
 * lock, which workerd does not wait for. `print` is called when writes begin to fail and when they continue.
 */
export function startDiskGuard(
  file: string,
  print: (line: string) => void,
  free = freeBytes,
): DiskGuard {
  const db = new DatabaseSync(file, { timeout: timeoutMs });
  makeWalRoom(db);
  // From here on, waiting would delay every connection to the platform.
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
    print(
      isFull
        ? `Storage is full: ${left}. Writes fail until there is more space.`
        : `Writes continue: ${left}.`,
    );
  };
  const look = () => {
    try {
      const bytes = free(file);
      if (isFull ? bytes >= thresholds.goOn : bytes < thresholds.refuse) turn(bytes);
      // The data that makes the database grow must be written while there is space.
      if (bytes < thresholds.near) db.exec("pragma wal_checkpoint(passive)");
    } catch {
      // workerd is writing, or another program took the space first. The next check follows soon.
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

/** Pages that do not fit in the cache go to the -wal file. A rollback leaves the file at that size. */
function makeWalRoom(db: DatabaseSync): void {
  db.exec("pragma cache_size = 16");
  db.exec("begin immediate");
  db.exec(`create table wal_room as select zeroblob(${walReserveBytes}) as room`);
  db.exec("rollback");
}

/** The bytes are random, because some disks do not store zeros. */
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

/** Runs the statements in one transaction, all or none. */
function inTransaction(db: DatabaseSync, statements: string[]): void {
  if (statements.length === 0) return;
  try {
    db.exec(["begin immediate", ...statements, "commit"].join(";"));
  } catch (error) {
    if (db.isTransaction) db.exec("rollback");
    throw error;
  }
}
