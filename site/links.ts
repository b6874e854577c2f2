/** Resolves the links of a guide for the site. In the Markdown they work on GitHub. */
import { existsSync } from "node:fs";
import { join, posix } from "node:path";

/** The ways to link to a page: its file, its address, and its fragments. */
export type LinkTarget = { source: string; path: string; ids: string[] };

/** Addresses of the site that have no Markdown file. */
const addresses = ["/docs", "/openapi.json"];

/**
 * Resolves a link of `from`. A link to another site stays unchanged, and a link to a page becomes its
 * address. Undefined if it names a file of the repository that is not a page. Throws if the target does not
 * exist.
 */
export function resolveLink(
  href: string,
  from: LinkTarget,
  targets: LinkTarget[],
  root: string,
): string | undefined {
  if (/^(https?|mailto):/.test(href)) return href;
  if (addresses.includes(href)) return href;
  const broken = (why: string) => new Error(`the link ${href} ${why}`);
  if (/^[a-z]+:|^\//.test(href)) throw broken("is none that works on GitHub, too");
  const [file = "", fragment] = href.split("#");
  const source = file ? posix.join(posix.dirname(from.source), decodeURI(file)) : from.source;
  const target = targets.find((candidate) => candidate.source === source);
  if (!target) {
    if (source.startsWith("..") || !existsSync(join(root, source))) {
      throw broken("leads to nothing");
    }
    return undefined;
  }
  if (fragment && !target.ids.includes(fragment)) throw broken("names no heading there");
  const path = target === from ? "" : target.path;
  return fragment ? `${path}#${fragment}` : path || target.path;
}
