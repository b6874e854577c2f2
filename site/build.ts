/**
 * Builds `site/dist`, the static assets that the Workers serve: the console at `/console`, the reference at `/docs`,
 * the guides at `/docs/<name>`, and the protos at `/docs/protos.tar.gz`. The ping Worker serves the OpenAPI document in
 * it at `/openapi.json`. As a program (`node site/build.ts`), it builds the site of this checkout.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, extname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { buildConsole } from "../console/build.ts";
import { type Guide, readGuides } from "./guides.ts";
import { headersFile } from "./headers.ts";
import { type Assets, guidePage, missingPage, referencePage } from "./layout.ts";
import { type LinkTarget, resolveLink } from "./links.ts";
import { type Picture, readMarkdown, toHtml } from "./markdown.ts";
import { type PictureFile, readPicture } from "./pictures.ts";
import { protosArchive } from "./protos.ts";
import { guideEntries, operationEntries, type SearchEntry } from "./search.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The files of the site by their paths in it. */
export type Files = Map<string, string | Buffer>;

/** All options. By default the site contains what this checkout serves. */
export type Build = {
  /** The checkout with the guides and the OpenAPI document. */
  from?: string;
  /** The folder to fill. Other files in it are deleted. */
  to?: string;
};

/**
 * Builds the site. Files that are already there stay unchanged, so a running platform continues to serve
 * them. Rejects with an Error that names the guide if a link leads nowhere, or if the site cannot show the
 * Markdown.
 */
export async function buildSite({
  from = root,
  to = join(root, "site/dist"),
}: Build = {}): Promise<void> {
  const files: Files = new Map();
  const own = addAssets(files);
  const assets = { ...own, ...addConsole(files, own.icon) };
  const openapi = readFileSync(join(from, "schema/gen/openapi.json"), "utf8");
  const { paths, entries } = addGuides(files, assets, from);
  const [first = "/docs"] = paths;
  files.set("docs.html", referencePage(assets, first));
  files.set("404.html", missingPage(assets, first));
  files.set("openapi.json", openapi);
  const index = [...entries, ...operationEntries(JSON.parse(openapi))];
  files.set("docs/search.json", JSON.stringify(index));
  files.set("docs/protos.tar.gz", protosArchive(from));
  files.set("_headers", headersFile());
  write(files, to);
}

/** The files that every page loads, or the reference. */
function addAssets(files: Files): Omit<Assets, "tools" | "toolsStyle"> {
  const viewer = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
  const add = (path: string) => addAsset(files, path, readFileSync(path));
  const own = (name: string) => add(fileURLToPath(new URL(`browser/${name}`, import.meta.url)));
  const licenses = ["NOTICE", "LICENSE", "swagger-ui-bundle.js.LICENSE.txt"].map((name) =>
    readFileSync(join(viewer, name), "utf8"),
  );
  // The first line of the script refers to a file of this name.
  files.set("docs/swagger-ui-bundle.js.LICENSE.txt", licenses.join("\n"));
  return {
    frameStyle: own("frame.css"),
    guideStyle: own("guide.css"),
    guide: own("guide.js"),
    reference: own("reference.js"),
    icon: own("icon.svg"),
    referenceStyle: own("reference.css"),
    viewer: add(join(viewer, "swagger-ui-bundle.js")),
    viewerStyle: add(join(viewer, "swagger-ui.css")),
  };
}

/** Adds a file that pages load, with a digest of the content in its name. Returns its address. */
function addAsset(files: Files, path: string, content: Buffer): string {
  const digest = createHash("sha256").update(content).digest("hex").slice(0, 12);
  const extension = extname(path);
  const name = `docs/assets/${basename(path, extension)}-${digest}${extension}`;
  files.set(name, content);
  return `/${name}`;
}

const addPicture = (files: Files, { path, content, ...size }: PictureFile): Picture => ({
  address: addAsset(files, path, content),
  ...size,
});

/**
 * Adds the pages of the guides of the checkout `from`, and their pictures. Returns the addresses of the pages, and their
 * sections for the search. Throws an Error that names the guide if the site cannot show it.
 */
export function addGuides(
  files: Files,
  assets: Assets,
  from: string,
): { paths: string[]; entries: SearchEntry[] } {
  const guides = readGuides(from).map((guide) => {
    const document = within(guide, () => readMarkdown(guide.markdown));
    return { guide, document, path: `/docs/${guide.name}`, title: document.title };
  });
  const targets: LinkTarget[] = [
    ...guides.map(({ guide, document, path }) => ({
      source: guide.source,
      path,
      ids: document.headings.map(({ id }) => id),
    })),
    { source: "schema/gen/openapi.json", path: "/openapi.json", ids: [] },
  ];
  for (const [index, shown] of guides.entries()) {
    const { guide, document, path } = shown;
    const here = targets[index] ?? { source: guide.source, path, ids: [] };
    const html = within(guide, () =>
      toHtml(document, {
        link: (href) => resolveLink(href, here, targets, from),
        picture: (href) => addPicture(files, readPicture(href, guide.source, from)),
      }),
    );
    const { headings } = document;
    files.set(`${path.slice(1)}.html`, guidePage(assets, guides, shown, { headings, html }));
  }
  return {
    paths: guides.map(({ path }) => path),
    entries: guides.flatMap((shown) => guideEntries(shown, shown.document)),
  };
}

/**
 * Adds the console. Returns the files that the guides load, too. Throws an Error if it has a file that the Worker would
 * not serve (src/ping/pages.ts).
 */
function addConsole(files: Files, icon: string): Pick<Assets, "tools" | "toolsStyle"> {
  const built = buildConsole(icon);
  for (const [name, content] of built.files) {
    if (name !== "console.html" && !name.startsWith("console/assets/"))
      throw new Error(`${name} must be console.html or a file in console/assets`);
    files.set(name, content);
  }
  return { tools: built.tools.script, toolsStyle: built.tools.style };
}

function within<T>({ source }: Guide, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new Error(`${source}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

function write(files: Files, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(to, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(to.length + 1).replaceAll(sep, "/");
    if (entry.isFile() && !files.has(name)) rmSync(path);
  }
  for (const [name, content] of files) {
    const path = join(to, name);
    const bytes = Buffer.from(content);
    if (isThere(path, bytes)) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  }
}

function isThere(path: string, bytes: Buffer): boolean {
  try {
    return readFileSync(path).equals(bytes);
  } catch {
    return false;
  }
}

if (import.meta.main) await buildSite();
