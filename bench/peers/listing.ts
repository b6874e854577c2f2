/** The data of every registry in this comparison: the tags of one image, in pages by name. */
import type { LoadTarget } from "../speed/load.ts";

export const pageSize = 50;

/** The names of all tags in byte order, which is the order of the pages. */
export const tagNames = Array.from({ length: 10_000 }, (_, index) => `1.${index}`).toSorted();

/** The digest of all tags. No one requests the manifest itself. */
export const digest = `sha256:${"5eed".repeat(16)}`;

/** A running registry with the tags. */
export interface Peer {
  /** The name with the version. */
  name: string;
  firstPage: LoadTarget;
  lastPage: LoadTarget;
  /** Returns the names of the tags in a response. */
  namesOf(body: unknown): string[];
  stop(): Promise<void>;
}
