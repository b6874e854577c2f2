/** The page that asks whether the reader accepts an invite. */
import { truncate } from "../../aip/well_formed.ts";
import { html, type Markup } from "../../rpc/page.ts";
import type { InviteOffer } from "../sign_in_invite.ts";
import { loginPage } from "./pages.ts";

/** The question as the page shows it. All texts can contain anything. */
export interface InviteQuestion {
  offer: InviteOffer;
  /** The person who answers, as their identity provider calls them. */
  account: string;
  /** The name of that provider. */
  provider: string;
  /** The encrypted question, for the form. */
  question: string;
  /** Whether the invite was changed after the page had asked before. */
  wasChanged: boolean;
}

const maxLength = 320;

/**
 * A text of others. It cannot change the order of the words around it, nor look like a line of the page. Its element is
 * isolated. Control characters, and those that control the direction, are replaced.
 */
function foreign(text: string): Markup {
  const plain = text.replace(/\s+/gu, " ").replace(/[\p{Bidi_Control}\p{Cc}]/gu, "\ufffd");
  const shown = plain.length > maxLength ? `${truncate(plain, maxLength)}…` : plain;
  return html`<bdi>${shown}</bdi>`;
}

const joined = (parts: Markup[], between: string) =>
  parts.reduce((before, part) => html`${before}${between}${part}`);

function inviterText({ inviter }: InviteOffer): Markup {
  if (!inviter) return html`Someone who has left`;
  const { name, email } = inviter;
  return email === "" ? foreign(name) : html`${foreign(name)} (${foreign(email)})`;
}

/** Such as `2026-12-24 17:30 UTC`. */
const timeText = (time: number) => {
  const iso = new Date(time).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`;
};

const row = (term: string, value: Markup) => html`<dt>${term}</dt>
<dd>${value}</dd>
`;

/** Both answers sign the person in. Only one of them accepts the invite. */
export function showInvite({ offer, account, provider, question, wasChanged }: InviteQuestion) {
  const { path, role, expirationTime } = offer;
  const description = role.description === "" ? html`` : html`: ${foreign(role.description)}`;
  const access = role.isForReading ? "It allows only reading." : "It allows changes.";
  const changed = html`<p class="problem" role="alert">The invite was changed after you opened this page, and you have not
accepted it. The page now shows the current invite.</p>
`;
  return loginPage(
    "Accept an invite?",
    html`${wasChanged ? changed : ""}<p>You are invited to a group. Accept only if you expect this invite from that person.</p>
<dl>
${row("Group", joined(path.map(foreign), " / "))}${row("Role", html`${foreign(role.name)}${description}<br>${access}`)}${row(
  "Invited by",
  inviterText(offer),
)}${row("The invite expires", timeText(expirationTime))}${row(
  "You sign in as",
  html`${foreign(account)}, at ${foreign(provider)}`,
)}</dl>
<form method="post" action="/oauth/invite">
<input type="hidden" name="question" value="${question}">
<button type="submit" name="answer" value="accept">Accept and sign in</button>
<button type="submit" name="answer" value="decline" class="plain">Sign in without accepting</button>
</form>`,
  );
}
