/**
 * Builds the console, the pages for people at `/console`, from its sources in this folder. `site/build.ts` adds the
 * result to the static assets that the ping Worker serves.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { buildSync, type Metafile, transformSync } from "esbuild";

/** The files of the console by path, such as `console.html` and `console/assets/main-ABCD1234.js`. */
export type ConsoleFiles = Map<string, string | Buffer>;

const root = import.meta.dirname;
const folder = "console/assets";

/** A build of the console. */
export interface ConsoleBuild {
  files: ConsoleFiles;
  /** The addresses of the script and the style of the bar in the guides. */
  tools: { script: string; style: string };
  /** The paths of the files that a browser loads before it shows the first page. */
  firstLoad: string[];
  /** The source files relative to the folder of the console, with what each imports. Types are left out. */
  imports: Map<string, string[]>;
}

/** Builds the console. Throws the errors of esbuild, which name the file and the line. */
export function buildConsole(icon: string): ConsoleBuild {
  const { outputFiles, metafile } = buildSync({
    absWorkingDir: root,
    entryPoints: { main: "main.tsx", tools: "site_tools.tsx", console: "styles/console.css" },
    outdir: join(root, "dist"),
    write: false,
    bundle: true,
    splitting: true,
    format: "esm",
    minify: true,
    metafile: true,
    target: "es2022",
    conditions: ["checkout"],
    jsx: "automatic",
    jsxImportSource: "preact",
    alias: { react: "preact/compat", "react-dom": "preact/compat" },
    define: { "process.env.NODE_ENV": '"production"' },
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    legalComments: "none",
    logLevel: "silent",
  });
  const files: ConsoleFiles = new Map();
  for (const { path, contents } of outputFiles)
    files.set(`${folder}/${basename(path)}`, Buffer.from(contents));
  const first = firstLoadOf(metafile);
  const style = toolsStyle();
  files.set(style.path, style.text);
  files.set("console.html", consolePage(first, icon));
  const loaded = [...first.styles, first.script, ...first.modules].map((path) => path.slice(1));
  const imports = Object.entries(metafile.inputs).map(([path, input]): [string, string[]] => [
    path,
    input.imports.map((entry) => entry.path),
  ]);
  return {
    files,
    tools: { script: addressOf(fileOf(metafile, "site_tools.tsx")), style: `/${style.path}` },
    firstLoad: ["console.html", ...loaded],
    imports: new Map(imports),
  };
}

/** The addresses of the files that the page names. */
interface FirstLoad {
  styles: string[];
  script: string;
  /** The modules that the script imports. The page names them, so that the browser loads all of them at once. */
  modules: string[];
}

const addressOf = (path: string) => `/${folder}/${basename(path)}`;

/** The output of an entry point. */
function fileOf({ outputs }: Metafile, entryPoint: string): string {
  const output = Object.keys(outputs).find((path) => outputs[path]?.entryPoint === entryPoint);
  if (output === undefined) throw new Error(`esbuild made no file of ${entryPoint}`);
  return output;
}

/** The style of the elements in the bar of the guides. It must not reach the rest of their pages. */
function toolsStyle(): { path: string; text: string } {
  const parts = ["elements.css", "forms.css", "../palette/palette.css"];
  const rules = parts.map((name) => readFileSync(join(root, "styles", name), "utf8")).join("\n");
  const { code } = transformSync(`.site-tools {${rules}}`, { loader: "css", minify: true });
  const digest = createHash("sha256").update(code).digest("hex").slice(0, 8).toUpperCase();
  return { path: `${folder}/tools-${digest}.css`, text: code };
}

function firstLoadOf(metafile: Metafile): FirstLoad {
  const { outputs } = metafile;
  const script = fileOf(metafile, "main.tsx");
  const modules = new Set<string>();
  const visit = (path: string) => {
    for (const { path: next, kind } of outputs[path]?.imports ?? []) {
      if (kind !== "import-statement" || modules.has(next)) continue;
      modules.add(next);
      visit(next);
    }
  };
  visit(script);
  return {
    styles: [addressOf(fileOf(metafile, "styles/console.css"))],
    script: addressOf(script),
    modules: [...modules].map(addressOf),
  };
}

function consolePage({ styles, script, modules }: FirstLoad, icon: string): string {
  const loads = [
    ...styles.map((path) => `<link rel="stylesheet" href="${path}">`),
    ...modules.map((path) => `<link rel="modulepreload" href="${path}">`),
    `<script type="module" src="${script}"></script>`,
  ].join("\n");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Console · Platform API</title>
<link rel="icon" href="${icon}" type="image/svg+xml">
${loads}
</head>
<body>
<div id="console"><header class="site-bar"><a class="site-name" href="/console"><img src="${icon}" alt="" width="20" height="20">Platform API</a></header><p class="starting">Loading the console…</p></div>
<noscript><p class="starting">The console needs JavaScript. The <a href="/docs/start">guides</a> and <a href="/docs/platformctl">platformctl</a> do not.</p></noscript>
</body>
</html>
`;
}
