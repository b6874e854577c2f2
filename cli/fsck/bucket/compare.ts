/**
 * Compares the bucket with the rows of all databases, and reads blobs again. The platform can serve calls meanwhile, so
 * everything that looks wrong is looked at once more. Only a quarantine writes, and only with `isRepairing`.
 */
import type { R2Bucket } from "@cloudflare/workers-types";
import { run, type Sql } from "../../move/sql.ts";
import {
  type Damage,
  damageOf,
  digestText,
  type Fault,
  findDamage,
  quarantine,
  readBlob,
  reread,
  type StoredBlob,
} from "./blobs.ts";
import { type Listed, type Merged, merged, type ObjectRow } from "./merged.ts";

/** The stores to compare, and the number of blobs to read. */
export interface Comparison {
  databases: Map<string, Sql>;
  bucket: R2Bucket;
  /** The number of blobs whose bytes are read, chosen at random. Infinity for all. */
  sample: number;
  isRepairing: boolean;
}

/** A blob with damaged bytes. */
export interface DamagedBlob {
  database: string;
  digest: string;
  fault: Fault;
}

/** Some things, their number and their bytes. */
export interface Counted<Item> {
  count: number;
  bytes: number;
  /** The first {@link maxListed} of them. */
  first: Item[];
}

export interface Outcome {
  /** Objects in the bucket. */
  objects: { count: number; bytes: number };
  /** Objects that the clean-up deletes: those that nothing needs, since `idleTime`, and those without a row. */
  unneeded: Counted<{ key: string; size: number; database: string; idleTime: number }>;
  strays: Counted<{ key: string; size: number; uploaded: string }>;
  /** Blobs with bytes in R2, and how many of them were read. */
  blobs: { count: number; read: number };
  /** Blobs that were quarantined before. */
  quarantined: Counted<DamagedBlob>;
  damaged: Counted<DamagedBlob & Damage>;
  /** Blobs that R2 failed to return. They are not quarantined, because R2 may return them the next time. */
  unread: Counted<{ database: string; digest: string; reason: string }>;
}

/** The most things of one kind that an outcome names. */
const maxListed = 1000;

const newCounted = <Item>(): Counted<Item> => ({ count: 0, bytes: 0, first: [] });

function add<Item>(to: Counted<Item>, bytes: number, item: Item): void {
  to.count += 1;
  to.bytes += bytes;
  if (to.first.length < maxListed) to.first.push(item);
}

/** How long the clean-up waits for a request that writes an object, in milliseconds (src/distribution/cleanup.ts). */
const dayMs = 24 * 60 * 60 * 1000;

/** The stray objects that are looked at again at once. */
const strayPage = 100;

/** A blob to read. */
interface Choice {
  database: string;
  id: number;
}

class Comparing {
  readonly outcome: Outcome = {
    objects: { count: 0, bytes: 0 },
    unneeded: newCounted(),
    strays: newCounted(),
    blobs: { count: 0, read: 0 },
    quarantined: newCounted(),
    damaged: newCounted(),
    unread: newCounted(),
  };
  readonly #asked: Comparison;
  /** Objects without a row, until they are looked at again. */
  #strays: Listed[] = [];
  /** A random choice of the blobs so far: each is in it with the same probability. */
  #chosen: Choice[] = [];

  constructor(asked: Comparison) {
    this.#asked = asked;
  }

