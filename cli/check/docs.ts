/**
 * Checks that the files, functions, links and headings that the documents name exist, and that their lists are
 * complete.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ignore from "ignore";
import { importsOf } from "./files.ts";

/** The project that the documents describe: its folder, its source files, and the text of each. */
export class Project {
  readonly root: string;
  /** Every source file, relative to the project. */
  readonly files: string[];
  private readonly ignored: ReturnType<typeof ignore>;
  private readonly top: Set<string>;

  constructor(root: string, files: string[]) {
    this.root = root;
    this.files = files;
    this.ignored = ignore().add(this.textOf(".gitignore"));
    this.top = new Set(readdirSync(root).filter((name) => !this.isMade(name)));
  }

  textOf(path: string): string {
    return readFileSync(join(this.root, path), "utf8");
  }

  /** Whether programs create this file, so that it is in no commit, and not in every checkout. */
  private isMade(path: string): boolean {
    const folder = `${path.replace(/\/$/, "")}/`;
    return [path, folder].some((name) => ignore.isPathValid(name) && this.ignored.ignores(name));
  }

  /** Whether a text in backticks names a file or folder of the project that is not there. */
  lacks(code: string): boolean {
    if (!/^[\w.-]+(?:\/[\w.-]+)*\/?$/.test(code) || this.isMade(code)) return false;
    if (code.includes("/"))
      return this.top.has(code.split("/")[0] ?? "") && !existsSync(join(this.root, code));
    const isFileName = /^[a-z]\w*(?:\.v1)?\.(?:ts|js|mjs|toml)$/.test(code);
    return (
      isFileName && !this.top.has(code) && !this.files.some((path) => path.endsWith(`/${code}`))
    );
  }
}

/** Returns what is wrong in all documents, as `file:line: what is wrong` where a line is to blame. */
export function docsBreaches(project: Project): string[] {
  const inFolder = readdirSync(join(project.root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name.replaceAll("\\", "/")}`);
  const top = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"];
  const paths = [...top, "client/README.md", "cli/demo/README.md", ...inFolder];
  return [
    ...paths.flatMap((path) => documentBreaches(project, path, project.textOf(path))),
    ...unknownFunctions(project),
    ...inFolder.flatMap((path) => guideBreaches(path, project.textOf(path))),
    ...errorBreaches(project),
    ...dependencyBreaches(project),
  ];
}

/** Returns the files and the targets of links that a document names and that do not exist. */
export function documentBreaches(project: Project, path: string, text: string): string[] {
  return withoutBlocks(text)
    .split("\n")
    .flatMap((line, index) => {
      const codes = [...line.matchAll(/`([^`\s]+)`/g)].map(([, code = ""]) => code);
      const links = [...line.matchAll(/\]\(([^)\s]+)\)/g)].map(([, href = ""]) => href);
      return [
        ...codes.filter((code) => project.lacks(code)).map((code) => `${code} does not exist`),
        ...links
          .filter((href) => isBroken(project, path, text, href))
          .map((href) => `the link ${href} leads nowhere`),
      ].map((words) => `${path}:${index + 1}: ${words}`);
    });
}

function isBroken(project: Project, path: string, text: string, href: string): boolean {
  if (/^[a-z]+:/.test(href)) return false;
  const [file = "", fragment] = href.split("#");
  const target = file === "" ? path : relative("/", join("/", dirname(path), file));
  if (!existsSync(join(project.root, target))) return true;
  if (fragment === undefined) return false;
  return !fragmentsOf(target === path ? text : project.textOf(target)).includes(fragment);
}

/** Blanks out the blocks of code, and keeps the number of each line. */
const withoutBlocks = (text: string) =>
  text.replaceAll(/^```[\s\S]*?^```/gm, (block) => block.replaceAll(/[^\n]/g, ""));

