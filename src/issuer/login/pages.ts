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
