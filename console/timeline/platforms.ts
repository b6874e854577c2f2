/** The platforms of an image. Only the images of platforms have packages, and a tag often points to an index of them. */
import { type Client, NotFound, PermissionDenied } from "../../client/index.ts";

/** An image of an index, for one platform. */
export interface Platform {
  /** Such as `linux/amd64` or `linux/arm/v7`. */
  name: string;
  digest: string;
}

/**
 * Returns the platforms in an image index. Empty if the image is none, or the person cannot pull it. After an import,
 * the registry does not have it. `image` is a name with a digest.
 */
export async function readPlatforms(client: Client, image: string): Promise<Platform[]> {
  try {
    const { manifest } = await client.contents(image);
    return platformsOf(manifest);
  } catch (error) {
    // Someone who may not pull the image may still see its documents.
    if (error instanceof NotFound || error instanceof PermissionDenied) return [];
    throw error;
  }
}

/** The platforms that an image index names (OCI image specification). Attestations have none and are left out. */
export function platformsOf({ manifests }: { manifests?: unknown }): Platform[] {
  if (!Array.isArray(manifests)) return [];
  return manifests.flatMap((entry: { digest?: unknown; platform?: Record<string, unknown> }) => {
    const { digest, platform = {} } = entry ?? {};
    const parts = [platform.os, platform.architecture, platform.variant].filter(
      (part): part is string => typeof part === "string" && part !== "",
    );
    const isKnown = parts.length >= 2 && parts[0] !== "unknown";
    return typeof digest === "string" && isKnown ? [{ name: parts.join("/"), digest }] : [];
  });
}

const usual = "linux/amd64";

/** The platform to compare: the one that was asked for, otherwise the most usual one, otherwise the first. */
export function platformFor(asked: string, sides: readonly Platform[][]): string {
  const names = namesOf(sides);
  if (names.includes(asked)) return asked;
  return names.includes(usual) ? usual : (names[0] ?? "");
}

/** The names of all platforms, each once. */
export const namesOf = (sides: readonly Platform[][]): string[] => [
  ...new Set(sides.flat().map(({ name }) => name)),
];
