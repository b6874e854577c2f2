/** The pages that a person sees during a login. */
import { requestIdOf } from "../../aip/request_id.ts";
import { html, type Markup, pageResponse } from "../../rpc/page.ts";

const style = "code{font-size:1.5rem;letter-spacing:.1em}button{font:inherit;padding:.5rem 1.5rem}";

/** Headers of every response that can contain a part of a login. */
export const noStoreHeaders = {
  "cache-control": "no-store",
  pragma: "no-cache",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

const loginPage = (title: string, body: Markup, status = 200, head = html``) =>
  pageResponse(title, body, { status, head, style, headers: noStoreHeaders });

/** An error, as an HTTP status and words for a person. */
export interface LoginRefusal {
  status: number;
  reason: string;
}

/** The page of a failed login. */
export const showRefusal = ({ status, reason }: LoginRefusal, requestHeaders: Headers) =>
  loginPage(
    "Not signed in",
    html`<p>${reason}</p>
<p>You can close this window and try again.</p>
<p>Request id: ${requestIdOf(requestHeaders)}</p>`,
    status,
  );

/** The page of a finished login that no program waits for. */
export const showSignedIn = (who: string) =>
  loginPage("Signed in", html`<p>You are signed in as ${who}. You can close this window.</p>`);

/** A page that continues to another address. The policy for forms would forbid a redirect. */
export const showContinue = (url: string) =>
  loginPage(
    "Signing in",
    html`<p><a href="${url}">Continue to your identity provider</a></p>`,
    200,
    html`<meta http-equiv="refresh" content="0;url=${url}">
`,
  );

/** The values on the page of an authorization. */
export interface AuthorizationPage {
  /** The name that the program gave itself. Empty if it gave none. */
  name: string;
  /** The host and port where the program receives the code. */
  host: string;
  scope: string;
  state: string;
  /** The organization that the person entered. */
  idp: string;
  /** The reason why that organization was not accepted. */
  problem?: string;
}

/** The page that asks whether a program may act as the reader, and where they log in. */
export function showAuthorization(page: AuthorizationPage, status = 200): Response {
  const { name, host, scope, state, idp, problem = "" } = page;
  const program = name === "" ? "without a name" : `that calls itself “${name}”`;
  const access = scope.includes("write") ? "read and change everything that you can" : "read";
  return loginPage(
    "Sign in a program?",
    html`<p>A program ${program} wants to ${access} on this platform as you. It receives its access at
<strong>${host}</strong>, which is a program on the machine of this browser.</p>
<p>Continue only if you started that program yourself.</p>
<form method="post" action="/oauth/authorize">
<input type="hidden" name="state" value="${state}">
<p><label>Your organization, such as example.com<br><input name="idp_id" value="${idp}" required></label></p>
<p role="alert">${problem}</p>
<button type="submit">Sign in</button>
</form>`,
    status,
  );
}

/** The page that asks whether a program elsewhere belongs to the reader. */
export const showConfirmation = (confirmation: {
  fingerprint: string;
  provider: string;
  state: string;
}) =>
  loginPage(
    "Sign in a program on another machine?",
    html`<p>A program without a browser wants to act as you at ${confirmation.provider}. It shows this code:</p>
<p><code>${confirmation.fingerprint}</code></p>
<p>Continue only if you started that program yourself and it shows exactly this code. If someone sent
you a link to this page, that person would be signed in as you.</p>
<form method="post" action="/oauth/confirm">
<input type="hidden" name="state" value="${confirmation.state}">
<button type="submit">The code is the same: sign in</button>
</form>`,
  );
