/** The versions of images, by the names of the tags that point to them. */
import { tagLineOf } from "../../packages/tag_lines.ts";

interface Version {
  name: string;
  /** Sorts like the version. */
  key: string;
}

/** The greatest version for each form of name, such as `1.2.3` and `1.2.3-slim`. */
function versionsOf(names: readonly string[]): Map<string, Version> {
  const greatest = new Map<string, Version>();
  for (const name of names) {
    const { line, lineKey: key } = tagLineOf(name);
    if (line === "") continue;
    // The line begins with the number of numbers and the letter for a release. Versions of all lengths are compared.
    const form = line.slice(2);
    const before = greatest.get(form);
    if (!before || key > before.key) greatest.set(form, { name, key });
  }
  return greatest;
}

/**
 * Why an image with the tags `after` does not come after one with the tags `before`, or is not the same version.
 * Undefined if it does. Names of different forms, such as `1.3.0-slim` and `1.2.0`, are not compared. Any image comes
 * after one without a version.
 */
export function versionGap(
  before: readonly string[],
  after: readonly string[],
): string | undefined {
  const [old, next] = [versionsOf(before), versionsOf(after)];
  if (next.size === 0) return "no tag with a version points to the image";
  if (old.size === 0) return undefined;
  const shared = [...next].flatMap(([form, version]) => {
    const previous = old.get(form);
    return previous ? [{ version, previous }] : [];
  });
  if (shared.length === 0)
    return "the versions of the image and of the current one have different forms";
  const lower = shared.find(({ version, previous }) => version.key < previous.key);
  return (
    lower &&
    `the version ${lower.version.name} of the image is before the current one, ${lower.previous.name}`
  );
}
