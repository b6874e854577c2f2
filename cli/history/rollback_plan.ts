/** The tags that an identity has moved, and where each of them pointed before. */
import type { JsonObject } from "../resources/flags.ts";

/** A tag that points to where the identity has moved it. */
export interface PlannedRollback {
  repoUid: string;
  /** `<repository>:<tag>`. */
  image: string;
  tag: string;
  /** The digest to which the identity has moved the tag last. Empty if it has deleted the tag. */
  from: string;
  /** The digest before the identity's moves. Empty if the identity has created the tag. */
  to: string;
}

const text = (value: unknown) => String(value ?? "");

/**
 * Plans from the moves of one identity, the newest first. A tag goes back over those that follow each other, so a move
 * of someone else in between stays.
 */
export function planRollback(moves: JsonObject[]): PlannedRollback[] {
  const byTag = Map.groupBy(moves, ({ repoUid, tag }) => `${text(repoUid)}:${text(tag)}`);
  return [...byTag.values()].map((own) => {
    const [newest = {}, ...older] = own;
    let to = text(newest.previousDigest);
    for (const { digest, previousDigest } of older) {
      if (text(digest) !== to) break;
      to = text(previousDigest);
    }
    const { repoUid, repo, tag, digest } = newest;
    return {
      repoUid: text(repoUid),
      image: `${text(repo)}:${text(tag)}`,
      tag: text(tag),
      from: text(digest),
      to,
    };
  });
}
