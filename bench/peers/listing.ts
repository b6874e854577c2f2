/** What every registry here holds and is asked for: the tags of one image, in pages by name. */
import type { LoadTarget } from "../speed/load.ts";

export const pageSize = 50;

/** Names of all tags, in the order of their bytes, in which pages have them. */
export const tagNames = Array.from({ length: 10_000 }, (_, at) => `1.${at}`).toSorted();

/** What all tags point to. Nobody here asks for the manifest itself. */
export const digest = `sha256:${"5eed".repeat(16)}`;

/** A registry that runs and has the tags. */
export interface Peer {
  /** With its version. */
  name: string;
  firstPage: LoadTarget;
  lastPage: LoadTarget;
  /** Names of the tags in an answer of it. */
  namesOf(body: unknown): string[];
  stop(): Promise<void>;
}
