/** The digest that a pull of a tag gets now, with its record in the history. */
import type { HistoryRecord } from "../../client/index.ts";
import { withoutControls } from "../resources/cells.ts";
import type { ImageReference } from "./image_reference.ts";
import type { RegistryReader } from "./registry.ts";
import { lastMoveTo, moveAt } from "./tag_history.ts";
import { shortDigest } from "./timeline.ts";

/** A record, and the digest that the tag points to if a tag rule chose another one for the pull. */
export type CurrentMove = { move: HistoryRecord; tagDigest?: string | undefined };

/**
 * Returns the record of the digest that a pull gets. A tag that was only imported or is deleted has the newest record.
 * Returns undefined if the tag has no history.
 */
export async function currentMove(
  registry: Pick<RegistryReader, "movesOf" | "resolve">,
  image: ImageReference,
): Promise<CurrentMove | undefined> {
  const resolved = await registry.resolve(image);
  const read = registry.movesOf(image);
  const move = resolved ? await lastMoveTo(read, resolved.digest) : await moveAt(read, undefined);
  return move && { move, tagDigest: resolved?.tagDigest };
}

/** Says that a tag rule chose a digest. `name` is that of the image with its tag. */
export const choiceText = (name: string, digest: string, tagDigest: string): string =>
  withoutControls(
    `${name} points to ${shortDigest(tagDigest)}, and a tag rule gives pulls ${shortDigest(digest)}. To see why, run: platformctl rules check ${name} --pull`,
  );
