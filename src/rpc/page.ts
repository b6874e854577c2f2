/** HTML pages for people outside the site. They are plain, without scripts, and all values are escaped. */

const baseStyle =
  "body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:15vh auto;padding:0 1rem}";

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

const escaped = (text: string) => text.replace(/[&<>"']/g, (one) => entities[one] ?? "");

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
<meta name="viewport" content="width=device-width">
<title>${title}</title>
${head}<style nonce="${nonce}">${new Markup(baseStyle + style)}</style>
</head>
<body>
<h1>${title}</h1>
${body}
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
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
  };
  return new Response(document.text, { status, headers });
}
