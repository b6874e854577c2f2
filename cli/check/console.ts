/** The size and the imports of the console. dependency-cruiser does not read TSX, so esbuild reports the imports. */
import { gzipSync } from "node:zlib";
import type { ConsoleBuild } from "../../console/build.ts";
import type { StepOutcome } from "./steps.ts";

/** In KiB of gzip: everything that a browser loads before it shows the first page. */
export const firstLoadLimit = 150;

/**
 * The imports that the console may have in addition to its own files. They are the entries of the client, libraries, the
 * style of the site, and the table of systems that sign tokens.
 */
const allowed =
  /^(?!\.\.)|^\.\.\/(?:client|node_modules|schema\/workloads)\/|^\.\.\/site\/browser\/frame\.css$/;

/** Returns a complaint for each import that the console may not have, and for each circle of imports. */
export function consoleBreaches(imports: ConsoleBuild["imports"]): string[] {
  const own = [...imports].filter(([path]) => !path.startsWith("../"));
  const foreign = own.flatMap(([path, paths]) =>
    paths
      .filter(
        (specifier) =>
          !allowed.test(specifier) || (specifier.startsWith("../client/") && !isEntry(specifier)),
      )
      .map((specifier) => `console/${path} may not import ${specifier.replace("../", "")}`),
  );
  const circles = own.flatMap(([path]) => {
    const circle = pathBack(path, new Map(own));
    return circle ? [`console/${path} imports itself: ${circle.join(" → ")}`] : [];
  });
  return [...foreign, ...circles];
}

const isEntry = (path: string) => /^\.\.\/client\/(?:index|capabilities)\.ts$/.test(path);

/** The shortest way along imports from a file back to itself. */
function pathBack(start: string, imports: Map<string, string[]>): string[] | undefined {
  const ways = [[start]];
  const seen = new Set<string>();
  for (const way of ways) {
    for (const next of imports.get(way.at(-1) ?? "") ?? []) {
      if (next === start) return [...way, start];
      if (seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return undefined;
}

/** Checks the imports, and the size of the first load against its limit. */
export function checkConsole({ files, firstLoad, imports }: ConsoleBuild): StepOutcome {
  const sizes = firstLoad.map((path) => gzipSync(files.get(path) ?? "", { level: 9 }).length);
  const size = Math.ceil((sizes.reduce((a, b) => a + b, 0) / 1024) * 10) / 10;
  const note = `${size} KiB of gzip before the first page, the limit is ${firstLoadLimit}`;
  const breaches = consoleBreaches(imports);
  if (size > firstLoadLimit) breaches.push(note);
  return { passed: breaches.length === 0, text: breaches.join("\n"), notes: [note] };
}
