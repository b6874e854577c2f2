/** The pictures of the guides. In the Markdown they work on GitHub. */
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";

/** A picture of the repository. The size is in pixels. */
export type PictureFile = { path: string; content: Buffer; width: number; height: number };

/**
 * Reads a picture of a guide, whose file is `source`. Throws if it is not a file in docs/images, or if it is not a lossy
 * WebP (RFC 9649, section 2.5).
 */
export function readPicture(href: string, source: string, root: string): PictureFile {
  const name = posix.join(posix.dirname(source), href);
  if (!name.startsWith("docs/images/"))
    throw new Error(`the picture ${href} is not in docs/images`);
  const path = join(root, name);
  const content = readFileSync(path);
  const kind = content.toString("latin1", 0, 4) + content.toString("latin1", 8, 16);
  if (kind !== "RIFFWEBPVP8 ") throw new Error(`the picture ${href} is not a lossy WebP`);
  const sizeAt = (offset: number) => content.readUInt16LE(offset) & 0x3fff;
  return { path, content, width: sizeAt(26), height: sizeAt(28) };
}
