/** The blobs and manifests of a history. */
import type { Dice } from "./dice.ts";

const ociType = "application/vnd.oci.image";
export const manifestType = `${ociType}.manifest.v1+json`;

/** A larger manifest needs bytes in the bucket. */
export const maxInlineSize = 64 * 1024;

export interface Content {
  name: string;
  bytes: Uint8Array;
  digest: string;
}

/** A manifest, which names its blobs. */
export interface Manifest extends Content {
  blobs: Content[];
}

export type DigestOf = (bytes: Uint8Array) => Promise<string>;

/** Two to four contents. GOOD and EVIL have the same length. They occur in no other history. */
export async function makeContents(
  dice: Dice,
  seed: number,
  digestOf: DigestOf,
): Promise<Content[]> {
  const small = dice.between(30, 90);
  // Above the size of a part in R2.
  const large = 8 * 1024 * 1024 + small;
  const size = dice.chance(0.01) ? large : small;
  const sizes = { GOOD: size, EVIL: size, long: small + dice.between(1, 40), fourth: small };
  const names = Object.entries(sizes).slice(0, dice.between(2, 4));
  return Promise.all(
    names.map(async ([name, length]) => {
      const bytes = new Uint8Array(length);
      const text = `${name} of history ${seed}: `;
      new TextEncoder().encodeInto(text.padEnd(90, name), bytes);
      return { name, bytes, digest: await digestOf(bytes) };
    }),
  );
}

/** One manifest, or also one that is too large for D1. */
export async function makeManifests(
  dice: Dice,
  contents: Content[],
  digestOf: DigestOf,
): Promise<Manifest[]> {
  const make = (name: string, padding: number) => {
    const all = dice.chance(0.5) ? contents : contents.toReversed();
    return makeManifest(name, all.slice(0, dice.between(2, 3)), digestOf, padding);
  };
  const small = await make("manifest", 0);
  return dice.chance(0.3) ? [small, await make("large manifest", maxInlineSize)] : [small];
}

/** A manifest with these blobs, of which the first is the configuration. */
export async function makeManifest(
  name: string,
  blobs: Content[],
  digestOf: DigestOf,
  padding = 0,
): Promise<Manifest> {
  const [config, ...layers] = blobs.map(({ digest, bytes }, at) => ({
    mediaType: at === 0 ? `${ociType}.config.v1+json` : `${ociType}.layer.v1.tar`,
    digest,
    size: bytes.length,
  }));
  const annotations = { name, padding: "x".repeat(padding) };
  const document = { schemaVersion: 2, mediaType: manifestType, config, layers, annotations };
  const bytes = new TextEncoder().encode(JSON.stringify(document));
  return { name, bytes, digest: await digestOf(bytes), blobs };
}
