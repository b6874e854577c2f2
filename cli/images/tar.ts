/** Tar archives: where each file begins, so that a file can be read without reading the rest. */
import type { FileHandle } from "node:fs/promises";
import { posix } from "node:path";
import { Header } from "tar/header";
import { Pax } from "tar/pax";

/*! Contains parts of https://github.com/isaacs/node-tar, license: https://blueoakcouncil.org/license/1.0.0 */

const blockSize = 512;
/** In bytes: a header with a long name or with pax records. Longer ones are not read. */
const maxExtendedHeader = 1024 * 1024;

/** Where the content of a file is, in bytes. */
export type TarEntry = { offset: number; size: number };

/** An archive that cannot be read to its end. */
export class TarError extends Error {
  override name = "TarError";
}

/**
 * Returns the files of an archive by their paths, without `./` at the front. Links have the entry of the file that
 * they lead to. Throws a TarError if a header is wrong or the archive ends early.
 */
export async function readTarIndex(file: FileHandle): Promise<Map<string, TarEntry>> {
  const entries = new Map<string, TarEntry>();
  const links: [from: string, to: string][] = [];
  for await (const { type, path, linkpath, offset, size } of readMembers(file)) {
    if (type === "SymbolicLink") links.push([path, posix.join(posix.dirname(path), linkpath)]);
    else if (type === "Link") links.push([path, posix.normalize(linkpath)]);
    else if (fileTypes.includes(type)) entries.set(path, { offset, size });
  }
  for (const [from, to] of links) {
    const entry = entries.get(to);
    if (entry) entries.set(from, entry);
  }
  return entries;
}

const fileTypes = ["File", "OldFile", "ContiguousFile"];
const longNameTypes = ["NextFileHasLongPath", "OldGnuLongPath"];

type Member = TarEntry & { type: string; path: string; linkpath: string };

/** Returns the members of an archive, with the names and sizes from their extended headers. */
async function* readMembers(file: FileHandle): AsyncGenerator<Member> {
  const { size: end } = await file.stat();
  let extended: Pax | undefined;
  let longName: string | undefined;
  for (let position = 0; position + blockSize <= end; ) {
    const header = await readHeader(file, position, extended);
    if (!header) return;
    const { type, size = 0, path = "", linkpath = "" } = header;
    const offset = position + blockSize;
    if (offset + size > end) throw new TarError("the archive ends in the middle of a file");
    position = offset + Math.ceil(size / blockSize) * blockSize;
    if (type === "ExtendedHeader") {
      extended = Pax.parse(await readText(file, offset, size), extended);
    } else if (longNameTypes.includes(type)) {
      longName = (await readText(file, offset, size)).replace(/\0.*$/s, "");
    } else {
      yield { type, path: posix.normalize(longName ?? path), linkpath, offset, size };
      extended = undefined;
      longName = undefined;
    }
  }
}

/** Returns the header at an offset, or undefined at the end of the archive. */
async function readHeader(
  file: FileHandle,
  offset: number,
  extended: Pax | undefined,
): Promise<Header | undefined> {
  const block = Buffer.alloc(blockSize);
  await file.read(block, 0, blockSize, offset);
  const header = parseHeader(block, extended);
  if (header?.nullBlock) return undefined;
  if (!header?.cksumValid) throw new TarError(`there is no tar header at byte ${offset}`);
  return header;
}

/** Returns undefined for a block that has no number where a header has one. */
function parseHeader(block: Buffer, extended: Pax | undefined): Header | undefined {
  try {
    return new Header(block, 0, extended);
  } catch {
    return undefined;
  }
}

async function readText(file: FileHandle, offset: number, size: number): Promise<string> {
  if (size > maxExtendedHeader) throw new TarError(`the header at byte ${offset} is too large`);
  const { buffer } = await file.read(Buffer.alloc(size), 0, size, offset);
  return buffer.toString("utf8");
}

/** Returns the header of a file with this path and this number of bytes. */
export function tarHeader(path: string, size: number): Buffer {
  const block = Buffer.alloc(blockSize);
  const mtime = new Date(0);
  const needsPax = new Header({ path, size, mode: 0o644, type: "File", mtime }).encode(block);
  if (needsPax) throw new TarError(`${path} is too long for a tar header`);
  return block;
}

/** Returns the zeros that follow the content of a file with this number of bytes. */
export const tarPadding = (size: number) =>
  Buffer.alloc((blockSize - (size % blockSize)) % blockSize);

/** Returns the two empty blocks that end an archive. */
export const tarEnd = () => Buffer.alloc(2 * blockSize);
