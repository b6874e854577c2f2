/** The frame of every page: the bar at the top, the navigation of the guides, the column of text. */
import type { Guide } from "./guides.ts";
import { escapeHtml } from "./html.ts";
import type { Heading } from "./markdown.ts";

/** The addresses of the files that pages load. */
export type Assets = {
  frameStyle: string;
  guideStyle: string;
  guide: string;
  reference: string;
  referenceStyle: string;
  viewer: string;
  viewerStyle: string;
  icon: string;
  /** The search and the theme in the bar, which the console has too. */
  toolsStyle: string;
  tools: string;
};

/** A guide in the form that its page shows. */
export type ShownGuide = { guide: Guide; path: string; title: string };

type Frame = {
  title: string;
  current: "Guides" | "Reference" | "";
  body: string;
  styles: string[];
  /** Scripts that run before the modules, and make globals. */
  classicScripts?: string[];
  scripts: string[];
};

function page(
  assets: Assets,
  first: string,
  { title, current, body, styles, classicScripts = [], scripts }: Frame,
): string {
  const places = {
    Console: "/console",
    Guides: first,
    Reference: "/docs",
    OpenAPI: "/openapi.json",
  };
  const links = Object.entries(places).map(([name, path]) => {
    const mark = name === current ? ' aria-current="true"' : "";
    return `<a href="${path}"${mark}>${name}</a>`;
  });
  const loads = [
    ...[assets.frameStyle, assets.toolsStyle, ...styles].map(
      (path) => `<link rel="stylesheet" href="${path}">`,
    ),
    ...classicScripts.map((path) => `<script defer src="${path}"></script>`),
    ...[assets.tools, ...scripts].map((path) => `<script type="module" src="${path}"></script>`),
  ].join("\n");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${assets.icon}" type="image/svg+xml">
${loads}
</head>
<body>
<a class="site-skip" href="#${current === "Reference" ? "reference" : "text"}">Skip to the text</a>
<header class="site-bar">
<a class="site-name" href="/console"><img src="${assets.icon}" alt="" width="20" height="20">Platform API</a>
<div id="site-tools" class="site-tools"></div>
<nav class="site-places" aria-label="Site">${links.join("")}</nav>
</header>
${body}
</body>
</html>
`;
}

/** The page where the viewer shows the API. */
export function referencePage(assets: Assets, first: string): string {
  return page(assets, first, {
    title: "Reference · Platform API",
    current: "Reference",
    styles: [assets.viewerStyle, assets.referenceStyle],
    classicScripts: [assets.viewer],
    scripts: [assets.reference],
    body: `<main id="reference" tabindex="-1"></main>
<noscript><p class="site-notice">The reference needs JavaScript. The <a href="${first}">guides</a> do not, and <a href="/openapi.json">openapi.json</a> has all of it.</p></noscript>`,
  });
}

/** A guide among all guides. */
export function guidePage(
  assets: Assets,
  all: ShownGuide[],
  shown: ShownGuide,
  { headings, html }: { headings: Heading[]; html: string },
): string {
  const navigation = sectionsOf(all, shown);
  const list = headings.filter(({ depth }) => depth === 2 || depth === 3);
  const items = list.map(
    ({ id, text, depth }) =>
      `<li><a class="depth-${depth}" href="#${escapeHtml(id)}">${escapeHtml(text)}</a></li>`,
  );
  const contents =
    items.length > 1
      ? `<nav class="contents" aria-label="On this page"><h2 class="section">On this page</h2><ul class="pages">${items.join("")}</ul></nav>`
      : "";
  return page(assets, all[0]?.path ?? "/docs", {
    title: `${shown.title} · Platform API`,
    current: "Guides",
    styles: [assets.guideStyle],
    scripts: [assets.guide],
    body: `<details class="menu"><summary class="menu-title">${escapeHtml(shown.guide.section)} <span aria-hidden="true">›</span> ${escapeHtml(shown.title)}</summary><nav class="menu-pages" aria-label="Guides">${navigation}</nav></details>
<div class="columns">
<nav class="side" aria-label="Guides">${navigation}</nav>
<main id="text" tabindex="-1">
<article>
<h1>${escapeHtml(shown.title)}</h1>
${html}</article>
${previousAndNext(all, shown)}
</main>
${contents}
</div>`,
  });
}

function sectionsOf(all: ShownGuide[], shown: ShownGuide): string {
  const titles = [...new Set(all.map(({ guide }) => guide.section))];
  return titles
    .map((title) => {
      const links = all
        .filter(({ guide }) => guide.section === title)
        .map((entry) => {
          const mark = entry === shown ? ' aria-current="page"' : "";
          return `<li><a href="${entry.path}"${mark}>${escapeHtml(entry.title)}</a></li>`;
        });
      return `<h2 class="section">${escapeHtml(title)}</h2><ul class="pages">${links.join("")}</ul>`;
    })
    .join("");
}

function previousAndNext(all: ShownGuide[], shown: ShownGuide): string {
  const index = all.indexOf(shown);
  const link = (guide: ShownGuide | undefined, rel: "prev" | "next", word: string) =>
    guide
      ? `<a class="neighbour" rel="${rel}" href="${guide.path}"><small>${word}</small>${escapeHtml(guide.title)}</a>`
      : "<span></span>";
  const [before, after] = [all[index - 1], all[index + 1]];
  return `<nav class="neighbours" aria-label="Before and after">${link(before, "prev", "Before")}${link(after, "next", "Next")}</nav>`;
}

/** The response under /docs for an address without a page. */
export function missingPage(assets: Assets, first: string): string {
  return page(assets, first, {
    title: "Not found · Platform API",
    current: "",
    styles: [],
    scripts: [],
    body: `<main id="text" tabindex="-1" class="site-notice"><h1>There is no page here</h1><p>Begin with the <a href="${first}">guides</a> or the <a href="/docs">reference</a>.</p></main>`,
  });
}
