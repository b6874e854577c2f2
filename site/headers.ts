/** The `_headers` file: the headers that Cloudflare sends with the files (Workers static assets). */

/**
 * The sources that a page can load from: only its own host. The Worker adds the platform's other hosts to
 * `connect-src` (src/ping/pages.ts), because only a deployment knows them.
 */
function policy({ styles }: { styles: string }): string {
  return Object.entries({
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": styles,
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
  })
    .map(([name, value]) => `${name} ${value}`)
    .join("; ");
}

/** The text of the file. */
export function headersFile(): string {
  const always = [
    "X-Content-Type-Options: nosniff",
    "Referrer-Policy: no-referrer",
    "Cross-Origin-Opener-Policy: same-origin",
  ];
  // The viewer writes its styles into the page. The guides have a file.
  const reference = policy({ styles: "'self' 'unsafe-inline'" });
  const guides = policy({ styles: "'self'" });
  const rules = {
    "/docs": [`Content-Security-Policy: ${reference}`, ...always],
    "/docs/*": [`Content-Security-Policy: ${guides}`, ...always],
    // A file with other content has another name.
    "/docs/assets/*": ["Cache-Control: public, max-age=31536000, immutable"],
  };
  return Object.entries(rules)
    .map(([path, lines]) => `${path}\n${lines.map((line) => `  ${line}\n`).join("")}`)
    .join("\n");
}
