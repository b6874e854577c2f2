/** The files, functions, links and headings that the documents name exist. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { sourceFiles } from "../../cli/check/files.ts";
import { importsOf } from "../world/module_imports.ts";

const root = new URL("../..", import.meta.url).pathname;

const inFolder = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));

const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "SECURITY.md",
  "client/README.md",
  "cli/demo/README.md",
  ...inFolder("docs"),
];
const textOf = (path: string) => readFileSync(join(root, path), "utf8");
const withoutBlocks = (text: string) => text.replaceAll(/^```[\s\S]*?^```/gm, "");
const files = sourceFiles(root);
const top = new Set(readdirSync(root));
/** Folders that `npm ci` creates. They are in no commit. */
const made = ["site/dist"];

/** The first of these that is not a file, a folder or a file name of the project. */
const missingPaths = (text: string) =>
  [...withoutBlocks(text).matchAll(/`([^`\s]+)`/g)]
    .map(([, code = ""]) => code)
    .filter((code) => /^[\w.-]+(?:\/[\w.-]+)*\/?$/.test(code) && !made.includes(code))
    .filter((code) => {
      if (code.includes("/"))
        return top.has(code.split("/")[0] ?? "") && !existsSync(join(root, code));
      const isFileName = /^[a-z]\w*(?:\.v1)?\.(?:ts|js|mjs|toml)$/.test(code);
      const isThere = top.has(code) || files.some((path) => path.endsWith(`/${code}`));
      return isFileName && !isThere;
    });

/** The fragment that GitHub gives a heading. */
const fragmentOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");

const fragmentsOf = (text: string) =>
  [...withoutBlocks(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => fragmentOf(heading));

/** Links in a document that lead nowhere in the project. */
const brokenLinks = (path: string, text: string) =>
  [...withoutBlocks(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, href = ""]) => href)
    .filter((href) => !/^[a-z]+:/.test(href))
    .filter((href) => {
      const [file = "", fragment] = href.split("#");
      const target = file === "" ? path : relative(root, join(root, dirname(path), file));
      if (!existsSync(join(root, target))) return true;
      if (fragment === undefined) return false;
      return !fragmentsOf(target === path ? text : textOf(target)).includes(fragment);
    });

describe.each(documents)("%s", (path) => {
  test("names only files that exist", () => {
    expect(missingPaths(textOf(path))).toEqual([]);
  });

  test("links only to targets that exist", () => {
    expect(brokenLinks(path, textOf(path))).toEqual([]);
  });
});

test("docs/ARCHITECTURE.md and the pages that continue it name only functions that exist", () => {
  const named = ["ARCHITECTURE", "JOURNEYS", "RESOURCES"].flatMap((page) => {
    const text = withoutBlocks(textOf(`docs/${page}.md`));
    return [...text.matchAll(/`([a-z]+[A-Z]\w*)`/g)].map(([, name = ""]) => name);
  });
  expect(named.length).toBeGreaterThan(20);
  const sources = files
    .filter((path) => /^(?:src|cli|schema|client|site)\/.*\.(?:ts|mjs|proto)$/.test(path))
    .map(textOf)
    .join("\n");
  const unknown = named.filter((name) => !new RegExp(`\\b${name}\\b`).test(sources));
  expect(unknown).toEqual([]);
});

test("every guide has a title and begins with its readers", () => {
  for (const path of inFolder("docs/guides").filter((name) => !name.endsWith("/glossary.md"))) {
    expect(textOf(path), path).toMatch(/^# .+\n\nThis guide is for\b/);
  }
});

const sorted = (names: Iterable<string | undefined>) => [...new Set(names)].toSorted();

/** The first cell of each table row below a heading, split at each `code`. */
function rowsOf(text: string, heading: string): (string | undefined)[] {
  const [, section = ""] = text.split(`## ${heading}\n`);
  const [until = ""] = section.split("\n## ");
  const cells = [...until.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = ""]) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code));
}

describe("docs/guides/errors.md lists everything that exists, and nothing else:", () => {
  const text = textOf("docs/guides/errors.md");
  const sources = files.filter((path) => path.startsWith("src/")).map(textOf);
  const mentions = (pattern: RegExp) =>
    sorted(sources.flatMap((source) => [...source.matchAll(pattern)].map(([, a, b]) => a ?? b)));

  test("docs/guides/errors.md lists every type of precondition violation and no other", () => {
    const types = mentions(/failedPrecondition\(\s*"([A-Z_]+)"|type: "([A-Z]+_[A-Z_]+)"/g);
    expect(types.length).toBeGreaterThan(15);
    expect(sorted(rowsOf(text, "Precondition violations"))).toEqual(types);
  });

  test("codes of the registry", () => {
    const codes = mentions(/new RegistryError\(\s*\d+,\s*"([A-Z_]+)"/g);
    expect(codes.length).toBeGreaterThan(5);
    expect(sorted(rowsOf(text, "The registry host"))).toEqual(codes);
  });

  test("docs/guides/errors.md lists every code and no other", () => {
    const codes = mentions(/refuse\(\s*Code\.(\w+)/g).map((code = "") =>
      code.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase(),
    );
    expect(sorted(rowsOf(text, "What to do"))).toEqual(sorted(codes));
  });
});

describe("docs/DEPENDENCIES.md has the reason for each library that", () => {
  const reasons = textOf("docs/DEPENDENCIES.md");
  const manifest = JSON.parse(textOf("package.json")) as Record<string, object>;
  const { dependencies = {}, devDependencies = {} } = manifest;

  test("is installed with the package", () => {
    expect(rowsOf(reasons, "Dependencies of the package")).toEqual(Object.keys(dependencies));
  });

  test("the Workers, the site, the console or a program of the checkout imports", () => {
    const texts = files
      .filter((path) =>
        /^(?:src|site|console|cli|schema\/(?:tables|validation))\/.*\.tsx?$/.test(path),
      )
      .map(textOf);
    const imported = texts.flatMap(importsOf).flatMap((name) => {
      const [library = ""] = /^(?:@[^/]+\/)?[^/]+/.exec(name) ?? [];
      return library in devDependencies ? [library] : [];
    });
    const named = rowsOf(reasons, "Dependencies of the Workers and the checkout");
    // Two of them are never imported: a file of one is copied, and the other runs everything.
    const all = [...imported, "@scalar/api-reference", "node"];
    expect(named).toEqual(sorted(all));
  });
});

describe("the check fails if", () => {
  test.each(["`src/rpc/nowhere.ts`", "`src/nowhere`", "`nowhere.ts`", "`docs/API.md`"])(
    "a document names %s",
    (text) => {
      expect(missingPaths(text)).toHaveLength(1);
    },
  );

  test.each(["[x](nowhere.md)", "[x](#nowhere)", "[x](CONTRIBUTING.md#nowhere)"])(
    "a document links %s",
    (text) => {
      expect(brokenLinks("README.md", text)).toHaveLength(1);
    },
  );
});
