/** Reads the lines of a file or of standard input, plain or gzip, one at a time. */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { exitCodes, Failure, hasCode, reasonOf, usageFailure } from "../failure.ts";
import { here } from "../surroundings.ts";

/** A line that is not blank, without its line end. Numbers start at 1 and count every line. */
export type InputLine = { number: number; bytes: Buffer };

/** A source, and how far it has been read, in bytes of the file on disk. */
export type InputSource = {
  name: string;
  input: AsyncIterable<Buffer>;
  /** Unknown for standard input and pipes. */
  size?: number;
  read: number;
};

const newline = 0x0a;
const maxLineBytes = 32 * 1024 * 1024;

/** Opens a file, or standard input for `-`. Throws a USAGE Failure if it cannot be read. */
export async function openSource(
  file: string,
  stdin: Readable = here().stdin,
): Promise<InputSource> {
  if (file === "-") return counting({ name: "standard input", input: stdin, read: 0 });
  try {
    const about = await stat(file);
    if (about.isDirectory()) throw usageFailure(`Cannot read ${file}: it is a directory.`);
    const source: InputSource = { name: file, input: createReadStream(file), read: 0 };
    return counting(about.isFile() ? { ...source, size: about.size } : source);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const isMissing = hasCode(error, "ENOENT");
    throw usageFailure(
      `Cannot read ${file}: ${isMissing ? "there is no such file" : String(error)}.`,
    );
  }
}

/** Reads a whole source. Throws a USAGE Failure if it has more than `limit` bytes. */
export async function readAllBytes({ input, name }: InputSource, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    size += chunk.length;
    if (size > limit) throw usageFailure(`${name} must not be larger than ${limit} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Returns the lines of a source, and decompresses it if it begins as gzip does. If the gzip data is damaged or
 * incomplete, it throws a BAD_INPUT Failure after the last readable line.
 */
export async function* readLines(source: InputSource): AsyncGenerator<InputLine> {
  let number = 0;
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  const take = (end: Buffer): InputLine | undefined => {
    const whole = pending.length > 0 ? Buffer.concat([...pending, end]) : end;
    pending = [];
    pendingBytes = 0;
    number += 1;
    const bytes = whole.at(-1) === 0x0d ? whole.subarray(0, -1) : whole;
    return bytes.length > 0 ? { number, bytes } : undefined;
  };
  for await (const chunk of unpacked(source, () => number)) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const line = take(chunk.subarray(start, end));
      start = end + 1;
      if (line) yield line;
    }
    if (start < chunk.length) pending.push(chunk.subarray(start));
    pendingBytes += chunk.length - start;
    if (pendingBytes > maxLineBytes)
      throw badInput(`Line ${number + 1} must not be longer than 32 MiB.`);
  }
  const last = pending.length > 0 ? take(Buffer.alloc(0)) : undefined;
  if (last) yield last;
}

const badInput = (message: string) => new Failure(exitCodes.badInput, "BAD_INPUT", message);

function counting(source: InputSource): InputSource {
  const { input } = source;
  source.input = (async function* () {
    for await (const chunk of input) {
      source.read += chunk.length;
      yield chunk;
    }
  })();
  return source;
}

async function* unpacked(source: InputSource, linesSoFar: () => number): AsyncGenerator<Buffer> {
  const { first, all } = await peek(source.input);
  if (first[0] !== 0x1f || first[1] !== 0x8b) {
    yield* all;
    return;
  }
  // `compose` passes an error of the file on to the reader of the lines. `pipe` does not.
  const packed = Readable.from(all);
  const gunzip = createGunzip();
  packed.on("error", (error) => gunzip.destroy(error));
  try {
    yield* packed.pipe(gunzip);
  } catch (error) {
    const why = reasonOf(error);
    throw badInput(`${source.name}: the gzip data is damaged after line ${linesSoFar()} (${why}).`);
  } finally {
    packed.destroy();
  }
}

/** Returns at least the first two bytes, if there are so many, and the whole input including them. */
async function peek(input: AsyncIterable<Buffer>) {
  const rest = input[Symbol.asyncIterator]();
  let first = Buffer.alloc(0);
  while (first.length < 2) {
    const { value, done } = await rest.next();
    if (done) break;
    first = Buffer.concat([first, value]);
  }
  async function* all(): AsyncGenerator<Buffer> {
    if (first.length > 0) yield first;
    for (;;) {
      const { value, done } = await rest.next();
      if (done) return;
      yield value;
    }
  }
  return { first, all: all() };
}
