/** The data of an image that the views of its page share. */
import { useQuery } from "@tanstack/preact-query";
import { isDigest } from "../data/digests.ts";
import { unlessMissing } from "../data/errors.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { parentOf } from "../data/uids.ts";

/** An image: the uid of its repository, and its digest. */
export interface ImageAddress {
  repo: string;
  digest: string;
}

/** Reads the end of the address of an image. Undefined if it does not name one. */
export function readImageAddress(rest: string): ImageAddress | undefined {
  const [, repo = "", digest = ""] =
    /^([0-9a-f]{40}(?:\/[0-9a-f]{16})+)@(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/.exec(rest) ??
    [];
  return repo === "" ? undefined : { repo, digest };
}

export function useRepo(uid: string, enabled = true) {
  const client = useClient();
  return useQuery({ queryKey: ["repos", uid], queryFn: () => client.repos.get(uid), enabled });
}

/** The data that the platform stores about the image. Null if there is nothing. */
export function useManifest({ repo, digest }: ImageAddress) {
  const client = useClient();
  return useQuery({
    queryKey: ["manifests", repo, digest],
    queryFn: async () => {
      const hash = digest.split(":")[1] ?? "";
      const manifest = await unlessMissing(client.manifests.get(`${repo}/${hash.slice(0, 16)}`));
      return manifest?.digest === digest ? manifest : null;
    },
  });
}

/**
 * The documents of the image in the registry. Null if the registry does not have them. The name of the repository makes up
 * the name in the registry, together with the uid of its group.
 */
export function useContents({ repo, digest }: ImageAddress, name: string, enabled = true) {
  const client = useClient();
  return useQuery({
    queryKey: ["contents", repo, digest],
    queryFn: () => unlessMissing(client.contents(`${parentOf(repo)}/${name}@${digest}`)),
    staleTime: Number.POSITIVE_INFINITY,
    enabled,
  });
}

/** The most digests of one request, which are part of its URL. */
const maxSummaries = 50;

/** The platforms and the numbers of vulnerabilities of some images of a repository, by digest. */
export function useSummaries(repoUid: string, all: readonly string[]) {
  const client = useClient();
  const digests = [...new Set(all)].slice(0, maxSummaries);
  return useQuery({
    queryKey: ["summaries", repoUid, digests],
    queryFn: async () => {
      const request = { repoUid, digests };
      const { imageSummaries = [] } = await client.imageSummaries.batchGetImageSummaries(request);
      return new Map(imageSummaries.map((summary) => [summary.digest ?? "", summary]));
    },
    enabled: digests.length > 0,
  });
}

/** The index of the address, if it contains the image. */
export function useIndex({ repo, digest }: ImageAddress): string | undefined {
  const { get } = useParameters();
  const index = get("index");
  const { data } = useSummaries(repo, isDigest(index) ? [index] : []);
  const isPart = data?.get(index)?.platforms?.some((platform) => platform.digest === digest);
  return isPart ? index : undefined;
}

/** The tags that point to the image now. They include the tags that signatures have. */
export function useTagsNow({ repo, digest }: ImageAddress) {
  const client = useClient();
  return useQuery({
    queryKey: ["tags", { repo, digest }],
    queryFn: () =>
      client.tags.list({ childrenOf: repo, digest, includeReferrers: true }).all(maxTags),
  });
}

const maxTags = 200;
