/** The index of the search: sections of guides, and operations. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readMarkdown } from "../../site/markdown.ts";
import { guideEntries, operationEntries } from "../../site/search.ts";

const root = join(import.meta.dirname, "../..");
const guide = { name: "one", source: "docs/guides/one.md", section: "Calls", markdown: "" };

describe("the sections of a guide", () => {
  const markdown =
    "# Read *one*\n\nFor readers.\n\n## Ask `first`\n\n- A list\n- of words\n\n```bash\nsecret code\n```\n\n| a | b |\n| - | - |\n| c | d |\n";
  const document = readMarkdown(markdown);
  const entries = guideEntries({ guide, path: "/docs/one", title: document.title }, document);

  test("each has its address, and the guide as a whole comes first", () => {
    expect(entries.map(({ title, detail, address }) => [title, detail, address])).toEqual([
      ["Read one", "Guide", "/docs/one"],
      ["Ask first", "Read one", "/docs/one#ask-first"],
    ]);
  });

  test("their texts have lists and tables, and no code", () => {
    expect(entries.map(({ text }) => text)).toEqual(["For readers.", "A list of words a b c d"]);
  });

  test("a long text is cut", () => {
    const long = readMarkdown(`# Long\n\n${"word ".repeat(1000)}\n`);
    const [entry] = guideEntries({ guide, path: "/docs/long", title: "Long" }, long);
    expect(entry?.text).toHaveLength(1200);
  });
});

test("every operation of the OpenAPI document is in the index, at its place in the reference", () => {
  const openapi = JSON.parse(readFileSync(join(root, "schema/gen/openapi.json"), "utf8"));
  const operations = Object.values<object>(openapi.paths).flatMap((path) =>
    Object.values(path).filter((one) => one.operationId !== undefined),
  );
  const entries = operationEntries(openapi);
  expect(entries).toHaveLength(operations.length);
  expect(new Set(entries.map(({ address }) => address)).size).toBe(operations.length);
  expect(entries.map(({ address }) => address)).toContain("/docs#/Repos/listRepos");
});
