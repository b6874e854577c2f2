/** Reads the bucket and the rows of objects at the same time, in the order of their keys. */
import type { R2Bucket } from "@cloudflare/workers-types";
import { run, type Sql } from "../../move/sql.ts";

/** The objects or rows of one page. R2 returns at most 1000 objects. */
const pageSize = 1000;

/** An object in the bucket. */
export interface Listed {
  key: string;
  size: number;
  etag: string;
  uploaded: Date;
}

/** A row of `objects` (schema/tables/distribution/objects.ts). */
export interface ObjectRow {
  key: string;
  size: number;
  etag: string | null;
  blob: number | null;
  upload: string | null;
  firstByte: number;
  idleTime: number | null;
}

async function* listed(bucket: R2Bucket): AsyncGenerator<Listed> {
  for (let after = ""; ; ) {
    const page = await bucket.list({ limit: pageSize, ...(after && { startAfter: after }) });
    yield* page.objects;
    const last = page.objects.at(-1);
    if (!page.truncated || !last) return;
    after = last.key;
  }
}

async function* rowsOf(database: Sql): AsyncGenerator<ObjectRow> {
  for (let after = ""; ; ) {
    const rows = (await run(
      database,
      `SELECT key, size, etag, blob_id AS blob, upload_id AS upload, first_byte AS firstByte, idle_time AS idleTime
        FROM objects WHERE key > ? ORDER BY key LIMIT ${pageSize}`,
      after,
    )) as unknown as ObjectRow[];
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < pageSize) return;
    after = last.key;
  }
}

/** A key, its object if the bucket has one, and its rows with the names of their databases. */
export interface Merged {
  key: string;
  object: Listed | undefined;
  rows: { database: string; row: ObjectRow }[];
}

/** SQLite and R2 compare the bytes of keys. Someone else's keys can have any characters. */
const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** A reader with the item that it has read last. */
class Head<Item extends { key: string }> {
  item: Item | undefined;
  readonly #source: AsyncGenerator<Item>;

  constructor(source: AsyncGenerator<Item>) {
    this.#source = source;
  }

  async advance(): Promise<void> {
    const { value, done } = await this.#source.next();
    this.item = done ? undefined : value;
  }

  /** The item if it has this key. The next one is read then. */
  async take(key: string): Promise<Item | undefined> {
    const { item } = this;
    if (item?.key !== key) return undefined;
    await this.advance();
    return item;
  }
}

/** Every key of the bucket and of the databases, once and in order. Keeps one page of each. */
export async function* merged(
  bucket: R2Bucket,
  databases: Map<string, Sql>,
): AsyncGenerator<Merged> {
  const objects = new Head(listed(bucket));
  const rows = [...databases].map(([name, database]) => ({
    name,
    head: new Head(rowsOf(database)),
  }));
  const heads = [objects, ...rows.map(({ head }) => head)];
  for (const head of heads) await head.advance();
  for (;;) {
    const keys = heads.flatMap(({ item }) => (item ? [item.key] : []));
    const [key] = keys.sort(compare);
    if (key === undefined) return;
    const entry: Merged = { key, object: await objects.take(key), rows: [] };
    for (const { name, head } of rows) {
      const row = await head.take(key);
      if (row) entry.rows.push({ database: name, row });
    }
    yield entry;
  }
}
