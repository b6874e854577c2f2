/** Writes one R2 object while its bytes arrive. R2 requires the parts of a multipart upload to be equal in size, except for the last. */
import type { R2UploadedPart } from "@cloudflare/workers-types";
import type { RegistryContext } from "../context.ts";
import { RegistryError } from "../errors.ts";
import type { HeldMemory } from "../memory.ts";
import { type Reservation, renewAfter } from "./objects.ts";
import type { Multipart, Piece } from "./storage.ts";

/** The bytes of a part. Two of them are in memory at most: one that fills, and one on its way to R2. */
export const partSize = 8 * 1024 * 1024;

/** The bytes that a buffer begins with. It doubles as bytes arrive. */
const leastBuffer = 64 * 1024;

/** The most bytes that a body of unknown length reserves before they arrive. */
const mostAhead = 16 * partSize;

/** The bytes of a part, in a buffer that grows as they arrive. */
class Part {
  #buffer = new Uint8Array(0);
  filled = 0;
  readonly #memory: HeldMemory;

  constructor(memory: HeldMemory) {
    this.#memory = memory;
  }

  /** A view of the free bytes, at least one. */
  async free(): Promise<Uint8Array> {
    const { length } = this.#buffer;
    if (this.filled === length) {
      const next = Math.min(partSize, Math.max(leastBuffer, 2 * length));
      await this.#memory.take(next - length);
      this.#buffer = new Uint8Array(this.#buffer.buffer.transfer(next));
    }
    return this.#buffer.subarray(this.filled);
  }

  /** Takes back the view, of which the runtime has filled the first bytes. A read moves the buffer. */
  fill(view: Uint8Array): void {
    this.#buffer = new Uint8Array(view.buffer as ArrayBuffer);
    this.filled += view.byteLength;
  }

  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.filled);
  }
}

/** Takes the bytes of one object while they arrive. */
export interface ByteSink {
  /** Reserves exactly these bytes. */
  reserve(bytes: number): Promise<void>;
  /** A view for the next bytes. Waits for memory if the isolate has none left. */
  free(): Promise<Uint8Array>;
  /** Takes back the view, of which the first bytes are filled. */
  fill(view: Uint8Array): Promise<void> | void;
  /** Completes the object. R2 compares the bytes of an object in one part with `sha256`, if that is given. */
  end(sha256: string | undefined): Promise<Piece>;
  /** Ends a call to R2 that waits for more bytes. R2 then keeps no object. */
  cut(): Promise<void>;
}

/** Adds bytes that were read elsewhere. */
export async function append(sink: ByteSink, bytes: Uint8Array): Promise<void> {
  for (let offset = 0; offset < bytes.byteLength; ) {
    const view = await sink.free();
    const part = bytes.subarray(offset, offset + view.byteLength);
    view.set(part);
    await sink.fill(view.subarray(0, part.byteLength));
    offset += part.byteLength;
  }
}

/** Writes one object of unknown length: in one call, or in parts if it has more bytes than one. */
export class ObjectWriter implements ByteSink {
  readonly #context: RegistryContext;
  readonly #memory: HeldMemory;
  readonly #reservation: Reservation;
  #reservedAt = 0;
  #part: Part;
  size = 0;
  #open: Multipart | undefined;
  readonly #parts: R2UploadedPart[] = [];
  #sending: Promise<R2UploadedPart> | undefined;

  constructor(context: RegistryContext, memory: HeldMemory, reservation: Reservation) {
    this.#context = context;
    this.#memory = memory;
    this.#reservation = reservation;
    this.#part = new Part(memory);
  }

  async reserve(bytes: number): Promise<void> {
    await this.#reservation.extend(bytes, this.#open?.id ?? null);
    this.#reservedAt = Date.now();
  }

  /** Reserves room for the bytes that have arrived, and for some more. Near its limit, an organization gets no more. */
  async #reserveArrived(isNew = false): Promise<void> {
    const { bytes: reserved } = this.#reservation;
    const isRecent = Date.now() - this.#reservedAt < renewAfter;
    if (this.size <= reserved && isRecent && !isNew) return;
    if (!this.#open || this.size <= reserved) return this.reserve(Math.max(this.size, reserved));
    try {
      await this.reserve(this.size + Math.min(mostAhead, this.size));
    } catch (thrown) {
      if (!(thrown instanceof RegistryError)) throw thrown;
      await this.reserve(this.size);
    }
  }

  async free(): Promise<Uint8Array> {
    if (this.#part.filled === partSize) await this.#send();
    if (!this.#memory.hasRoomFor(partSize)) await this.#settle();
    return this.#part.free();
  }

  fill(view: Uint8Array): void {
    this.#part.fill(view);
    this.size += view.byteLength;
    this.#memory.touch();
    const { meter } = this.#context.storage;
    meter.pending += view.byteLength;
    meter.mostPending = Math.max(meter.mostPending, meter.pending);
  }

  /** Begins to send the part that is full. Only one part is on its way at a time. */
  async #send(): Promise<void> {
    await this.#settle();
    const open = this.#open ?? (await this.#begin());
    await this.#reserveArrived();
    const { bytes } = this.#part;
    this.#part = new Part(this.#memory);
    const sending = open.sendPart(this.#parts.length + 1, bytes);
    // The error is thrown where the result is awaited.
    sending.catch(() => {});
    this.#sending = sending;
  }

  /** Begins a multipart upload. The clean-up can end it only if the row names it. */
  async #begin(): Promise<Multipart> {
    const begun = await this.#context.storage.beginMultipart(this.#reservation.key);
    this.#open = begun;
    try {
      await this.#reserveArrived(true);
      return begun;
    } catch (thrown) {
      await begun.abort().catch(() => {});
      throw thrown;
    }
  }

  /** Waits for the part that is on its way. */
  async #settle(): Promise<void> {
    if (!this.#sending) return;
    this.#parts.push(await this.#sending);
    this.#sending = undefined;
    this.#memory.give(partSize);
    this.#context.storage.meter.pending -= partSize;
  }

  async end(sha256: string | undefined): Promise<Piece> {
    const { storage } = this.#context;
    const { key } = this.#reservation;
    await this.#settle();
    await this.#reserveArrived();
    const { bytes } = this.#part;
    if (!this.#open) return { key, ...(await storage.put(key, bytes, sha256)) };
    if (bytes.byteLength > 0) {
      this.#parts.push(await this.#open.sendPart(this.#parts.length + 1, bytes));
    }
    return { key, ...(await this.#open.complete(this.#parts)) };
  }

  /** No call waits for bytes. The row names a multipart upload that has begun, so whoever deletes the row ends it. */
  async cut(): Promise<void> {}
}