  #database(name: string): Sql {
    const database = this.#asked.databases.get(name);
    if (!database) throw new Error(`there is no database ${name}`);
    return database;
  }

  async run(): Promise<Outcome> {
    const { databases, bucket } = this.#asked;
    for (const [name, database] of databases) await this.#listQuarantined(name, database);
    for await (const item of merged(bucket, databases)) await this.#look(item);
    await this.#confirmStrays();
    for (const choice of this.#chosen) await this.#read(choice);
    return this.outcome;
  }

  async #listQuarantined(database: string, sql: Sql): Promise<void> {
    for (let after = 0; ; ) {
      const rows = await run(
        sql,
        `SELECT id, ${digestText}, size, fault FROM blobs WHERE fault IS NOT NULL AND id > ? ORDER BY id LIMIT 1000`,
        after,
      );
      for (const row of rows) {
        const blob = { database, digest: String(row.digest), fault: row.fault as Fault };
        add(this.outcome.quarantined, Number(row.size), blob);
      }
      if (rows.length < 1000) return;
      after = Number(rows.at(-1)?.id);
    }
  }

  async #look({ key, object, rows }: Merged): Promise<void> {
    const { objects, unneeded } = this.outcome;
    if (object) {
      objects.count += 1;
      objects.bytes += object.size;
      if (rows.length === 0) this.#strays.push(object);
      if (this.#strays.length === strayPage) await this.#confirmStrays();
    }
    const [first] = rows;
    if (first && rows.every(({ row }) => isUnneeded(row))) {
      const { database, row } = first;
      add(unneeded, row.size, { key, size: row.size, database, idleTime: row.idleTime ?? 0 });
    }
    for (const { database, row } of rows) {
      if (row.blob === null) continue;
      if (damageOf(row, object)) await this.#confirmDamage({ database, id: row.blob }, key);
      if (row.firstByte === 0) await this.#choose({ database, id: row.blob });
    }
  }

  /** Objects that are still there, and still have no row. */
  async #confirmStrays(): Promise<void> {
    const { bucket, databases } = this.#asked;
    const strays = this.#strays;
    this.#strays = [];
    const there = await Promise.all(strays.map(({ key }) => bucket.head(key)));
    const keys = JSON.stringify(strays.map(({ key }) => key));
    const sql = "SELECT key FROM objects WHERE key IN (SELECT value FROM json_each(?))";
    const known = await Promise.all(
      [...databases.values()].map((database) => run(database, sql, keys)),
    );
    const withRow = new Set(known.flat().map(({ key }) => key));
    for (const [index, { key, size, uploaded }] of strays.entries()) {
      if (!there[index] || withRow.has(key)) continue;
      add(this.outcome.strays, size, { key, size, uploaded: uploaded.toISOString() });
    }
  }

  /** A blob with several damaged objects is damaged once: when the first of them is compared. */
  async #confirmDamage({ database, id }: Choice, key: string): Promise<void> {
    const blob = await readBlob(this.#database(database), id);
    const damage = blob && (await findDamage(this.#asked.bucket, blob));
    if (blob && damage?.key === key) await this.#note(database, blob, damage);
  }

  async #note(database: string, blob: StoredBlob, { fault, wrong }: Damage): Promise<void> {
    const { isRepairing } = this.#asked;
    if (!(await quarantine(this.#database(database), blob, fault, isRepairing))) return;
    add(this.outcome.damaged, blob.size, { database, digest: blob.digest, fault, wrong });
  }

  async #choose(choice: Choice): Promise<void> {
    const { sample } = this.#asked;
    this.outcome.blobs.count += 1;
    if (sample === Number.POSITIVE_INFINITY) return this.#read(choice);
    if (this.#chosen.length < sample) {
      this.#chosen.push(choice);
      return;
    }
    const index = Math.floor(Math.random() * this.outcome.blobs.count);
    if (index < sample) this.#chosen[index] = choice;
  }

  async #read({ database, id }: Choice): Promise<void> {
    const blob = await readBlob(this.#database(database), id);
    if (!blob) return;
    this.outcome.blobs.read += 1;
    const damage = await reread(this.#asked.bucket, blob).catch((thrown: unknown) => {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      add(this.outcome.unread, blob.size, { database, digest: blob.digest, reason });
    });
    if (damage) await this.#note(database, blob, damage);
  }
}

/** Whether the clean-up deletes the object of a row, at once or when a day has passed. */
const isUnneeded = ({ blob, upload, idleTime }: ObjectRow) =>
  blob === null && idleTime !== null && (upload === null || idleTime < Date.now() - dayMs);

/** Compares everything, page by page. Throws what the databases throw, and what R2 throws when it lists objects. */
export const compareBucket = (asked: Comparison): Promise<Outcome> => new Comparing(asked).run();
