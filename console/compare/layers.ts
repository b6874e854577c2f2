/** The layers that two images have in common. */
import type { Descriptor } from "../images/documents.ts";

/** Numbers of layers, and the bytes of those in both. */
export interface CommonLayers {
  common: number;
  first: number;
  second: number;
  /** The size of the common layers, each counted once. */
  bytes: number;
}

/** Compares the layers by their digests. An image can have a layer more than once, which then counts once. */
export function commonLayers(
  first: readonly Descriptor[],
  second: readonly Descriptor[],
): CommonLayers {
  const sizes = (layers: readonly Descriptor[]) =>
    new Map(layers.map(({ digest, size }) => [digest, size]));
  const [one, other] = [sizes(first), sizes(second)];
  const shared = [...one].filter(([digest]) => other.has(digest));
  const bytes = shared.reduce((sum, [, size]) => sum + size, 0);
  return { common: shared.length, first: one.size, second: other.size, bytes };
}