/** The fragments that GitHub gives the headings of a document. */
const fragmentsOf = (text: string) =>
  [...withoutBlocks(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-"),
  );

function unknownFunctions(project: Project): string[] {
  const sources = project.files
    .filter((path) => /^(?:src|cli|schema|client|site)\/.*\.(?:ts|mjs|proto)$/.test(path))
    .map((path) => project.textOf(path))
    .join("\n");
  const words = new Set(sources.match(/\w+/g));
  return ["ARCHITECTURE", "JOURNEYS", "RESOURCES"].flatMap((page) =>
    withoutBlocks(project.textOf(`docs/${page}.md`))
      .split("\n")
      .flatMap((line, index) =>
        [...line.matchAll(/`([a-z]+[A-Z]\w*)`/g)]
          .filter(([, name = ""]) => !words.has(name))
          .map(([, name]) => `docs/${page}.md:${index + 1}: there is no ${name} in the code`),
      ),
  );
}

function guideBreaches(path: string, text: string): string[] {
  if (!path.startsWith("docs/guides/") || path.endsWith("/glossary.md")) return [];
  if (/^# .+\n\nThis guide is for\b/.test(text)) return [];
  return [`${path}:1: a guide begins with its title and "This guide is for"`];
}

const sorted = (names: string[]) => [...new Set(names)].sort();

/** The texts in backticks in the first cell of each table row below a heading. */
export function rowsOf(text: string, heading: string): (string | undefined)[] {
  const [, section = ""] = text.split(`## ${heading}\n`);
  const [until = ""] = section.split("\n## ");
  const cells = [...until.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = ""]) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code));
}

/** Complains about what only one of the two lists has. */
function differences(list: string, named: Iterable<string | undefined>, real: string[]): string[] {
  const names = new Set(named);
  return [
    ...real.filter((name) => !names.has(name)).map((name) => `${list} lacks ${name}`),
    ...[...names]
      .filter((name) => !real.includes(name ?? ""))
      .map((name) => `${list} has ${name}, which does not exist`),
  ];
}

function errorBreaches(project: Project): string[] {
  const path = "docs/guides/errors.md";
  const text = project.textOf(path);
  const sources = project.files.filter((file) => file.startsWith("src/"));
  const texts = sources.map((file) => project.textOf(file));
  const mentions = (pattern: RegExp) =>
    texts.flatMap((source) => [...source.matchAll(pattern)].map(([, a, b]) => a ?? b ?? ""));
  const lists: [string, string[]][] = [
    [
      "Precondition violations",
      mentions(/failedPrecondition\(\s*"([A-Z_]+)"|type: "([A-Z]+_[A-Z_]+)"/g),
    ],
    ["The registry host", mentions(/new RegistryError\(\s*\d+,\s*"([A-Z_]+)"/g)],
    [
      "What to do",
      mentions(/refuse\(\s*Code\.(\w+)/g).map((code) =>
        code.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase(),
      ),
    ],
  ];
  return lists.flatMap(([heading, real]) =>
    real.length === 0
      ? [`cli/check/docs.ts: finds nothing in src for "${heading}" of ${path}`]
      : differences(`${path}, "${heading}"`, rowsOf(text, heading), sorted(real)),
  );
}

function dependencyBreaches(project: Project): string[] {
  const path = "docs/DEPENDENCIES.md";
  const text = project.textOf(path);
  const manifest = JSON.parse(project.textOf("package.json")) as Record<string, object>;
  const { dependencies = {}, devDependencies = {} } = manifest;
  const imported = project.files
    .filter((file) =>
      /^(?:src|site|console|cli|schema\/(?:tables|validation))\/.*\.tsx?$/.test(file),
    )
    .flatMap((file) => importsOf(project.textOf(file)))
    .flatMap((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name) ?? [])
    .filter((library) => library in devDependencies);
  // Two of them are never imported: one runs everything, and files of the other are copied.
  const used = sorted([...imported, "node", "swagger-ui-dist"]);
  const [whole, checkout] = [
    "Dependencies of the package",
    "Dependencies of the Workers and the checkout",
  ];
  return [
    ...differences(`${path}, "${whole}"`, rowsOf(text, whole), Object.keys(dependencies)),
    ...differences(`${path}, "${checkout}"`, rowsOf(text, checkout), used),
  ];
}
