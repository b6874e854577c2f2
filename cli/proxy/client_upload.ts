/** An upload of a client: its bytes wait on disk until the registry has them. */
import { withAttempts } from "../images/attempts.ts";
import { findOffset, type Send, sendBytes, type Upload } from "../images/chunks.ts";
import { offersDirectUploads } from "../images/direct_upload.ts";
import { refusal } from "./errors.ts";
import { Spool, type SpoolSpace } from "./spool.ts";
import type { Transfer, Transfers } from "./transfers.ts";
import { newTurns } from "./turns.ts";
import { sendWhole, type WholeSetting } from "./whole_layer.ts";

/** The setting of all uploads. */
export type UploadsSetting = WholeSetting & {
  /** For the layers that go to R2 directly. Their size and digest must be known before. */
  space: SpoolSpace;
  transfers: Transfers;
};

/** The body of a request. `isCut` says whether the client left before its end. */
export type ClientBody = {
  chunks: AsyncIterable<Buffer>;
  isCut: () => boolean;
  /** In bytes. Undefined if the client does not say it. */
  length: number | undefined;
  /** The first byte, by its Content-Range. */
  first: number | undefined;
};

/** In bytes: those that the registry has or is being sent, and those that have arrived. */
type Known = { handedOver: number; arrived: number };

/**
 * Takes the bytes of a client faster than the registry does, by two chunks at most. A layer that goes to R2 directly
 * waits for its end.
 */
export class ClientUpload {
  readonly name: string;
  /** The path of the upload, for the client and for the registry. */
  readonly path: string;
  readonly #inTurn = newTurns(1);
  /** The requests that use the upload or wait for their turn. */
  #users = 0;
  #usedAt = Date.now();
  readonly #setting: UploadsSetting;
  readonly #location: string;
  readonly #upload: Upload;
  readonly #transfer: Transfer;
  /** Undefined if only the registry knows it. */
  #known: Known | undefined;
  #piece: Spool | undefined;
  #sending: Promise<void> = Promise.resolve();
  /** In bytes: the piece may not become larger than this. */
  #limit: number;
  /** Whether the piece is the whole layer. Undefined as long as it is not large. */
  #isWhole: boolean | undefined;

  /** `isNew` says that the registry has no bytes of it. */
  constructor(setting: UploadsSetting, name: string, location: string, isNew: boolean) {
    this.#setting = setting;
    this.name = name;
    this.#location = location;
    this.path = new URL(location).pathname + new URL(location).search;
    const { chunkSize } = setting;
    this.#limit = chunkSize;
    this.#upload = { location, etags: [], offset: 0, chunkSize };
    this.#transfer = setting.transfers.begin(name);
    if (isNew) this.#known = { handedOver: 0, arrived: 0 };
  }

  /** The bytes that have arrived, if some of them wait for the end of the layer. Otherwise the registry knows it. */
  get waiting(): number | undefined {
    return this.#isWhole ? this.#known?.arrived : undefined;
  }

  /** Whether the next request can continue without a question to the registry. */
  get isKnown(): boolean {
    return this.#known !== undefined;
  }

  /** For how long no request has used it, in milliseconds. */
  get idleTime(): number {
    return this.#users > 0 ? 0 : Date.now() - this.#usedAt;
  }

