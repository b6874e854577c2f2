/** The Markdown files that are pages of the site, in reading order. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The titles in the navigation, with the names of their pages. */
const sections = [
  { title: "Get started", names: ["start", "api", "concepts", "console", "platformctl"] },
  {
    title: "Access",
    names: [
      "tokens",
      "ci",
      "one-image",
      "people",
      "access-changes",
      "invites",
      "scim",
      "access",
      "terms",
      "clouds",
      "unused-access",
      "apply",
    ],
  },
  { title: "Calls", names: ["paging", "changes", "errors", "grpc", "mcp"] },
  {
    title: "Images and vulnerabilities",
    names: [
      "push-and-pull",
      "kubernetes",
      "large-layers",
      "mirror-docker-hub",
      "coming-from",
      "end-of-life",
      "clean-up-and-cost",
      "tag-history",
      "protect-tags",
      "signatures",
      "lockfile",
      "imports",
      "vulnerabilities",
      "affected-images",
      "next-advisory",
    ],
  },
  { title: "Events", names: ["events"] },
  { title: "Questions", names: ["questions"] },
  { title: "Version 1", names: ["migrating"] },
  { title: "Reference", names: ["glossary"] },
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
