import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { figureBreaches } from "../../../cli/check/figures.ts";
import { projectRoot } from "../../../cli/project.ts";

const textOf = (path: string) => readFileSync(join(projectRoot, path), "utf8");
const readme = textOf("README.md");
const results = textOf("bench/RESULTS.md");
const conformance = textOf("test/distribution/conformance_suites.ts");

const figures = [...readme.matchAll(/^- \*\*[\s\S]*?(?=\n\n)/gm)].flatMap(([list]) =>
  [...list.matchAll(/\d[\d.,]*(?<=\d)/g)].map(({ 0: text, index }) => ({ text, index })),
);
const listAt = readme.indexOf("\n- **") + 1;

test("the figures of README.md are those of the bench, the conformance test and the size limits", () => {
  expect(figures.length).toBeGreaterThan(15);
  expect(figureBreaches(readme, { results, conformance })).toEqual([]);
});

test.each(figures)("a change of the figure $text is found, with its line", ({ text, index }) => {
  const place = listAt + index;
  const changed = `${readme.slice(0, place)}7${text.slice(1)}3${readme.slice(place + text.length)}`;
  const line = readme.slice(0, place).split("\n").length;
  const [breach, ...more] = figureBreaches(changed, { results, conformance });
  expect(breach).toMatch(
    new RegExp(`^README\\.md:${line}: .* must be ${text.replaceAll(",", "")}, `),
  );
  expect(more).toEqual([]);
});

test("a figure that no source has is found, and so is a missing sentence", () => {
  const changed = readme.replace(/^- \*\*Fast imports[\s\S]*?(?=^- )/m, "- It has 12 wheels.\n");
  expect(figureBreaches(changed, { results, conformance })).toEqual([
    expect.stringMatching(
      /^README\.md:\d+: the list lacks "An import of \{\} tag moves takes \{\} seconds"$/,
    ),
    expect.stringMatching(/^README\.md:\d+: no check compares the figure 12$/),
  ]);
});

test("README.md cannot state a goal that the bench missed", () => {
  const missed = results.replace(
    /(of a List in a scope \| 1 \| )met by all/,
    "$13 cases, of which these miss",
  );
  const [breach] = figureBreaches(readme, { results: missed, conformance });
  expect(breach).toMatch(/ 1 must be undefined, as in bench\/RESULTS\.md$/);
});
