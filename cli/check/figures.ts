/**
 * Checks the figures in the list of properties of README.md. They come from bench/RESULTS.md, from the test that runs
 * the conformance suites, and from the size limits of the Workers.
 */
import { limits, platformBound } from "./sizes.ts";

/** A sentence of the list with `{}` in place of each figure, the figures, and where they come from. */
type Claim = { sentence: string; figures: (string | undefined)[]; source: string };

/** The texts that have the figures: bench/RESULTS.md, and the test that runs the conformance suites. */
export type FigureSources = { results: string; conformance: string };

const figure = "\\d[\\d.,]*(?<=\\d)";

/** Returns what is wrong with the figures of the list, as `README.md:line: what is wrong`. */
export function figureBreaches(readme: string, { results, conformance }: FigureSources): string[] {
  const start = readme.indexOf("\n- **") + 1;
  const list = readme.slice(start, readme.indexOf("\n\n", start));
  const placeOf = (offset: number) =>
    `README.md:${readme.slice(0, start + offset).split("\n").length}`;
  const checked = new Set<number>();
  const claims = [...measuredClaims(results), ...conformanceClaims(conformance), sizeClaim()];
  const wrong = claims.flatMap(({ sentence, figures, source }) => {
    const match = patternOf(sentence).exec(list);
    if (!match?.indices) return [`${placeOf(0)}: the list lacks "${sentence}"`];
    return match.indices.slice(1).flatMap(([offset] = [0, 0], index) => {
      checked.add(offset);
      const [stated, actual] = [match[index + 1] ?? "", figures[index]];
      if (stated.replaceAll(",", "") === actual) return [];
      return [`${placeOf(offset)}: ${stated} must be ${actual}, as in ${source}`];
    });
  });
  const unchecked = [...list.matchAll(new RegExp(figure, "g"))]
    .filter(({ index }) => !checked.has(index))
    .map((match) => `${placeOf(match.index)}: no check compares the figure ${match[0]}`);
  return [...wrong, ...unchecked];
}

const patternOf = (sentence: string) =>
  new RegExp(sentence.replaceAll(" ", "\\s+").replaceAll("{}", `(${figure})`), "d");

function measuredClaims(results: string): Claim[] {
  const firstMatch = (pattern: string) => (new RegExp(pattern).exec(results) ?? []).slice(1);
  const historyRows = (part: string) =>
    firstMatch(`history of (\\d+) records, ${part} (\\d+) \\|.*\\| 1, (\\d+) rows \\|`);
  const pages = [...results.matchAll(/ after (\d+) of (\d+) tags, .*\| ([\d.]+) × \|/g)];
  const ratios = pages.map(([, , , ratio = ""]) => ratio).sort((a, b) => Number(a) - Number(b));
  const claims: [string, (string | undefined)[]][] = [
    [
      "A List of everything below one group takes {} request to the database",
      firstMatch("D1 round trips of a List in a scope \\| (\\d+) \\| met by all "),
    ],
    [
      "The page after {} of {} tags takes {} to {} times as long as the first page",
      [pages[0]?.[1], pages[0]?.[2], ratios[0], ratios.at(-1)],
    ],
    ["If a tag has moved {} times, the first page of {} moves reads {} ", historyRows("first")],
    ["the last page reads {}", historyRows("last").slice(2)],
    [
      "An import of {} tag moves takes {} seconds",
      firstMatch("import of (\\d+) tag moves into an empty group \\|.*\\| ([\\d.]+) s \\|"),
    ],
  ];
  return claims.map(([sentence, figures]) => ({ sentence, figures, source: "bench/RESULTS.md" }));
}

/** The test expects the results of the suite of a release, and then those of the suite on the main branch. */
function conformanceClaims(test: string): Claim[] {
  const [, release] = /"oci-conformance-([\d.]+)"/.exec(test) ?? [];
  const [older, newer] = [
    ...test.matchAll(/expected: \{ passed: (\d+), failed: 0, skipped: (\d+) \}/g),
  ];
  const all = String(Number(older?.[1]) + Number(older?.[2]));
  return [
    {
      sentence:
        "It passes all {} tests of the suite on the main branch, and {} of the {} in the release {}",
      figures: [newer?.[1], older?.[1], all, release],
      source: "test/distribution/conformance_suites.ts",
    },
    {
      sentence: "That suite skips the other {},",
      figures: [older?.[2]],
      source: "test/distribution/conformance_suites.ts",
    },
  ];
}

const sizeClaim = (): Claim => ({
  sentence: "the whole platform is under {} KiB, and the largest Worker is under {} KiB",
  figures: [platformBound, Math.max(...Object.values(limits))].map(String),
  source: "cli/check/sizes.ts",
});
