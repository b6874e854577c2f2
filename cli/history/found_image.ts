/** Finds the digest of the image that a command names, and the repository that has it. */
import { refusedFailure } from "../failure.ts";
import type { PlatformClient } from "../resources/platform.ts";
import { findNamedTag, findRepo } from "./repository.ts";

/** Includes the tags that a list leaves out. */
export const everyTag = { includeReferrers: true, includeDates: true, includeEpochs: true };

const digestForm = /^(.+)@(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/;

export interface FoundImage {
  repoUid: string;
  /** As the user gave it, without the host, the tag and the digest. */
  name: string;
  digest: string;
}

/** Returns an image by its digest, or by a tag. Throws a Failure if the tag points to none. */
export async function findImage(platform: PlatformClient, image: string): Promise<FoundImage> {
  const [, name, digest] = digestForm.exec(image) ?? [];
  if (name && digest) return { repoUid: await findRepo(platform, name), name, digest };
  const { tag, ...named } = await findNamedTag(platform, image);
  const filter = {
    uidp: { childrenOf: named.repoUid },
    ...{ name: tag, ...everyTag },
  };
  const [row] = await platform.rows("platform.registry.v2.TagsService/ListTags", filter, 1);
  if (row?.digest) return { ...named, digest: String(row.digest) };
  throw refusedFailure("NOT_FOUND", `${named.name}:${tag} points to no image.`);
}
