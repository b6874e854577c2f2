/** Where the links of a guide lead on the site. In the Markdown they are those that work on GitHub. */
import { existsSync } from "node:fs";
import { join, posix } from "node:path";

/** What a page can be linked by: its file, its address, and the fragments it has. */
export type LinkTarget = { source: string; path: string; ids: string[] };

/** Addresses of the site that no Markdown file stands for. */
const addresses = ["/docs", "/openapi.json"];

/**
 * Where a link of `from` leads: to another site as it is, to a page's address, or nowhere
 * (undefined) where it names a file of the repository that is no page. Throws if it leads to
 * nothing at all.
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
  const target = targets.find((one) => one.source === source);
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
