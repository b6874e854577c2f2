/** Bytes of a layer on disk, until the registry has them. */
import { randomUUID } from "node:crypto";
import { type FileHandle, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";

const readBytes = 256 * 1024;

/**
 * A file that only this process can read. Its name is deleted as soon as it is open. So the system frees its bytes when
 * the process ends, for whatever reason.
 */
export class Spool {
  readonly #file: FileHandle;
  #size = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Opens an empty file in the system's folder for temporary files. */
  static async open(): Promise<Spool> {
    const path = join(tmpdir(), `platformctl-proxy-${randomUUID()}`);
    const file = await open(path, "wx+", 0o600);
    await rm(path, { force: true });
    return new Spool(file);
  }

  /** In bytes. */
  get size(): number {
    return this.#size;
  }

  /** Adds bytes at the end. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let rest = bytes; rest.length > 0; ) {
      const { bytesWritten } = await this.#file.write(rest, 0, rest.length, this.#size);
      this.#size += bytesWritten;
      rest = rest.subarray(bytesWritten);
    }
  }

  /** Returns the bytes from `start` up to and without `end`. */
  read(start: number, end: number): Readable {
    return Readable.from(this.#chunks(start, end), { objectMode: false });
  }

  async *#chunks(start: number, end: number): AsyncGenerator<Buffer> {
    for (let position = start; position < end; ) {
      const length = Math.min(readBytes, end - position);
      const { bytesRead, buffer } = await this.#file.read(
        Buffer.allocUnsafe(length),
        0,
        length,
        position,
      );
      if (bytesRead === 0) throw new Error("a temporary file is shorter than what was written");
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  /** Closes the file, which deletes its bytes. */
  close(): Promise<void> {
    return this.#file.close();
  }
}

/** The disk space that whole layers may take in all, in bytes. */
export class SpoolSpace {
  #free: number;

  constructor(bytes: number) {
    this.#free = bytes;
  }

  /** Reserves bytes. Returns false if there are not that many. */
  take(bytes: number): boolean {
    if (bytes > this.#free) return false;
    this.#free -= bytes;
    return true;
  }

  /** Returns reserved bytes. */
  give(bytes: number): void {
    this.#free += bytes;
  }
}
