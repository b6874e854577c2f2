/**
 * The rows of R2 objects (schema/tables/distribution/objects.ts). The row of an object is written before the object,
 * and reserves its bytes. Only the request that wrote the row knows the key, and only it can give the object to an
 * upload or a blob.
 */
import { and, eq, gt, inArray, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";
import { objects, RELEASED } from "../../../schema/tables/distribution/objects.ts";
import { organizationStorage } from "../../../schema/tables/distribution/storage.ts";
import { uploads } from "../../../schema/tables/distribution/uploads.ts";
import { insertFrom } from "../../aip/insert_from.ts";
import { toHex } from "../../aip/sha256.ts";
import { StaleError } from "../../aip/stale.ts";
import { rootOf } from "../../aip/uid_path.ts";
import type { Database } from "../../auth/call.ts";
import { commit, onlyIfChanged, type Statement } from "../../outbox/commit.ts";
import type { RegistryContext } from "../context.ts";
import { storageLimitReached } from "../errors.ts";
import { createStorage, isWithinLimit, storedBytes } from "./rows.ts";
import type { Piece } from "./storage.ts";

/** A key that no other request can guess: 32 random hexadecimal digits. */
const newKey = () => toHex(crypto.getRandomValues(new Uint8Array(16)));

/** The condition that an object has one of the keys. */
export const isOneOf = (keys: string[]) =>
  inArray(objects.key, sql`(select value from json_each(${JSON.stringify(keys)}))`);

/** The condition that an object is a piece of the upload. */
export const isPieceOf = (upload: string) =>
  and(eq(objects.upload, upload), isNull(objects.idleTime));

/** Where an object that is being written belongs. */
interface Owner {
  repo: string;
  /** The upload at the version that the request has read. Undefined for a manifest. */
  upload?: { id: string; chunks: number };
  /** The bytes that the organization may have. Undefined for any number. */
  limit: number | undefined;
}

/** How long a request writes an object before it says again that it still does, in milliseconds. */
export const renewAfter = 60 * 60 * 1000;

/** The row of an object that this request writes. */
export class Reservation {
  readonly key = newKey();
  /** The bytes that are reserved so far. */
  bytes = 0;
  /** True as soon as the row may be there. */
  #isWritten = false;
  readonly #context: RegistryContext;
  readonly #owner: Owner;

  constructor(context: RegistryContext, owner: Owner) {
    this.#context = context;
    this.#owner = owner;
  }

  /**
   * Reserves a number of bytes in all. `multipart` is the id of the multipart upload, once it has begun. Throws DENIED
   * if the organization may not have the bytes, and Stale if the upload has changed or ended.
   */
  async extend(bytes: number, multipart: string | null): Promise<void> {
    const { db } = this.#context;
    const { repo, limit } = this.#owner;
    const isNew = !this.#isWritten;
    const [first, ...rest] = [
      ...(isNew ? this.#insert(bytes, multipart) : [this.#update(bytes, multipart)]),
      onlyIfChanged(db),
      ...(limit === undefined ? [] : [isWithinLimit(db, repo, limit)]),
    ] as [Statement, ...Statement[]];
    this.#isWritten = true;
    try {
      await commit({ db }, [first, ...rest]);
      this.bytes = bytes;
    } catch (thrown) {
      if (!(thrown instanceof StaleError)) throw thrown;
      this.#isWritten = !isNew;
      await this.#requireRoomFor(bytes);
      throw thrown;
    }
  }

  /** Throws DENIED if the limit is the reason why a batch was undone. */
  async #requireRoomFor(bytes: number): Promise<void> {
    const { repo, limit } = this.#owner;
    if (limit === undefined) return;
    const [stored] = await this.#context.db
      .select({ bytes: storedBytes.as("bytes") })
      .from(organizationStorage)
      .where(eq(organizationStorage.uid, rootOf(repo)));
    if ((stored?.bytes ?? 0) + bytes - this.bytes > limit) throw storageLimitReached(limit);
  }

  #insert(size: number, multipart: string | null): Statement[] {
    const { db } = this.#context;
    const { repo, upload } = this.#owner;
    const row = { key: this.key, size, multipart, idleTime: Date.now() };
    if (upload) {
      const own = { organization: sql`${uploads.organization}`, upload: sql`${uploads.id}` };
      const isSame = and(eq(uploads.id, upload.id), eq(uploads.chunks, upload.chunks));
      return [
        insertFrom(db, objects, { ...row, ...own }, sql`from ${uploads} where ${isSame}`),
      ] as Statement[];
    }
    const own = { organization: sql`${organizationStorage.id}` };
    const source = sql`from ${organizationStorage} where ${eq(organizationStorage.uid, rootOf(repo))}`;
    return [
      ...createStorage(db, repo),
      insertFrom(db, objects, { ...row, ...own }, source),
    ] as Statement[];
  }

  #update(size: number, multipart: string | null): Statement {
    return this.#context.db
      .update(objects)
      .set({ size, multipart, idleTime: Date.now() })
      .where(isBeingWritten(this.key));
  }

  /** Deletes the object, unless an upload or a blob has it. */
  async discard(): Promise<void> {
    if (this.#isWritten) await discardObjects(this.#context, [this.key]);
  }
}

