/** Files as `platformctl lock` reads and rewrites them, without a platform. */
import { type FileKind, kindOf } from "../../../cli/lock/find_files.ts";
import type { Lock } from "../../../cli/lock/lock_file.ts";
import { readReferences } from "../../../cli/lock/read_files.ts";
import type { FoundReferences } from "../../../cli/lock/references.ts";
import { planRewrites } from "../../../cli/lock/rewrite.ts";
import { newSource } from "../../../cli/lock/source.ts";

export const host = "registry.example.com:5000";

/** Reads bytes as a file of this name. */
export function readBytes(path: string, bytes: Buffer, kind?: FileKind): FoundReferences {
  const known = kind ?? kindOf(path);
  if (!known) throw new Error(`${path} has no kind`);
  return readReferences(newSource(path, bytes), known, host).references;
}

export const readText = (path: string, text: string, kind?: FileKind) =>
  readBytes(path, Buffer.from(text), kind);

/** The digests of {@link lockOf}, in the order in which the file names the images. From 1 to 9, they are planted ones. */
const numberedDigest = (index: number) =>
  `sha256:${index < 10 ? String(index).repeat(64) : String(index).padStart(64, "0")}`;

/** A lock with a digest of its own for every reference. */
export function lockOf({ places }: FoundReferences): Lock {
  const references = [...new Set(places.map(({ reference }) => reference))];
  const time = "2026-01-01T00:00:00.000Z";
  const entries = references.map((reference, index) => {
    const tag = reference.slice(reference.lastIndexOf(":") + 1);
    const digest = numberedDigest(index + 1);
    return [reference, { tag, digest, since: time, asOf: time }] as const;
  });
  return { registry: host, images: new Map(entries) };
}

/** Writes the digests of {@link lockOf} into a file. `problems` are the places where that is not possible. */
export function rewritten(found: FoundReferences) {
  const { rewrites, problems } = planRewrites([found], lockOf(found));
  const after = rewrites[0]?.after ?? Buffer.from(found.source.text, "latin1");
  return { after, text: after.toString("utf8"), problems };
}

/** Removes what a rewrite inserts. */
export const withoutDigests = (bytes: Buffer): Buffer =>
  Buffer.from(bytes.toString("latin1").replace(/(?::latest)?@sha256:[0-9a-f]{64}/g, ""), "latin1");
