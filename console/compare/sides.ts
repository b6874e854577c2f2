/** The two images of a comparison, as its address names them. */
import { useQuery } from "@tanstack/preact-query";
import type { ChoiceSource } from "../data/choices.ts";
import { isDigest, shortDigest } from "../data/digests.ts";
import { useClient } from "../data/platform.tsx";
import { isUid, parentOf } from "../data/uids.ts";
import { type ImageAddress, readImageAddress, useRepo } from "../images/use_image.ts";

/** One of the two. */
export interface Side {
  /** Undefined while it is not known, and for a tag that points to no image. */
  image: ImageAddress | undefined;
  /** Such as `python:3.12`, or the name of the repository with the first digits of the digest. Empty for no side. */
  name: string;
  /** The uid of its repository. */
  repo: string;
  repoName: string;
  /** The uid of the tag. Undefined for an image by its digest. */
  tag: string | undefined;
  /** Whether it is a tag that points to no image yet. */
  isEmpty: boolean;
  error: Error | null;
}

/** Reads a side. `text` is the uid of a tag, or the uid of a repository, `@` and a digest. */
export function useSide(text: string): Side {
  const client = useClient();
  const named = readImageAddress(text);
  const tagUid = named === undefined && isUid(text) ? text : "";
  const tag = useQuery({
    queryKey: ["tags", tagUid],
    queryFn: () => client.tags.get(tagUid),
    enabled: tagUid !== "",
  });
  const repo = named?.repo ?? parentOf(tagUid);
  const { data, error } = useRepo(repo, repo !== "");
  const digest = named?.digest ?? tag.data?.digest;
  const end = named ? `@${shortDigest(named.digest)}` : `:${tag.data?.name ?? "…"}`;
  return {
    image: digest === undefined ? undefined : { repo, digest },
    name: repo === "" ? "" : `${data?.name ?? "…"}${end}`,
    repo,
    repoName: data?.name ?? "",
    tag: tagUid || undefined,
    isEmpty: tag.data !== undefined && tag.data.digest === undefined,
    error: tag.error ?? error,
  };
}

/** Suggestions of the field. */
const maxTags = 20;

/** The tags of a repository whose names begin with a text, the newest without one. Or the image of a digest. */
export const tagChoices = (repo: string): ChoiceSource => ({
  key: ["tags", repo],
  read: async (client, text) => {
    const image = readImageAddress(isDigest(text) ? `${repo}@${text}` : text);
    if (image)
      return [
        {
          uid: `${image.repo}@${image.digest}`,
          name: text,
          detail: `Image ${shortDigest(image.digest)}`,
        },
      ];
    const all = { childrenOf: repo, includeDates: true, includeEpochs: true, pageSize: maxTags };
    const order = text === "" ? { orderBy: "update_time desc" } : { namePrefix: text };
    const tags = await client.tags.list({ ...all, ...order }).all(maxTags);
    return tags.map(({ uid, name, digest = "" }) => ({
      uid,
      name,
      detail: shortDigest(digest) || "No image yet",
    }));
  },
});
