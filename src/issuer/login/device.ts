/**
 * The device flow in a browser (RFC 8628 section 3.3): a person types the code of a program, sees who asks and from
 * where, logs in, and decides. Anyone can send a person a code, so nothing is filled in, and two pages ask.
 */
import { base64url } from "jose";
import { invalidArgument } from "../../aip/errors.ts";
import { requestIdOf } from "../../aip/request_id.ts";
import { callAt } from "../../auth/call.ts";
import { seal, unseal } from "../../auth/secrets.ts";
import { tryProvider } from "../oauth/authorize.ts";
import {
  type DeviceRequest,
  decide,
  type EntryProblem,
  enterUserCode,
  readUserCode,
} from "../oauth/device_codes.ts";
import { type ConfirmedLogin, completeLogin, deliverFailure } from "./completion.ts";
import { type LoginContext, readForm } from "./context.ts";
import { showApproval, showCodeForm, showDeviceRequest, showRefused } from "./device_pages.ts";
import { maxQuestionBytes, neededPart } from "./invite_question.ts";
import { newState, noSuchLogin } from "./login.ts";
import { type LoginRefusal, showContinue } from "./pages.ts";
import {
  expiredStateCookie,
  hasSecret,
  type LoginState,
  loginLifetime,
  readState,
  secretCookie,
  stateCookie,
} from "./state.ts";

/** `GET /oauth/device`: the form for the code. The secret in it keeps pages of others from sending it. */
export async function askForCode({ config }: LoginContext): Promise<Response> {
  const secret = base64url.encode(crypto.getRandomValues(new Uint8Array(32)));
  const page = showCodeForm(secret);
  page.headers.append("set-cookie", await secretCookie(config, secret));
  return page;
}

const entryRefusals: Record<EntryProblem, LoginRefusal> = {
  unknown: {
    status: 404,
    reason: "No program waits with this code. It may have expired. Compare it with your program.",
  },
  tooManyGuesses: {
    status: 429,
    reason: "Too many wrong codes came from your network. Try again in ten minutes.",
  },
  tooManyEntries: {
    status: 429,
    reason: "This code was typed too often. Start the login in your program again.",
  },
};

const malformed: LoginRefusal = { status: 400, reason: "A code consists of eight letters." };

/** `POST /oauth/device`: the person has typed a code. The next page shows who asks. */
export async function enterCode(context: LoginContext): Promise<Response> {
  const { config, request, now } = context;
  const form = await readForm(request);
  const secret = form.get("secret") ?? "";
  if (!(await hasSecret(config, request, secret))) throw noSuchLogin();
  const userCode = readUserCode(form.get("user_code") ?? "");
  const found = userCode === undefined ? malformed : await enterUserCode(context, userCode);
  if (typeof found === "string" || "reason" in found) {
    const { reason, status } = typeof found === "string" ? entryRefusals[found] : found;
    return showCodeForm(secret, reason, status);
  }
  const parameters = { ...noParameters, audiences: [config.audience], device: found };
  const kept = newState("", parameters, now, false);
  const page = showRequest(context, kept, found, found.idp);
  page.headers.append("set-cookie", await stateCookie(config, kept));
  page.headers.append("set-cookie", await expiredStateCookie(config, secret));
  return page;
}

/** The parameters of a login whose result waits for the program. */
const noParameters = {
  redirect: "",
  idp: "",
  scopes: [],
  identity: "",
  createRefreshToken: false,
  headlessCode: "",
  invite: "",
};

function showRequest(
  { headers }: LoginContext,
  { state }: LoginState,
  device: DeviceRequest,
  idp: string,
  refusal?: LoginRefusal,
): Response {
  const { status = 200, reason = "" } = refusal ?? {};
  const form = { state, idp, problem: reason, requestId: requestIdOf(headers) };
  return showDeviceRequest(device, form, status);
}

/** `POST /oauth/device/login`: the person has named their organization, or has refused. */
export async function continueDevice(context: LoginContext): Promise<Response> {
  const { config, request, now } = context;
  const form = await readForm(request);
  const state = form.get("state") ?? "";
  const kept = await readState(config, request, state, now);
  const device = kept?.parameters.device;
  if (!kept || !device || kept.confirmed) throw noSuchLogin();
  const next =
    form.get("answer") === "refuse"
      ? await refuse(context, device)
      : await logInAt(context, kept, device, (form.get("idp_id") ?? "").trim().slice(0, 1024));
  if (next.status < 400) next.headers.append("set-cookie", await expiredStateCookie(config, state));
  return next;
}

async function logInAt(
  context: LoginContext,
  kept: LoginState,
  device: DeviceRequest,
  idp: string,
): Promise<Response> {
  const onward = await tryProvider(context, kept, idp);
  if (!(onward instanceof Response)) return showRequest(context, kept, device, idp, onward);
  const next = showContinue(onward.headers.get("location") ?? "");
  for (const cookie of onward.headers.getSetCookie()) next.headers.append("set-cookie", cookie);
  return next;
}

async function refuse(context: LoginContext, device: DeviceRequest): Promise<Response> {
  await decide(context, device, undefined);
  return showRefused();
}

/** The last question, which waits in the page like that about an invite. */
interface Question extends ConfirmedLogin {
  device: DeviceRequest;
  /** The secret that the browser also has in a cookie. */
  secret: string;
  /** Milliseconds since 1970 in UTC. */
  until: number;
}

const purpose = "device_question";

/** Asks a person whom their provider has confirmed. Nothing is written. */
export async function askAboutDevice(
  { config, now }: LoginContext,
  login: ConfirmedLogin,
  device: DeviceRequest,
): Promise<Response> {
  const kept = neededPart(login);
  const secret = base64url.encode(crypto.getRandomValues(new Uint8Array(32)));
  const question: Question = { ...kept, device, secret, until: now + loginLifetime };
  const page = showApproval(device, {
    account: kept.claims.email ?? kept.claims.sub,
    provider: kept.provider.name,
    question: await seal(config, purpose, JSON.stringify(question)),
  });
  page.headers.append("set-cookie", await secretCookie(config, secret));
  return page;
}

/** `POST /oauth/device/answer`. An approval signs the person in, and the program finds the login at its next question. */
export async function answerAboutDevice(anywhere: LoginContext): Promise<Response> {
  const { config, request, now } = anywhere;
  const form = await readForm(request, maxQuestionBytes);
  const text = await unseal(config, purpose, form.get("question") ?? "");
  const question = text === undefined ? undefined : (JSON.parse(text) as Question);
  if (!question || question.until <= now) throw noSuchLogin();
  if (!(await hasSecret(config, request, question.secret))) throw noSuchLogin();
  const answer = form.get("answer");
  if (answer !== "approve" && answer !== "refuse")
    throw invalidArgument("answer", "answer must be approve or refuse");
  const context = callAt(anywhere, question.provider.uid);
  const page =
    answer === "approve"
      ? await approve(context, question)
      : await refuse(context, question.device);
  page.headers.append("set-cookie", await expiredStateCookie(config, question.secret));
  return page;
}

async function approve(context: LoginContext, login: Question): Promise<Response> {
  try {
    return await completeLogin(context, login, undefined);
  } catch (thrown) {
    return deliverFailure(context, login.parameters, thrown);
  }
}
