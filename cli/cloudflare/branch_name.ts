/** Derives the name of a preview from a git branch. */
import { createHash } from "node:crypto";

/**
 * Returns a DNS label of at most `length` characters: lowercase letters, digits and single hyphens, with a letter
 * first. A shortened name ends in six digits of its hash, so that two long branches get different names. Returns
 * undefined if no character of the branch name is usable.
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
