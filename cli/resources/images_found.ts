/** Rows about images, grouped by repository and image, for people. */

import type { Output } from "../surroundings.ts";
import type { JsonObject } from "./flags.ts";
import { styleOutput } from "./table.ts";

/** A line below an image. `isDim` marks a row that needs no work. */
export interface ImageLine {
  text: string;
  isDim: boolean;
}

/** A repository with its images, each with the rows about it. */
interface FoundRepo {
  uid: string;
  name: string;
  images: { digest: string; tags: string[]; rows: JsonObject[] }[];
}

/** Groups rows that have `repoUid`, `repoName`, `digest` and `tags`. Repositories are sorted by name. */
export function groupRows(rows: JsonObject[]): FoundRepo[] {
  const repos = new Map<string, FoundRepo>();
  for (const row of rows) {
    const [uid, digest] = [String(row.repoUid), String(row.digest)];
    const repo = repos.get(uid) ?? { uid, name: String(row.repoName), images: [] };
    repos.set(uid, repo);
    const known = repo.images.find((image) => image.digest === digest);
    if (known) known.rows.push(row);
    else repo.images.push({ digest, tags: tagsOf(row), rows: [row] });
  }
  const isTagged = ({ tags }: { tags: string[] }) => Number(tags.length > 0);
  for (const { images } of repos.values()) images.sort((a, b) => isTagged(b) - isTagged(a));
  return [...repos.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns the tags of a row. */
export const tagsOf = ({ tags }: JsonObject): string[] =>
  Array.isArray(tags) ? tags.map(String) : [];

/** Returns the most tags that fit on a line, and the number of the others. */
function tagText(tags: string[]): string {
  const shown = 6;
  if (tags.length === 0) return "(no tag)";
  const more = tags.length > shown ? ` and ${tags.length - shown} more` : "";
  return `${tags.slice(0, shown).join(", ")}${more}`;
}

/** Returns the text: a repository, its images with their tags, and a line for each row. */
export function groupedText(
  rows: JsonObject[],
  out: Output,
  lineOf: (row: JsonObject) => ImageLine,
): string {
  const repos = groupRows(rows);
  const names = repos.map(({ name }) => name);
  const isAmbiguous = (name: string) => names.indexOf(name) !== names.lastIndexOf(name);
  return repos
    .map(({ uid, name, images }) => {
      const suffix = isAmbiguous(name) ? `  ${styleOutput(out, "dim", uid)}` : "";
      const lines = images.flatMap(({ digest, tags, rows: matches }) => [
        `  ${tagText(tags)}  ${styleOutput(out, "dim", digest.slice(0, 19))}`,
        ...matches
          .map(lineOf)
          .map(({ text, isDim }) => `    ${isDim ? styleOutput(out, "dim", text) : text}`),
      ]);
      return `${styleOutput(out, "bold", name)}${suffix}\n${lines.join("\n")}`;
    })
    .join("\n\n");
}

/** Returns lines with values that are separated by tabs, for programs. */
export const tabbed = (lines: string[][]): string =>
  lines.map((cells) => cells.join("\t")).join("\n");
