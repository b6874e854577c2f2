/**
 * HTML pages for people outside the site. They have the look of the site and no scripts, and all values are escaped.
 */

/** The colors are those of site/browser/frame.css. `--alert` is for errors, which the site does not have. */
const baseStyle = `
:root{color-scheme:light dark;--paper:#fff;--ink:#1d2330;--pale:#5a6475;--line:#e3e7ee;--shade:#f6f8fb;--accent:#2a5bd7;
--alert:#b3261e;--behind:var(--shade);--card:var(--paper)}
@media (prefers-color-scheme:dark){:root{--paper:#0f1216;--ink:#e3e7ee;--pale:#9ba6b6;--line:#262c35;--shade:#171b21;
--accent:#86a9ff;--alert:#ff9d94;--behind:var(--paper);--card:var(--shade)}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{display:flex;flex-direction:column;gap:1rem;min-height:100vh;margin:0;padding-bottom:1rem;background:var(--behind);color:var(--ink);
font:1rem/1.65 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
header{display:flex;gap:.55rem;align-items:center;min-height:3rem;padding:0 1.25rem;border-bottom:1px solid var(--line);
background:var(--paper);font-size:.9rem;font-weight:650}
main{width:min(32rem,100% - 2rem);margin:auto;padding:clamp(1.25rem,5vw,2.25rem);border:1px solid var(--line);
border-radius:.75rem;background:var(--card)}
h1{margin:0 0 1rem;font-size:1.4rem;line-height:1.3}
p{margin:0 0 1rem}
main>:last-child{margin-bottom:0}
a{color:var(--accent);text-underline-offset:.2em}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
`;

const icon = `<svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
<path fill="#3b6ef5" d="M12 1.5 21.5 7 12 12.5 2.5 7z"/>
<path fill="#7fa3ff" d="m2.5 12 3.3-1.900L12 13.700l6.200-3.600L21.500 12 12 17.500z"/>
<path fill="#b9ccff" d="m2.5 17 3.3-1.900L12 18.700l6.200-3.600L21.500 17 12 22.5z"/>
</svg>`;

/** A piece of a page that is already HTML. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escaped = (text: string) =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? "");

/** Creates HTML with escaped values. The escaping suits both text and quoted attributes. */
export function html(parts: TemplateStringsArray, ...values: (string | Markup)[]): Markup {
  const texts = values.map((value) => (value instanceof Markup ? value.text : escaped(value)));
  return new Markup(String.raw({ raw: parts }, ...texts));
}

interface PageOptions {
  status?: number;
  /** Further elements of the head, after title and style. */
  head?: Markup;
  /** CSS rules in addition to those of every page. */
  style?: string;
  headers?: Record<string, string>;
}

/**
 * Returns a page. It loads nothing, runs no scripts and cannot be framed. Its forms submit to this origin.
 */
export function pageResponse(title: string, body: Markup, options: PageOptions = {}): Response {
  const { status = 200, head = html``, style = "" } = options;
  const nonce = crypto.randomUUID();
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${head}<style nonce="${nonce}">${new Markup(baseStyle + style)}</style>
</head>
<body>
<header>${new Markup(icon)}Platform API</header>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
  const policy =
    `default-src 'none'; style-src 'nonce-${nonce}'; form-action 'self'; base-uri 'none'; ` +
    "frame-ancestors 'none'";
  const headers = {
    ...options.headers,
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy,
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
  };
  return new Response(document.text, { status, headers });
}
