/** A login whose code the user types in a browser on any machine (RFC 8628). */
import { setTimeout as pause } from "node:timers/promises";
import { refusedFailure, toFailure, unreachableFailure } from "../failure.ts";
import { showWaiting } from "../import/progress.ts";

/** The id of this program at the issuer. */
const client = "platformctl";
const grantType = "urn:ietf:params:oauth:grant-type:device_code";
const requestTimeoutMs = 30_000;
/** The seconds between two questions if the issuer names none, and how much later it wants them after `slow_down`. */
const defaultInterval = 5;

/** The codes of a login, as the issuer returned them. Times are in seconds. */
export type DeviceCodes = {
  deviceCode: string;
  userCode: string;
  address: string;
  lifetime: number;
  interval: number;
};

/**
 * Asks the issuer for codes. `idp` is the name of the organization, or a uid, which the page suggests. Returns undefined
 * if the issuer is of an earlier version, which has no such login.
 */
export async function requestDeviceCodes(
  issuer: string,
  idp: string,
): Promise<DeviceCodes | undefined> {
  const form = { client_id: client, scope: "write", idp_id: idp };
  const { status, body } = await post(`${issuer}/oauth/device_authorization`, form);
  if (status === 404 || status === 501) return undefined;
  const { device_code: deviceCode, user_code: userCode, verification_uri: address } = body;
  if (status !== 200) throw refusalOf(body);
  if (!isText(deviceCode) || !isText(userCode) || !isText(address))
    throw unreachableFailure(`${issuer} returned a response without codes.`);
  const { expires_in: lifetime, interval = defaultInterval } = body;
  return { deviceCode, userCode, address, lifetime: Number(lifetime), interval: Number(interval) };
}

/**
 * Shows the code with `print`, and waits until the user has approved. Returns the access token. Throws LOGIN_REFUSED, or
 * LOGIN_TIMEOUT when the code has expired.
 */
export async function logInByDevice(
  issuer: string,
  codes: DeviceCodes,
  print: (text: string) => void,
): Promise<string> {
  const minutes = Math.floor(codes.lifetime / 60);
  print(`Open this address in a browser on any machine:\n\n  ${codes.address}\n`);
  print(`Type this code there:\n\n  ${codes.userCode}\n`);
  print(`The code works for ${minutes} minutes. Give it to no one. Ctrl-C stops the login.\n`);
  return showWaiting("waiting for you to sign in", awaitApproval(issuer, codes));
}

async function awaitApproval(issuer: string, codes: DeviceCodes): Promise<string> {
  const form = { grant_type: grantType, device_code: codes.deviceCode, client_id: client };
  const end = Date.now() + codes.lifetime * 1000;
  let { interval } = codes;
  while (Date.now() < end) {
    await pause(interval * 1000);
    const { status, body } = await post(`${issuer}/oauth/token`, form).catch(noAnswer);
    if (status === 200 && isText(body.access_token)) return body.access_token;
    const isLater = body.error === "slow_down" || status === 429 || status >= 500;
    if (isLater) interval += defaultInterval;
    else if (body.error === "expired_token") break;
    else if (body.error !== "authorization_pending") throw refusalOf(body);
  }
  const text = "No one signed in before the code expired. Start the login again.";
  throw refusedFailure("LOGIN_TIMEOUT", text);
}

type Answer = { status: number; body: Record<string, unknown> };

/** A question without an answer is repeated later, because the user may still type the code. */
const noAnswer = (): Answer => ({ status: 503, body: {} });

function refusalOf({ error, error_description: text }: Record<string, unknown>) {
  if (error === "access_denied")
    return refusedFailure("LOGIN_REFUSED", "The login was refused in the browser.");
  const reason = isText(text) ? text : "no reason";
  return refusedFailure("LOGIN_REFUSED", `The issuer refused the login: ${reason}`);
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

async function post(address: string, form: Record<string, string>): Promise<Answer> {
  const { origin } = new URL(address);
  try {
    const signal = AbortSignal.timeout(requestTimeoutMs);
    const body = new URLSearchParams(form);
    const response = await fetch(address, { method: "POST", body, signal });
    const text = await response.text();
    return { status: response.status, body: response.ok ? JSON.parse(text) : readError(text) };
  } catch (error) {
    if (error instanceof Error && error.name === "TimeoutError")
      throw unreachableFailure(`${origin} did not respond.`);
    if (error instanceof SyntaxError)
      throw unreachableFailure(`${address} returned a response that is not JSON.`);
    throw toFailure(error, origin);
  }
}

function readError(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
