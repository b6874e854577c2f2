/**
 * The files of the console in `site/dist`: its page `console.html`, and the files that the page loads, below
 * `console/assets/`. This is a placeholder, which a later change replaces with the build of the console.
 */
import { createHash } from "node:crypto";

/** Returns the files by their paths. The name of a file below `console/assets/` contains a digest of its content. */
export async function buildConsole(): Promise<Map<string, string | Buffer>> {
  const style = ":root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif}\n";
  const digest = createHash("sha256").update(style).digest("hex").slice(0, 12);
  const path = `console/assets/placeholder-${digest}.css`;
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Platform API</title>
<link rel="stylesheet" href="/${path}">
</head>
<body>
<main><h1>Platform API</h1><p>The console is not built yet.</p></main>
</body>
</html>
`;
  return new Map([
    ["console.html", page],
    [path, style],
  ]);
}
