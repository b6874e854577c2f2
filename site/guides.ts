/** The Markdown files that are pages of the site, in reading order. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The titles in the navigation, with the names of their pages. */
const sections = [
  {
    title: "Use images",
    names: [
      "start",
      "push-and-pull",
      "kubernetes",
      "ci",
      "one-image",
      "tag-history",
      "lockfile",
      "large-layers",
      "affected-images",
      "next-advisory",
      "signatures",
      "console",
      "platformctl",
      "questions",
    ],
  },
  {
    title: "Run the platform",
    names: [
      "concepts",
      "coming-from",
      "people",
      "invites",
      "scim",
      "access",
      "access-changes",
      "unused-access",
      "apply",
      "clouds",
      "terms",
      "protect-tags",
      "end-of-life",
      "clean-up-and-cost",
      "mirror-docker-hub",
      "vulnerabilities",
      "imports",
    ],
  },
  {
    title: "Write programs",
    names: [
      "api",
      "tokens",
      "changes",
      "paging",
      "errors",
      "events",
      "grpc",
      "mcp",
      "migrating",
      "glossary",
    ],
  },
];

/** Pages outside docs/guides, under the name that their file would have there. */
const otherSources: Record<string, string> = { migrating: "docs/VERSIONS.md" };

/** A page: `/docs/<name>` on the site, and `source` in the repository, with `/` between folders. */
export type Guide = { name: string; source: string; section: string; markdown: string };

/** All guides in reading order. Throws if a guide is not in the list, or if its file does not exist. */
export function readGuides(root: string): Guide[] {
  const stored = readdirSync(join(root, "docs/guides"))
    .filter((file) => file.endsWith(".md"))
    .map((file) => file.slice(0, -".md".length));
  const listed = sections.flatMap(({ names }) => names);
  const lost = stored.filter((name) => !listed.includes(name));
  if (lost.length > 0) {
    throw new Error(
      `docs/guides: give ${lost.join(", ")} a place in the sections of site/guides.ts`,
    );
  }
  return sections.flatMap(({ title, names }) =>
    names.map((name) => {
      const source = otherSources[name] ?? `docs/guides/${name}.md`;
      const markdown = readFileSync(join(root, source), "utf8");
      return { name, source, section: title, markdown };
    }),
  );
}