  /** Runs the work of one request after those that came before. */
  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#users++;
    try {
      return await this.#inTurn(work);
    } finally {
      this.#users--;
      this.#usedAt = Date.now();
    }
  }

  /** Takes bytes. Returns how many the upload has. Throws the error for the client. */
  append(body: ClientBody): Promise<number> {
    return this.#withBytes(body, async (known) => {
      await this.#take(body, known);
      if (!this.#isWhole) await this.#flush();
      return known.arrived;
    });
  }

  /** Takes the last bytes and ends the upload. Throws the error for the client. */
  finish(body: ClientBody, digest: string): Promise<void> {
    return this.#withBytes(body, async (known) => {
      await this.#take(body, known);
      if (body.isCut()) return this.#isWhole ? undefined : this.#flush();
      if (this.#isWhole) await this.#sendWhole(digest);
      else {
        await this.#sending;
        await this.#sendPiece(this.#piece ?? (await Spool.open()), known.handedOver, digest);
        this.#piece = undefined;
      }
      this.#transfer.end(digest);
    });
  }

  /** Deletes the bytes that wait. The registry still has its own. */
  async forget(): Promise<void> {
    const isWhole = this.#isWhole;
    await this.#sending.catch(() => {});
    await this.#piece?.close();
    if (isWhole) this.#setting.space.give(this.#limit);
    this.#piece = undefined;
    this.#isWhole = undefined;
    this.#known = undefined;
    this.#limit = this.#setting.chunkSize;
    this.#sending = Promise.resolve();
    this.#upload.location = this.#location;
    this.#transfer.stop();
  }

  /** Checks where the bytes of a request begin, and takes them. After an error only the bytes at the registry remain. */
  async #withBytes<T>(
    { first, length }: ClientBody,
    work: (known: Known) => Promise<T>,
  ): Promise<T> {
    this.#known ??= await this.#ask();
    const known = this.#known;
    if (first !== undefined && first !== known.arrived) throw this.#outOfOrder(known.arrived);
    this.#transfer.expect(length === undefined ? undefined : known.arrived + length);
    try {
      return await work(known);
    } catch (thrown) {
      await this.forget();
      if (!this.#setting.signal.aborted) this.#transfer.fail(thrown);
      throw thrown;
    } finally {
      this.#transfer.pause();
    }
  }

  /** Writes the bytes of a request to disk, and hands them over whenever there are enough. */
  async #take({ chunks }: ClientBody, known: Known): Promise<void> {
    for await (const chunk of chunks) {
      for (let rest = chunk; rest.length > 0; ) {
        if (this.#piece && this.#piece.size >= this.#limit) await this.#makeRoom();
        this.#piece ??= await Spool.open();
        const part = rest.subarray(0, this.#limit - this.#piece.size);
        await this.#piece.write(part);
        known.arrived += part.length;
        this.#transfer.arrive(part.length);
        rest = rest.subarray(part.length);
      }
    }
  }

  async #ask(): Promise<Known> {
    await withAttempts(() => findOffset(this.#send, this.#upload), this.#setting.signal);
    if (this.#upload.location === undefined) throw unknownUpload();
    const { offset } = this.#upload;
    return { handedOver: offset, arrived: offset };
  }

  /** Lets a layer that goes to R2 directly grow. Otherwise hands the bytes over. */
  async #makeRoom(): Promise<void> {
    const { space, chunkSize, session, signal } = this.#setting;
    if (this.#isWhole === undefined) {
      const begun = { session, name: this.name, location: this.#location, signal };
      const isOffered =
        this.#known?.handedOver === 0 &&
        (await withAttempts(() => offersDirectUploads(begun), signal));
      this.#isWhole = isOffered && space.take(chunkSize);
    }
    if (this.#isWhole && space.take(chunkSize)) this.#limit += chunkSize;
    else await this.#handOver();
  }

  /** Sends the piece while the next one is being filled. */
  async #handOver(): Promise<void> {
    const piece = this.#piece;
    const known = this.#known;
    if (!piece || !known) return;
    await this.#sending;
    const reserved = this.#isWhole ? this.#limit : 0;
    this.#piece = undefined;
    this.#isWhole = false;
    this.#limit = this.#setting.chunkSize;
    this.#sending = this.#sendPiece(piece, known.handedOver).finally(() =>
      this.#setting.space.give(reserved),
    );
    known.handedOver += piece.size;
    // The next hand-over, or the end of the request, throws it.
    this.#sending.catch(() => {});
  }

  async #flush(): Promise<void> {
    await this.#handOver();
    await this.#sending;
  }

  readonly #send: Send = (request) =>
    this.#setting.session.send(this.name, { ...request, signal: this.#setting.signal });

  /** Sends the bytes of a piece, which begins at `base`, and closes it. After a cut it continues where the registry is. */
  async #sendPiece(piece: Spool, base: number, digest?: string): Promise<void> {
    const upload = this.#upload;
    const end = base + piece.size;
    const blob = { read: (start: number, to: number) => piece.read(start - base, to - base) };
    let isRepeated = false;
    try {
      await withAttempts(async (advance) => {
        if (isRepeated) await this.#findEnd(digest !== undefined);
        isRepeated = true;
        if (upload.offset < base || upload.offset > end) throw this.#outOfOrder(upload.offset);
        const onBytes = this.#transfer.send;
        await sendBytes(this.#send, upload, { blob, end, digest, onBytes, advance });
      }, this.#setting.signal);
    } finally {
      await piece.close();
    }
  }

  /** Asks the registry where the upload ends. If a lost response said that it has ended, the request is repeated. */
  async #findEnd(isLast: boolean): Promise<void> {
    const upload = this.#upload;
    const { location } = upload;
    await findOffset(this.#send, upload);
    if (upload.location !== undefined) return;
    if (!isLast) throw unknownUpload();
    upload.location = location;
  }

  async #sendWhole(digest: string): Promise<void> {
    const { space } = this.#setting;
    const piece = this.#piece as Spool;
    const { name } = this;
    const onBytes = this.#transfer.send;
    await sendWhole(this.#setting, { name, location: this.#location, piece, digest, onBytes });
    await piece.close();
    space.give(this.#limit);
    this.#piece = undefined;
    this.#isWhole = undefined;
  }

  #outOfOrder(size: number) {
    const headers = { location: this.path, range: `0-${Math.max(0, size - 1)}` };
    const text = `the next chunk must begin at byte ${size}`;
    return refusal(416, "BLOB_UPLOAD_INVALID", text, headers);
  }
}

const unknownUpload = () =>
  refusal(404, "BLOB_UPLOAD_UNKNOWN", "the registry has no upload with this id; start again");