/** SQL: whether a request writes an object of the upload. `now` is in milliseconds since 1970 in UTC. */
export const isBeingWrittenTo = (now: number) =>
  sql`exists (select 1 from ${objects} where ${objects.upload} = ${uploads.id}
    and ${objects.idleTime} > ${now - 2 * renewAfter})`;

/** The statement that no longer counts the bytes of an upload, because they are deleted at once. */
export const dropReserved = (db: Database, upload: string): Statement =>
  db.update(objects).set({ organization: null }).where(eq(objects.upload, upload));

/** The condition that the request still may keep the object that it has written. */
const isBeingWritten = (key: string) =>
  and(eq(objects.key, key), isNull(objects.blob), gt(objects.idleTime, RELEASED));

/** The statement that makes the written object a piece of its upload. {@link onlyIfChanged} must follow. */
export const keepPiece = (
  db: Database,
  { key, size, etag }: Piece,
  { id, start }: { id: string; start: number },
): Statement =>
  db
    .update(objects)
    .set({ start, size, etag, multipart: null, idleTime: null })
    .where(and(isBeingWritten(key), eq(objects.upload, id)));

/** The statement that gives the written object to a blob. {@link onlyIfChanged} must follow. `upload` is null for a manifest. */
export const giveWritten = (
  db: Database,
  { key, size, etag }: Piece,
  { upload, start, blob }: { upload: string | null; start: number; blob: SQL<number> },
): Statement =>
  db
    .update(objects)
    .set({
      blob,
      upload: null,
      organization: null,
      start,
      size,
      etag,
      multipart: null,
      idleTime: null,
    })
    .where(and(isBeingWritten(key), sql`${objects.upload} is ${upload}`));

/** The statement that gives all pieces of an upload to a blob. */
export const givePieces = (db: Database, upload: string, blob: SQL<number>): Statement =>
  db.update(objects).set({ blob, upload: null, organization: null }).where(isPieceOf(upload));

/** The statement that takes one piece from an upload. Nothing needs it any more. */
export const dropPiece = (db: Database, key: string): Statement =>
  db
    .update(objects)
    .set({ upload: null, idleTime: Date.now() })
    .where(and(eq(objects.key, key), isNull(objects.blob)));

/** The statement that takes the objects from a blob, because new bytes replace them. */
export const dropBytes = (db: Database, blob: SQL<number>): Statement =>
  db.update(objects).set({ blob: null, idleTime: Date.now() }).where(eq(objects.blob, blob));

/**
 * Deletes objects that no one can have read, which were written for nothing. Objects that an upload or a blob has
 * stay. It asks D1 first, because this request may not know whether its last batch took effect.
 */
export async function discardObjects(
  { db, storage }: Pick<RegistryContext, "db" | "storage">,
  keys: string[],
): Promise<void> {
  if (keys.length === 0) return;
  const isFree = and(isNull(objects.blob), or(isNull(objects.upload), isNotNull(objects.idleTime)));
  const released = await db
    .update(objects)
    .set({ upload: null, idleTime: RELEASED })
    .where(and(isOneOf(keys), isFree))
    .returning({ key: objects.key, multipart: objects.multipart });
  await deleteFromBucket({ storage }, released);
  await deleteRows(db, released);
}

/** Deletes objects from R2, and ends their multipart uploads. It can be repeated. */
export async function deleteFromBucket(
  { storage }: Pick<RegistryContext, "storage">,
  released: { key: string; multipart: string | null }[],
): Promise<void> {
  for (const { key, multipart } of released) {
    if (multipart !== null) await storage.resumeMultipart(key, multipart).abort();
  }
  if (released.length > 0) await storage.delete(released.map(({ key }) => key));
}

/** Deletes the rows of objects that nothing needs and that are not in R2 any more. */
export async function deleteRows(db: Database, released: { key: string }[]): Promise<void> {
  if (released.length === 0) return;
  const isListed = isOneOf(released.map(({ key }) => key));
  await db.delete(objects).where(and(isListed, isNull(objects.blob), isNull(objects.upload)));
}
