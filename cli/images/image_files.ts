/** The files of an image on this machine: in a folder, in a tar archive, or from standard input. */
import { createReadStream, createWriteStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { usageFailure } from "../failure.ts";
import { here } from "../surroundings.ts";
import { TemporaryFolder } from "../temporary_folder.ts";
import { readTarIndex, type TarEntry, TarError } from "./tar.ts";

/** Files by their path inside the image, with `/` between folders. */
export type ImageFiles = {
  /** The name that the user gave. */
  name: string;
  /** Returns the size of a file in bytes, or undefined if there is no such file. */
  sizeOf(path: string): Promise<number | undefined>;
  /** Returns the bytes of a file from `start` up to and without `end`. */
  read(path: string, start: number, end: number): Readable;
  /** A folder for files that are needed until the work ends. */
  temporaryFolder(): Promise<string>;
  /** Deletes the temporary folder. */
  close(): Promise<void>;
};

/** Opens a folder, a tar archive, a tar archive in gzip, or `-` for an archive on standard input. */
export async function openImageFiles(
  source: string,
  input: Readable = here().stdin,
): Promise<ImageFiles> {
  const temporary = new TemporaryFolder("platformctl-");
  try {
    if (source === "-") {
      const file = await spool(input, await temporary.path(), "standard input");
      return await openArchive("standard input", file, temporary);
    }
    const entry = await stat(source).catch((error: NodeJS.ErrnoException) => {
      throw usageFailure(`${source} cannot be read: ${error.code}.`);
    });
    if (entry.isDirectory()) return folderFiles(source, temporary);
    if (!(await isGzip(source))) return await openArchive(source, source, temporary);
    const file = await spool(createReadStream(source), await temporary.path(), source);
    return await openArchive(source, file, temporary);
  } catch (thrown) {
    await temporary.remove();
    throw thrown;
  }
}

function folderFiles(name: string, temporary: TemporaryFolder): ImageFiles {
  return {
    name,
    async sizeOf(path) {
      const entry = await stat(join(name, path)).catch(() => undefined);
      return entry?.isFile() ? entry.size : undefined;
    },
    read: (path, start, end) =>
      end > start ? createReadStream(join(name, path), { start, end: end - 1 }) : Readable.from([]),
    temporaryFolder: () => temporary.path(),
    close: () => temporary.remove(),
  };
}

async function openArchive(
  name: string,
  file: string,
  temporary: TemporaryFolder,
): Promise<ImageFiles> {
  const handle = await open(file);
  try {
    return archiveFiles(name, file, await readTarIndex(handle), temporary);
  } catch (thrown) {
    if (!(thrown instanceof TarError)) throw thrown;
    throw usageFailure(
      `${name} is not an image: ${thrown.message}. An image is an OCI layout (a folder or a tar archive) or the output of docker save.`,
    );
  } finally {
    await handle.close();
  }
}

function archiveFiles(
  name: string,
  file: string,
  entries: Map<string, TarEntry>,
  temporary: TemporaryFolder,
): ImageFiles {
  return {
    name,
    sizeOf: async (path) => entries.get(path)?.size,
    read(path, start, end) {
      const entry = entries.get(path);
      if (!entry || end <= start) return Readable.from([]);
      const last = entry.offset + Math.min(end, entry.size) - 1;
      return createReadStream(file, { start: entry.offset + start, end: last });
    },
    temporaryFolder: () => temporary.path(),
    close: () => temporary.remove(),
  };
}

async function isGzip(path: string): Promise<boolean> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && isGzipMagic(buffer);
  } finally {
    await handle.close();
  }
}

/** Whether bytes begin like a gzip file (RFC 1952, 2.3.1). */
export const isGzipMagic = (bytes: Uint8Array) => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** Writes a stream into a file, without its gzip compression if it has one. */
async function spool(input: Readable, folder: string, name: string): Promise<string> {
  const file = join(folder, "archive.tar");
  const chunks = input.iterator();
  const first = await chunks.next();
  const head: Buffer = first.done ? Buffer.alloc(0) : Buffer.from(first.value);
  if (head.length === 0) throw usageFailure(`${name} is empty.`);
  const whole = Readable.from(
    (async function* () {
      yield head;
      yield* chunks;
    })(),
  );
  const unpack = isGzipMagic(head) ? [createGunzip()] : [];
  try {
    await pipeline([whole, ...unpack, createWriteStream(file, { mode: 0o600 })]);
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && `${thrown.code}`.startsWith("Z_")) {
      throw usageFailure(`${name} is not a complete gzip file: ${thrown.message}.`);
    }
    throw thrown;
  }
  return file;
}

/** Returns all bytes of a small file. Throws a USAGE Failure if it is missing or has more than `limit` bytes. */
export async function readSmallFile(
  files: ImageFiles,
  path: string,
  limit: number,
): Promise<Buffer> {
  const size = await files.sizeOf(path);
  if (size === undefined) throw usageFailure(`${files.name} has no file ${path}.`);
  if (size > limit) {
    throw usageFailure(`${path} in ${files.name} has ${size} bytes. The limit is ${limit}.`);
  }
  const chunks: Buffer[] = [];
  for await (const chunk of files.read(path, 0, size)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Returns the JSON object in a small file. Throws a USAGE Failure if the file has none. */
export async function readJsonFile<T extends object>(
  files: ImageFiles,
  path: string,
  limit: number,
): Promise<T> {
  const bytes = await readSmallFile(files, path, limit);
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    if (typeof value === "object" && value !== null) return value as T;
  } catch {
    // The failure below says so.
  }
  throw usageFailure(`${path} in ${files.name} is not a JSON object.`);
}
