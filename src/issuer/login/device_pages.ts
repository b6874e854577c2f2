/** The pages of the device flow, where a person authorizes a program on another machine. */
import { html, type Markup } from "../../rpc/page.ts";
import { type DeviceRequest, shownCode } from "../oauth/device_codes.ts";
import { loginPage, type OrganizationForm, organizationForm } from "./pages.ts";

const warning = html`<p><strong>Stop if you did not start that program yourself</strong>, or if someone sent you this
address or the code. That person would be signed in as you.</p>`;

/** The form where a person types a code. `problem` says why the last one was not accepted, and is empty before. */
export function showCodeForm(secret: string, problem = "", status = 200): Response {
  const error = html`<p class="problem" id="problem" role="alert">${problem}</p>
`;
  const wrong = html`aria-describedby="hint problem" aria-invalid="true" autofocus`;
  const isWrong = problem !== "";
  return loginPage(
    "Sign in a program on another machine",
    html`<p>A program on a machine without a browser shows you a code.</p>
${warning}
<form method="post" action="/oauth/device">
<input type="hidden" name="secret" value="${secret}">
<label for="code">Code</label>
<p class="hint" id="hint">Eight letters, such as BCDF-GHJK</p>
${isWrong ? error : ""}<input id="code" name="user_code" value="" required maxlength="20" autocomplete="off"
autocapitalize="characters" spellcheck="false" ${isWrong ? wrong : html`aria-describedby="hint"`}>
<button type="submit">Continue</button>
</form>`,
    status,
  );
}

/** The program, the place of its request, and the access that it wants. */
function requestOf({ clientName, place, scope, userCode }: DeviceRequest): Markup {
  const program =
    clientName === "" ? "A program without a name" : `It calls itself “${clientName}”`;
  const access = scope.includes("write") ? "Read and change everything that you can" : "Read";
  return html`<dl>
<dt>Program</dt><dd>${program}</dd>
<dt>The request came from</dt><dd>${place}</dd>
<dt>Access</dt><dd>${access}, as you</dd>
<dt>Code</dt><dd>${shownCode(userCode)}</dd>
</dl>`;
}

/** The page after the code: who asks, and where the person logs in. */
export const showDeviceRequest = (
  request: DeviceRequest,
  form: OrganizationForm,
  status: number,
): Response =>
  loginPage(
    "Sign in this program?",
    html`${requestOf(request)}
${warning}
${organizationForm(form, "/oauth/device/login")}
<form method="post" action="/oauth/device/login">
<input type="hidden" name="state" value="${form.state}">
<input type="hidden" name="answer" value="refuse">
<button type="submit" class="plain">Refuse</button>
</form>`,
    status,
  );

/** The page after the login: the last question. */
export const showApproval = (
  request: DeviceRequest,
  login: { account: string; provider: string; question: string },
): Response =>
  loginPage(
    "Let this program act as you?",
    html`<p>You are <strong>${login.account}</strong> at <strong>${login.provider}</strong>.</p>
${requestOf(request)}
${warning}
<form method="post" action="/oauth/device/answer">
<input type="hidden" name="question" value="${login.question}">
<button type="submit" name="answer" value="approve">Approve</button>
<button type="submit" name="answer" value="refuse" class="plain">Refuse</button>
</form>`,
  );

/** The page after a refusal. */
export const showRefused = () =>
  loginPage("Refused", html`<p>The program gets no access. You can close this window.</p>`);
