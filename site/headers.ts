/** The `_headers` file: the headers that Cloudflare sends with the files (Workers static assets). */

/**
 * The sources that a page can load from: only its own host. `rules` replace or follow these rules. The Worker adds
 * the platform's other hosts to `connect-src` (src/ping/pages.ts), because only a deployment knows them.
 */
function policy(rules: Record<string, string> = {}): string {
  return Object.entries({
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
    ...rules,
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
  const pages = policy();
  // A script of the console can make HTML out of a text only with the policy that shows READMEs.
  const console = policy({ "require-trusted-types-for": "'script'", "trusted-types": "readme" });
  // The pages need none of these, and no other page may load a part of the console.
  const denied = ["camera", "display-capture", "geolocation", "microphone", "payment", "usb"];
  const isolation = [
    `Permissions-Policy: ${denied.map((name) => `${name}=()`).join(", ")}`,
    "Cross-Origin-Resource-Policy: same-origin",
  ];
  const ofConsole = [`Content-Security-Policy: ${console}`, ...always, ...isolation];
  const unchanging = "Cache-Control: public, max-age=31536000, immutable";
  const rules = {
    "/docs": [`Content-Security-Policy: ${pages}`, ...always],
    "/docs/*": [`Content-Security-Policy: ${pages}`, ...always],
    // A file with other content has another name.
    "/docs/assets/*": [unchanging],
    "/console": [...ofConsole, "Cache-Control: no-cache"],
    "/console/assets/*": [...ofConsole, unchanging],
  };
  return Object.entries(rules)
    .map(([path, lines]) => `${path}\n${lines.map((line) => `  ${line}\n`).join("")}`)
    .join("\n");
}
