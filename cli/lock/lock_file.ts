/** `platform.lock`: which digest each tag had, since when, and as of which time. */
import { readFileSync } from "node:fs";
import { hasCode, reasonOf, refusedFailure } from "../failure.ts";
import { splitDigest } from "../images/descriptor.ts";

/** An entry, which is about one reference. All times are in RFC 3339, in UTC. */
export type LockEntry = {
  tag: string;
  digest: string;
  /** Since when the tag had pointed to the digest. */
  since: string;
  /** The time as of which the digest was looked up: the time of the run, or that of `--at`. */
  asOf: string;
};

export type Lock = {
  /** The host of the registry of all references. */
  registry: string;
  /** By reference with its host and tag. */
  images: Map<string, LockEntry>;
};

/** The version of the format. A reader refuses any other. */
const version = 1;

/** Returns the lock as JSON that is sorted by reference, with one line for each value. */
export function lockText({ registry, images }: Lock): string {
  const sorted = [...images].sort(([reference], [other]) => (reference < other ? -1 : 1));
  const inOrder = sorted.map(([reference, entry]) => {
    const { tag, digest, since, asOf } = entry;
    return [reference, { tag, digest, since, asOf }];
  });
  const root = { version, registry, images: Object.fromEntries(inOrder) };
  return `${JSON.stringify(root, null, 2)}\n`;
}

/** A lock and the file that it comes from. */
export type StoredLock = { lock: Lock; bytes: Buffer };

/**
 * Reads a lock. Returns undefined if the file does not exist. `shown` is its path in messages. Throws a BAD_LOCK Failure
 * if it is not a lock.
 */
export function readLock(path: string, shown: string): StoredLock | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (thrown) {
    if (hasCode(thrown, "ENOENT")) return undefined;
    throw badLock(shown, reasonOf(thrown));
  }
  return { lock: parseLock(bytes.toString("utf8"), shown), bytes };
}

/** Parses a lock. Throws a BAD_LOCK Failure that names the first thing that is wrong. */
export function parseLock(text: string, shown: string): Lock {
  const root = objectIn(parseJson(text, shown), shown, "the file");
  if (root.version !== version) {
    throw badLock(
      shown,
      `its version is ${JSON.stringify(root.version)}, and only ${version} is known`,
    );
  }
  if (typeof root.registry !== "string" || root.registry === "") {
    throw badLock(shown, "registry is not a string");
  }
  const { registry } = root;
  const images = new Map<string, LockEntry>();
  for (const [reference, value] of Object.entries(objectIn(root.images, shown, "images"))) {
    if (!reference.startsWith(`${registry}/`)) {
      throw badLock(shown, `${reference} does not begin with ${registry}/`);
    }
    images.set(reference, entryIn(objectIn(value, shown, reference), shown, reference));
  }
  return { registry, images };
}

function parseJson(text: string, shown: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    const isMerge = /^(<{7}|>{7})/m.test(text);
    throw badLock(
      shown,
      isMerge
        ? "it has conflicts of a merge. Keep one side, and run the command again"
        : `it is not JSON (${reasonOf(thrown)})`,
    );
  }
}

function objectIn(value: unknown, shown: string, name: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw badLock(shown, `${name} is not an object`);
}

function entryIn(entry: Record<string, unknown>, shown: string, reference: string): LockEntry {
  const { tag, digest, since, asOf } = entry;
  if (typeof tag !== "string" || !reference.endsWith(`:${tag}`)) {
    throw badLock(shown, `the tag of ${reference} is not that of its name`);
  }
  if (typeof digest !== "string" || !splitDigest(digest)) {
    throw badLock(shown, `the digest of ${reference} is not a sha256 or sha512 digest`);
  }
  return {
    tag,
    digest,
    since: timeIn(since, shown, reference),
    asOf: timeIn(asOf, shown, reference),
  };
}

function timeIn(value: unknown, shown: string, reference: string): string {
  if (typeof value === "string" && !Number.isNaN(Date.parse(value))) return value;
  throw badLock(shown, `${JSON.stringify(value)} is not a time of ${reference}`);
}

const badLock = (shown: string, what: string) =>
  refusedFailure("BAD_LOCK", `${shown} is not a lock: ${what}.`);
