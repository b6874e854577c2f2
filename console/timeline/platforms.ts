/** The platforms of images. Only these have packages, and a tag often points to an index of them. */
import { type Client, type ImagePlatform, NotFound, PermissionDenied } from "../../client/index.ts";

/** An image of an index, for one platform. */
export interface Platform {
  /** Such as `linux/amd64`. Without the operating system if the platform does not know it. */
  name: string;
  digest: string;
}

/**
 * Returns the platforms of images in the order of the digests, with one call. Empty for an image that the registry does
 * not have, as after an import, and if the person may not see them.
 */
export async function readPlatforms(
  client: Client,
  repoUid: string,
  digests: string[],
): Promise<Platform[][]> {
  try {
    const request = { repoUid, digests };
    const { imageSummaries = [] } = await client.imageSummaries.batchGetImageSummaries(request);
    return digests.map((digest) =>
      platformsOf(imageSummaries.find((summary) => summary.digest === digest)?.platforms),
    );
  } catch (error) {
    if (error instanceof NotFound || error instanceof PermissionDenied)
      return digests.map(() => []);
    throw error;
  }
}

/** The platforms with a name and a digest. */
export const platformsOf = (platforms: readonly ImagePlatform[] = []): Platform[] =>
  platforms.flatMap(({ os = "", architecture = "", digest = "" }) =>
    architecture === "" || digest === ""
      ? []
      : [{ name: os === "" ? architecture : `${os}/${architecture}`, digest }],
  );

/** The platform to compare: the one that was asked for, otherwise the most usual one, otherwise the first. */
export function platformFor(asked: string, sides: readonly Platform[][]): string {
  const names = namesOf(sides);
  if (names.includes(asked)) return asked;
  return names.find((name) => /^(?:linux\/)?amd64$/.test(name)) ?? names[0] ?? "";
}

/** The names of all platforms, each once. */
export const namesOf = (sides: readonly Platform[][]): string[] => [
  ...new Set(sides.flat().map(({ name }) => name)),
];
