/** The few pages that a person sees at a login: plain, without scripts, everything escaped. */

const style =
  "body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:15vh auto;padding:0 1rem}" +
  "code{font-size:1.5rem;letter-spacing:.1em}button{font:inherit;padding:.5rem 1.5rem}";

/** A piece of a page that is HTML already. */
class Markup {
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

/** HTML whose values are escaped, for text and for quoted attributes alike. */
export function html(parts: TemplateStringsArray, ...values: (string | Markup)[]): Markup {
  const texts = values.map((value) => (value instanceof Markup ? value.text : escaped(value)));
  return new Markup(String.raw({ raw: parts }, ...texts));
}

/** Headers of whatever may carry or show something of a login. */
export const secretHeaders = {
  "cache-control": "no-store",
  pragma: "no-cache",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** A page. Nothing is loaded, framed or run; a form goes to this origin. */
function showPage(title: string, body: Markup, status = 200, head = html``): Response {
  const nonce = crypto.randomUUID();
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
${head}<style nonce="${nonce}">${new Markup(style)}</style>
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
    ...secretHeaders,
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy,
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
  };
  return new Response(document.text, { status, headers });
}

/** The page of a login that came to nothing. */
export const showRefusal = (status: number, reason: string) =>
  showPage(
    "Not signed in",
    html`<p>${reason}</p>
<p>You may close this window and try again.</p>`,
    status,
  );

/** The page of a login that nothing else waits for. */
export const showSignedIn = (who: string) =>
  showPage("Signed in", html`<p>You are signed in as ${who}. You may close this window.</p>`);

/** The page that goes on to another one. A redirect would be held to the form's policy. */
export const showOnward = (url: string) =>
  showPage(
    "Signing in",
    html`<p><a href="${url}">Continue to your identity provider</a></p>`,
    200,
    html`<meta http-equiv="refresh" content="0;url=${url}">
`,
  );

/** The page that asks whether a program elsewhere is really the reader's own. */
export const showConfirmation = (asked: { fingerprint: string; provider: string; state: string }) =>
  showPage(
    "Sign in a program elsewhere?",
    html`<p>A program without a browser asks to act as you at ${asked.provider}. It shows this code:</p>
<p><code>${asked.fingerprint}</code></p>
<p>Go on only if you started that program yourself and it shows the very same code. Whoever sent
you a link to this page would be signed in as you.</p>
<form method="post" action="/oauth/confirm">
<input type="hidden" name="state" value="${asked.state}">
<button type="submit">The code is the same: sign in</button>
</form>`,
  );
