/** Finds the end of a response in the bytes of a connection (RFC 9112, 6 and 7.1). */

/** The body of one response. */
export interface ResponseBody {
  isComplete: boolean;
  /** Takes what was read, and returns the bytes of the body in it, without a copy. Throws an Error if it is not HTTP. */
  take(bytes: Buffer): Buffer[];
}

/** A body whose length the head says. */
export class FixedBody implements ResponseBody {
  #left: number;

  constructor(length: number) {
    this.#left = length;
  }

  get isComplete() {
    return this.#left === 0;
  }

  take(bytes: Buffer): Buffer[] {
    this.#left -= bytes.length;
    if (this.#left < 0) throw new Error("there are bytes after the end of a response");
    return bytes.length > 0 ? [bytes] : [];
  }
}

/** The longest line between two chunks. */
const maxLine = 16 * 1024;

/** A body in chunks. */
export class ChunkedBody implements ResponseBody {
  isComplete = false;
  #line = "";
  /** The bytes of the chunk that are left. */
  #left = 0;
  /** The line that is read: the end of a chunk, the size of the next one, or a field after the last one. */
  #next: "end" | "size" | "field" = "size";

  take(bytes: Buffer): Buffer[] {
    const found: Buffer[] = [];
    for (let at = 0; at < bytes.length; ) {
      if (this.isComplete) throw new Error("there are bytes after the end of a response");
      if (this.#left > 0) {
        const part = bytes.subarray(at, at + this.#left);
        found.push(part);
        at += part.length;
        this.#left -= part.length;
        continue;
      }
      const end = bytes.indexOf("\n", at);
      const stop = end < 0 ? bytes.length : end + 1;
      this.#line += bytes.toString("latin1", at, stop);
      if (this.#line.length > maxLine) throw new Error("a line between two chunks is too long");
      at = stop;
      if (end >= 0) this.#takeLine(this.#line.trim());
    }
    return found;
  }

  #takeLine(line: string): void {
    this.#line = "";
    if (this.#next === "field") this.isComplete = line === "";
    else if (this.#next === "end") this.#next = "size";
    else {
      const [, size] = /^([0-9a-f]{1,12})(?:;|$)/i.exec(line) ?? [];
      if (size === undefined) throw new Error(`this is not the size of a chunk: ${line}`);
      this.#left = Number.parseInt(size, 16);
      this.#next = this.#left === 0 ? "field" : "end";
    }
  }
}
