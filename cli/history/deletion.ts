/** The deletion of a tag whose history remains. */
import { exitCodes, toFailure } from "../failure.ts";
import { identityLabel } from "../resources/people.ts";
import type { PlatformClient } from "../resources/platform.ts";
import type { ImageReference } from "./image_reference.ts";
import { findRepo } from "./repository.ts";
import { relativeTime } from "./times.ts";

const rpc = "platform.registry.history.v2.TagHistoryService/ListTagMoves";

/**
 * Returns a sentence about the deletion of a tag, or undefined if it exists. Also undefined if the caller may not list the
 * moves of the repository, or if the repository is deleted too.
 */
export async function deletionText(
  platform: PlatformClient | undefined,
  { name, tag }: ImageReference,
  now: Date,
): Promise<string | undefined> {
  if (!platform) return undefined;
  try {
    const childrenOf = await findRepo(platform, name);
    const [move] = await platform.rows(rpc, { uidp: { childrenOf }, tag }, 1);
    if (move?.kind !== "TAG_MOVE_KIND_DELETED") return undefined;
    const { identityUid: uid, identityName, updateTime } = move;
    const who = identityLabel({ uid, name: identityName });
    const when = relativeTime(new Date(String(updateTime)), now);
    return `${name}:${tag} is deleted: ${who ? `${who} deleted it ` : ""}${when}, at ${updateTime}.`;
  } catch (thrown) {
    if (toFailure(thrown, platform.url).exitCode === exitCodes.refused) return undefined;
    throw thrown;
  }
}
