/** The pictures of the guides. In the Markdown they work on GitHub. */
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";

/** A picture of the repository. The size is in pixels. */
export type PictureFile = { path: string; content: Buffer; width: number; height: number };

/**
 * Reads a picture of a guide, whose file is `source`. Throws if it is not a file in docs/images, or if it is not a WebP
 * (RFC 9649) of the simple lossy or the extended format.
 */
export function readPicture(href: string, source: string, root: string): PictureFile {
  const name = posix.join(posix.dirname(source), href);
  if (!name.startsWith("docs/images/"))
    throw new Error(`the picture ${href} is not in docs/images`);
  const path = join(root, name);
  const content = readFileSync(path);
  const size = sizes[content.toString("latin1", 8, 16)]?.(content);
  if (!size) throw new Error(`the picture ${href} is not a lossy or extended WebP`);
  return { path, content, ...size };
}

/** The size in a header (RFC 9649, sections 2.5 and 2.7). */
const sizes: Record<string, (content: Buffer) => { width: number; height: number }> = {
  "WEBPVP8 ": (content) => ({
    width: content.readUInt16LE(26) & 0x3fff,
    height: content.readUInt16LE(28) & 0x3fff,
  }),
  WEBPVP8X: (content) => ({
    width: content.readUIntLE(24, 3) + 1,
    height: content.readUIntLE(27, 3) + 1,
  }),
};
