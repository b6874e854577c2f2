/** The two sides of the device flow, for tests: a program that asks for a code, and a person in a browser. */
import { expect } from "vitest";
import { addressHeader } from "../../../src/limits/network.ts";
import { baseUrl } from "../../world/platform.ts";
import { Browser, type OpenedPage } from "../login/browser.ts";
import { questionIn, signInOnPage } from "../login/logins.ts";

export const grantType = "urn:ietf:params:oauth:grant-type:device_code";

let lastNetwork = 0;

/** The address of a network that no other test uses. */
export function newNetwork(): string {
  lastNetwork += 1;
  const random = Math.floor(Math.random() * 0xffff).toString(16);
  return `2001:db8:${random}:${lastNetwork.toString(16)}::1`;
}

/** Posts a form to the issuer from a network. */
export async function postForm(
  path: string,
  form: Record<string, string> | [string, string][],
  network = newNetwork(),
) {
  const response = await fetch(`${baseUrl()}${path}`, {
    method: "POST",
    body: new URLSearchParams(form),
    headers: { [addressHeader]: network },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: JSON.parse(text) };
}

/** A program asks for a code. */
export async function requestCode(given: Record<string, string> = {}, network?: string) {
  const form = { client_id: "platformctl", ...given };
  const { status, body } = await postForm("/oauth/device_authorization", form, network);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as { device_code: string; user_code: string; interval: number; expires_in: number };
}

/** A program asks for its token. */
export const poll = (code: string, client = "platformctl") =>
  postForm("/oauth/token", { grant_type: grantType, device_code: code, client_id: client });

/** A browser in a network of its own. */
export class DeviceBrowser extends Browser {
  readonly network: string;
  constructor(network = newNetwork()) {
    super();
    this.network = network;
    this.headers = { [addressHeader]: network };
  }
}

const hidden = (page: OpenedPage, name: string) =>
  new RegExp(`name="${name}" value="([^"]+)"`).exec(page.text)?.[1] ?? "";

/** A person opens the page, and types a code. Returns the next page. */
export async function typeCode(user_code: string, browser = new DeviceBrowser()) {
  const page = await browser.open("/oauth/device");
  const secret = hidden(page, "secret");
  return browser.open("/oauth/device", { secret, user_code });
}

/** A person continues from the page with the program, and logs in. Returns the last question. */
export async function logInFor(page: OpenedPage, idp: string, account: string, browser: Browser) {
  const state = hidden(page, "state");
  const onward = await browser.open("/oauth/device/login", { state, idp_id: idp });
  const [, next = ""] = /<a href="([^"]+)"[^>]*>Continue/.exec(onward.text) ?? [];
  const at = await browser.follow(next.replaceAll("&amp;", "&"), () => false);
  return signInOnPage(account, at, browser);
}

/** A person answers the last question. */
export const answer = (page: OpenedPage, text: string, browser: Browser) =>
  browser.open("/oauth/device/answer", { question: questionIn(page), answer: text });

/** A person does all of it. Returns the last page. */
export async function approve(user_code: string, idp: string, account: string) {
  const browser = new DeviceBrowser();
  const page = await typeCode(user_code, browser);
  const question = await logInFor(page, idp, account, browser);
  return answer(question, "approve", browser);
}
