/** The name of a preview, out of a git branch. */
import { createHash } from "node:crypto";

/**
 * A DNS label of at most `length` characters: lower-case letters, digits and single dashes, a
 * letter first. A name that is cut ends in six digits of its hash, so that two long branches stay
 * apart. Undefined if nothing of the branch's name is left.
 */
export function previewName(branch: string, length: number): string | undefined {
  const label = branch
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  if (label === "") return undefined;
  const name = /^[a-z]/.test(label) ? label : `b-${label}`;
  if (name.length <= length) return name;
  const hash = createHash("sha256").update(branch).digest("hex").slice(0, 6);
  return `${name.slice(0, length - hash.length - 1).replace(/-+$/, "")}-${hash}`;
}
