/** Looks up the digests of tags in the registry. */
import { exitCodes, Failure, refusedFailure } from "../failure.ts";
import { type CurrentMove, choiceText, currentMove } from "../history/current.ts";
import type { ImageReference } from "../history/image_reference.ts";
import type { RegistryReader } from "../history/registry.ts";
import { firstMove, lastMoveTo, moveAt, type ReadMoves } from "../history/tag_history.ts";
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

/** The entries, and notes for people by reference. */
export type Resolution = { resolved: Resolved; notes: Map<string, string> };

/** The tags that are looked up at the same time. */
const width = 8;

/**
 * Looks up each tag once. `time` is the time to look at, or undefined for what a pull gets now. Throws a Failure if the
 * registry cannot be reached. Every other failure is a result.
 */
export async function resolveTags(
  registry: RegistryReader,
  wanted: WantedTag[],
  time: Date | undefined,
  now: Date,
): Promise<Resolution> {
  const resolved: Resolved = new Map();
  const notes = new Map<string, string>();
  const queue = wanted.values();
  const work = async () => {
    for (const tag of queue) {
      const { reference } = tag;
      const { entry, note } = await resolveTag(registry, tag, time, now);
      resolved.set(reference, entry);
      if (note !== undefined) notes.set(reference, note);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, wanted.length) }, work));
  return { resolved, notes };
}

async function resolveTag(
  registry: RegistryReader,
  wanted: WantedTag,
  time: Date | undefined,
  now: Date,
): Promise<{ entry: LockEntry | Failure; note?: string | undefined }> {
  const { image } = wanted;
  const name = `${image.name}:${image.tag}`;
  try {
    const found = await findMove(registry, wanted, time);
    if (!found) return { entry: await missingAt(registry.movesOf(image), name, time, now) };
    const { move, tagDigest } = found;
    const { digest, updateTimestamp: since } = move;
    const entry = { tag: image.tag, digest, since, asOf: (time ?? now).toISOString() };
    return { entry, note: tagDigest && choiceText(name, digest, tagDigest) };
  } catch (thrown) {
    if (thrown instanceof Failure && thrown.exitCode !== exitCodes.unreachable)
      return { entry: thrown };
    throw thrown;
  }
}

/** Returns what a pull gets, the state of a time, or the last move to a digest that the files have. Throws a Failure. */
async function findMove(
  registry: RegistryReader,
  { image, pinned }: WantedTag,
  time: Date | undefined,
): Promise<CurrentMove | undefined> {
  if (pinned === undefined && time === undefined) return currentMove(registry, image);
  const read = registry.movesOf(image);
  const move = pinned === undefined ? await moveAt(read, time) : await lastMoveTo(read, pinned);
  if (move || pinned === undefined) return move && { move };
  throw refusedFailure(
    "NOT_FOUND",
    `${image.name}:${image.tag} never pointed to ${pinned}, which a file has. To replace it, run: platformctl lock --update --rewrite`,
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
