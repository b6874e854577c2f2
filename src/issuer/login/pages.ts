/** The pages that a person sees during a login. */
import { requestIdOf } from "../../aip/request_id.ts";
import { html, type Markup, pageResponse } from "../../rpc/page.ts";

const style = `
code{display:inline-block;padding:.25rem .75rem;border:1px solid var(--line);border-radius:.375rem;background:var(--behind);
font:1.5rem/1.65 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;letter-spacing:.1em}
label{display:block;font-weight:600}
input,button,.next{min-height:2.75rem;padding:.5rem 1rem;border-radius:.375rem;font:inherit}
input{width:100%;margin-bottom:1rem;padding:.5rem .75rem;border:1px solid var(--pale);background:var(--paper);
color:var(--ink)}
input[aria-invalid]{border:2px solid var(--alert)}
button,.next{border:1px solid transparent;background:var(--accent);color:var(--paper);font-weight:600;cursor:pointer}
.next{display:inline-block;text-decoration:none}
button:hover,.next:hover{text-decoration:underline}
button.plain{border-color:var(--pale);background:transparent;color:var(--accent)}
button+button{margin:.75rem 0 0}
dl{margin:0 0 1.25rem}
dt{color:var(--pale);font-size:.9rem}
dd{margin:0 0 .75rem}
.hint,.request{color:var(--pale);font-size:.9rem}
.hint{margin-bottom:.375rem}
.problem{color:var(--alert);font-weight:600}
.request{margin-top:1rem}
`;

/** Headers of every response that can contain a part of a login. */
export const noStoreHeaders = {
  "cache-control": "no-store",
  pragma: "no-cache",
  "referrer-policy": "no-referrer",
};

/** A page of a login, with the look of all of them. */
export const loginPage = (title: string, body: Markup, status = 200, head = html``) =>
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
    html`<p class="problem">${reason}</p>
<p>Go back to where you began the login, and start it again. If it fails again, send the request id to an administrator
of your organization.</p>
<p class="request">Request id: ${requestIdOf(requestHeaders)}</p>`,
    status,
  );

/** The page of a finished login that no program waits for. */
export const showSignedIn = (who: string) =>
  loginPage("Signed in", html`<p>You are signed in as ${who}. You can close this window.</p>`);

/** A page that continues to another address. The policy for forms would forbid a redirect. */
export const showContinue = (url: string, text = "Continue to your identity provider") =>
  loginPage(
    "Signing in",
    html`<p><a href="${url}" class="next">${text}</a></p>`,
    200,
    html`<meta http-equiv="refresh" content="0;url=${url}">
`,
  );

/** The form where a person names their organization. */
export interface OrganizationForm {
  /** The state of the login, which the browser also has in a cookie. */
  state: string;
  /** The organization that the person entered. */
  idp: string;
  /** The reason why that organization was not accepted. Empty before the person has entered one. */
  problem: string;
  requestId: string;
}

/** The form for an organization. It submits to `action`. */
export function organizationForm(
  { state, idp, problem, requestId }: OrganizationForm,
  action = "/oauth/authorize",
): Markup {
  const isWrong = problem !== "";
  const error = html`<p class="problem" id="problem" role="alert">${problem}</p>
`;
  const wrong = html`aria-describedby="hint problem" aria-invalid="true" autofocus`;
  const marks = isWrong ? wrong : html`aria-describedby="hint"`;
  const request = html`
<p class="request">Request id: ${requestId}</p>`;
  return html`<form method="post" action="${action}">
<input type="hidden" name="state" value="${state}">
<label for="organization">Organization</label>
<p class="hint" id="hint">The name of your organization, such as acme.example, or the uid of its identity provider</p>
${isWrong ? error : ""}<input id="organization" name="idp_id" value="${idp}" required maxlength="1024"
autocomplete="organization" autocapitalize="none" spellcheck="false" ${marks}>
<button type="submit">Continue</button>
</form>${isWrong ? request : ""}`;
}

/** A program that asks a person for access. */
interface AskingProgram {
  /** The name that the program gave itself. Empty if it gave none. */
  name: string;
  /** The host and port where the program receives the code. */
  host: string;
  scope: string;
}

/** The page that asks whether a program may act as the reader, and where they log in. */
export function showAuthorization(
  { name, host, scope }: AskingProgram,
  form: OrganizationForm,
  status: number,
): Response {
  const program = name === "" ? "without a name" : `that calls itself “${name}”`;
  const access = scope.includes("write") ? "read and change everything that you can" : "read";
  return loginPage(
    "Sign in a program?",
    html`<p>A program ${program} wants to ${access} on this platform as you. It receives its access at
<strong>${host}</strong>, which is a program on the machine of this browser.</p>
<p>Continue only if you started that program yourself.</p>
${organizationForm(form)}`,
    status,
  );
}

/** The page that asks where a person logs in to the console. */
export const showConsoleLogin = (form: OrganizationForm, status: number) =>
  loginPage(
    "Sign in",
    html`<p>Enter your organization. You then sign in at its identity provider.</p>
${organizationForm(form)}`,
    status,
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
