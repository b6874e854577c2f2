/** Looks up the digests of tags in the registry. */
import { exitCodes, Failure, refusedFailure } from "../failure.ts";
import type { ImageReference } from "../history/image_reference.ts";
import type { RegistryReader } from "../history/registry.ts";
import { firstMove, moveAt, type ReadMoves } from "../history/tag_history.ts";
import { relativeTime } from "../history/times.ts";
import type { LockEntry } from "./lock_file.ts";

/** A tag to look up. */
export type WantedTag = {
  reference: string;
  image: ImageReference;
  /** The digest that the files have already, which becomes the entry if the tag ever pointed to it. */
  pinned: string | undefined;
};

/** The entry for each reference, or why there is none. */
export type Resolved = Map<string, LockEntry | Failure>;

/** The tags that are looked up at the same time. */
const width = 8;

/** Moves to search for a digest that a file has. */
const maxMoves = 10_000;

/**
 * Reads the history of each tag once. `time` is the time to look at, or undefined for now. Throws a Failure if the
 * registry cannot be reached. Every other failure is a result.
 */
export async function resolveTags(
  registry: RegistryReader,
  wanted: WantedTag[],
  time: Date | undefined,
  now: Date,
): Promise<Resolved> {
  const resolved: Resolved = new Map();
  const queue = wanted.values();
  const work = async () => {
    for (const tag of queue)
      resolved.set(tag.reference, await resolveTag(registry, tag, time, now));
  };
  await Promise.all(Array.from({ length: Math.min(width, wanted.length) }, work));
  return resolved;
}

async function resolveTag(
  registry: RegistryReader,
  { image, pinned }: WantedTag,
  time: Date | undefined,
  now: Date,
): Promise<LockEntry | Failure> {
  const read = registry.movesOf(image);
  const name = `${image.name}:${image.tag}`;
  try {
    const move =
      pinned === undefined ? await moveAt(read, time) : await lastMoveTo(read, name, pinned);
    if (!move) return missingAt(read, name, time, now);
    const { digest, updateTimestamp: since } = move;
    return { tag: image.tag, digest, since, asOf: (time ?? now).toISOString() };
  } catch (thrown) {
    if (thrown instanceof Failure && thrown.exitCode !== exitCodes.unreachable) return thrown;
    throw thrown;
  }
}

/** Returns the last move of a tag to a digest. Throws a NOT_FOUND Failure if there is none. */
async function lastMoveTo(read: ReadMoves, name: string, digest: string) {
  let count = 0;
  for await (const move of read({ reverse: true })) {
    if (move.digest === digest) return move;
    count += 1;
    if (count >= maxMoves) break;
  }
  throw refusedFailure(
    "NOT_FOUND",
    `${name} never pointed to ${digest}, which a file has. To replace it, run: platformctl lock --update --rewrite`,
  );
}

async function missingAt(
  read: ReadMoves,
  name: string,
  time: Date | undefined,
  now: Date,
): Promise<Failure> {
  const first = (await firstMove(read))?.updateTimestamp;
  if (!time || !first) return refusedFailure("NOT_FOUND", `${name} has no history.`);
  return refusedFailure(
    "NOT_FOUND",
    `${name} did not exist at ${time.toISOString()}. Its first digest is from ${first}, ${relativeTime(new Date(first), now)}.`,
  );
}
