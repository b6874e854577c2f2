/** Writes one R2 object of a known length while its bytes arrive. R2 gets them as one stream, so few are in memory. */
import type { WritableStreamDefaultWriter } from "@cloudflare/workers-types";
import type { RegistryContext } from "../context.ts";
import type { HeldMemory } from "../memory.ts";
import type { ByteSink } from "./object_writer.ts";
import { type Reservation, renewAfter } from "./objects.ts";
import type { Piece, Stored } from "./storage.ts";
import { newFixedLengthStream } from "./streams.ts";

/** The sizes of the buffer. It doubles when a read has filled it. */
const bufferSizes = { least: 64 * 1024, most: 1024 * 1024 };

/** The most bytes of an object that R2 takes in one call, rounded down. */
export const maxStreamed = 4 * 1024 ** 3;

/** An object that R2 gets in one call. It is there once it has all its bytes. */
export class StreamedObject implements ByteSink {
  readonly #context: RegistryContext;
  readonly #memory: HeldMemory;
  readonly #reservation: Reservation;
  readonly #length: number;
  #reservedAt = 0;
  #buffer = new Uint8Array(0);
  #isFilled = true;
  #isCut = false;
  #stream: WritableStreamDefaultWriter | undefined;
  #putting: Promise<Stored> | undefined;

  /** `length` is the exact number of bytes. */
  constructor(
    context: RegistryContext,
    memory: HeldMemory,
    reservation: Reservation,
    length: number,
  ) {
    this.#context = context;
    this.#memory = memory;
    this.#reservation = reservation;
    this.#length = length;
  }

  async reserve(bytes: number): Promise<void> {
    await this.#reservation.extend(bytes, null);
    this.#reservedAt = Date.now();
  }

  async free(): Promise<Uint8Array> {
    const { length } = this.#buffer;
    if (this.#isFilled && length < bufferSizes.most) {
      const next = Math.min(bufferSizes.most, Math.max(bufferSizes.least, 2 * length));
      await this.#memory.take(next - length);
      this.#buffer = new Uint8Array(next);
    }
    return this.#buffer;
  }

  async fill(view: Uint8Array): Promise<void> {
    // A read moves the buffer.
    this.#buffer = new Uint8Array(view.buffer as ArrayBuffer);
    this.#isFilled = view.byteLength === this.#buffer.byteLength;
    this.#memory.touch();
    if (Date.now() - this.#reservedAt > renewAfter) await this.reserve(this.#reservation.bytes);
    const { meter } = this.#context.storage;
    meter.pending += view.byteLength;
    meter.mostPending = Math.max(meter.mostPending, meter.pending);
    const { stream, putting } = this.#open();
    await Promise.race([stream.write(view), putting]);
    meter.pending -= view.byteLength;
  }

  /** Begins the call. It fails at once if R2 does not want the bytes, and the stream would then wait for ever. */
  #open() {
    const { storage } = this.#context;
    if (this.#stream && this.#putting) return { stream: this.#stream, putting: this.#putting };
    const { readable, writable } = newFixedLengthStream(this.#length);
    const stream = writable.getWriter();
    const putting = storage.putStream(this.#reservation.key, readable, () => this.#isCut);
    // The error is thrown where the result is awaited.
    for (const promise of [putting, stream.closed]) promise.catch(() => {});
    this.#stream = stream;
    this.#putting = putting;
    return { stream, putting };
  }

  async end(): Promise<Piece> {
    const { stream, putting } = this.#open();
    await Promise.race([stream.close(), putting]);
    return { key: this.#reservation.key, ...(await putting) };
  }

  async cut(): Promise<void> {
    this.#isCut = true;
    await this.#stream?.abort().catch(() => {});
    await this.#putting?.catch(() => {});
  }
}
