/**
 * The question before a login accepts an invite. Anyone can send a person a link with an invite, and their provider may
 * let them through without a page. So the person sees the group, the role and who invites, and decides.
 *
 * The question waits in the page, encrypted, because the claims of a person do not fit into a cookie. It counts only
 * together with the cookie of the same browser.
 */
import { base64url } from "jose";
import { invalidArgument } from "../../aip/errors.ts";
import { callAt } from "../../auth/call.ts";
import type { Claims } from "../../auth/claims.ts";
import { seal, unseal } from "../../auth/secrets.ts";
import type { Config } from "../../config.ts";
import type { LoginProvider } from "../identity_provider.ts";
import { previewInvite } from "../sign_in.ts";
import { OfferChangedError, type ShownRows } from "../sign_in_invite.ts";
import { type ConfirmedLogin, completeLogin, deliverFailure } from "./completion.ts";
import { type LoginContext, readForm } from "./context.ts";
import { showInvite } from "./invite_page.ts";
import { noSuchLogin } from "./login.ts";
import { showContinue } from "./pages.ts";
import { expiredStateCookie, hasSecret, secretCookie } from "./state.ts";

interface AskOptions {
  /** The uids of the groups that the login is limited to, if it is. */
  scopes: string[] | undefined;
  /** The end of the question, in milliseconds since 1970 in UTC. */
  until: number;
  /** Whether the invite was changed after the person had been asked before. */
  wasChanged?: boolean;
}

/** A question that was shown. */
interface Question extends ConfirmedLogin, Pick<AskOptions, "scopes" | "until"> {
  /** The secret that the browser also has in a cookie. */
  secret: string;
  /** The last login of the person, or 0. After the next one, the question is not valid. */
  lastTime: number;
  shown: ShownRows;
}

const purpose = "invite_question";

/** The largest form with a question, in bytes. A provider's response, which can have many groups, is at most 64 KiB. */
export const maxQuestionBytes = 128 * 1024;

/** Shows the invite and asks about it. Nothing is written. Throws what a login with the invite throws. */
export async function askAboutInvite(
  context: LoginContext,
  login: ConfirmedLogin,
  { scopes, until, wasChanged = false }: AskOptions,
): Promise<Response> {
  const { config } = context;
  const { parameters, provider, claims } = neededPart(login);
  const { offer, lastTime } = await previewInvite(context, provider, claims, parameters.invite);
  const secret = base64url.encode(crypto.getRandomValues(new Uint8Array(32)));
  const question: Question = {
    parameters,
    provider,
    claims,
    secret,
    scopes,
    lastTime,
    shown: offer.rows,
    until,
  };
  const page = showInvite({
    offer,
    account: claims.email ?? claims.sub,
    provider: provider.name,
    question: await seal(config, purpose, JSON.stringify(question)),
    wasChanged,
  });
  page.headers.append("set-cookie", await secretCookie(config, secret));
  return page;
}

/** The part of a login that a page can keep: the claims in use, and the provider without its client secret. */
export const neededPart = ({ parameters, provider, claims }: ConfirmedLogin): ConfirmedLogin => ({
  parameters,
  provider: publicPart(provider),
  claims: neededClaims(provider, claims),
});

/** The claims that a login uses. */
function neededClaims({ groupsClaim }: LoginProvider, claims: Claims): Claims {
  const { iss, sub, aud, exp, email, email_verified, name, preferred_username, oid } = claims;
  const profile = { email, email_verified, name, preferred_username, oid };
  const groups = groupsClaim === "" ? [] : [[groupsClaim, claims[groupsClaim]]];
  const present = [...Object.entries(profile), ...groups].filter(
    ([, value]) => value !== undefined,
  );
  return { iss, sub, aud, exp, ...Object.fromEntries(present) };
}

/** The provider without its client secret. */
function publicPart(provider: LoginProvider): LoginProvider {
  const { uid, group, name, issuer, clientId, groupsClaim, correlationRule } = provider;
  return { uid, group, name, issuer, clientId, groupsClaim, correlationRule };
}

/**
 * `POST /oauth/invite`: the answer. If the invite, its role or its group was changed since it was shown, the person is
 * asked again. Throws PERMISSION_DENIED if this browser was not asked, or too long ago.
 */
export async function answerAboutInvite(anywhere: LoginContext): Promise<Response> {
  const { config, request, now } = anywhere;
  const form = await readForm(request, maxQuestionBytes);
  const question = await openQuestion(config, form.get("question") ?? "");
  if (!question || question.until <= now) throw noSuchLogin();
  if (!(await hasSecret(config, request, question.secret))) throw noSuchLogin();
  const answer = form.get("answer");
  if (answer !== "accept" && answer !== "decline")
    throw invalidArgument("answer", "answer must be accept or decline");
  const context = callAt(anywhere, question.provider.uid);
  const page = await signInWithAnswer(context, question, answer === "accept");
  page.headers.append("set-cookie", await expiredStateCookie(config, question.secret));
  return page;
}

async function openQuestion(config: Config, sealed: string): Promise<Question | undefined> {
  const text = await unseal(config, purpose, sealed);
  return text === undefined ? undefined : (JSON.parse(text) as Question);
}

async function signInWithAnswer(
  context: LoginContext,
  { shown, lastTime, scopes, until, ...login }: Question,
  isAccepted: boolean,
): Promise<Response> {
  const { parameters } = login;
  const accepted = isAccepted ? { code: parameters.invite, shown } : undefined;
  try {
    try {
      return continuing(await completeLogin(context, login, scopes, { lastTime, accepted }));
    } catch (thrown) {
      if (!(thrown instanceof OfferChangedError)) throw thrown;
      return await askAboutInvite(context, login, { scopes, until, wasChanged: true });
    }
  } catch (thrown) {
    return continuing(deliverFailure(context, parameters, thrown));
  }
}

/** The policy for forms would forbid a redirect to another origin. */
function continuing(response: Response): Response {
  const location = response.headers.get("location");
  return location === null ? response : showContinue(location, "Continue");
}
