/** The files of an OCI layout besides its blobs (OCI image specification 1.1, "Image Layout"). */
import { blobPath, type Descriptor, refName } from "./descriptor.ts";
import type { RemoteImage } from "./remote_image.ts";

/** The content of `oci-layout`. */
export const layoutFile = '{"imageLayoutVersion":"1.0.0"}';

/** The content of `index.json`. */
export type LayoutIndex = { schemaVersion: 2; mediaType?: string; manifests: Descriptor[] };

/** Returns the index with this image, under its tag. It replaces an image that had the tag before. */
export function withImage(
  index: LayoutIndex | undefined,
  { root }: RemoteImage,
  tag: string | undefined,
): LayoutIndex {
  const { digest } = root.descriptor;
  const annotations = tag === undefined ? {} : { annotations: { [refName]: tag } };
  const isOther = (descriptor: Descriptor) =>
    tag === undefined ? descriptor.digest !== digest : descriptor.annotations?.[refName] !== tag;
  return {
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.index.v1+json",
    manifests: [
      ...(index?.manifests ?? []).filter(isOther),
      { ...root.descriptor, ...annotations },
    ],
  };
}

/**
 * Returns the content of `manifest.json`, by which `docker load` finds the image in an archive. Undefined for an index:
 * `docker load` reads only one platform.
 */
export function dockerManifest({ root }: RemoteImage, reference: string): object[] | undefined {
  const { config, layers } = root.content;
  if (!config || !layers) return undefined;
  return [
    {
      Config: blobPath(config.digest),
      RepoTags: reference.includes("@") ? [] : [reference],
      Layers: layers.map(({ digest }) => blobPath(digest)),
    },
  ];
}
