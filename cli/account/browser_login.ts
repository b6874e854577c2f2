/** A login in a browser: here, or on another machine where this one has none. */
import { decodeJwt } from "jose/jwt/decode";
import { unreachableFailure } from "../failure.ts";
import { showWaiting } from "../import/progress.ts";
import type { PlatformAddresses } from "./exchange.ts";
import { awaitToken, fingerprintOf, newHeadlessKey } from "./headless.ts";
import { checkLogin } from "./login_check.ts";
import { type LoginTokens, listenForLogin } from "./loopback.ts";
import { openBrowser } from "./open_browser.ts";

/** What to log in to, and how. */
export type BrowserLogin = {
  /** Uid of an identity provider, or name or uid of its organization. */
  idp: string;
  identity?: string | undefined;
  invite?: string | undefined;
  /** `logInOnOtherDevice`: in a browser of another machine. `logInOnThisMachine`: the address is only told. */
  where: "browser" | "here" | "elsewhere";
};

/** How long a person may take, in milliseconds; as long as the issuer waits. */
const timeoutMs = 10 * 60_000;
/** What is waited for, as a terminal shows it. */
const signInPrompt = "waiting for you to sign in";

/**
 * Logs in, and says to the person by `print` what to do. Throws a Failure with the issuer's refusal, at once
 * where the issuer knows it before anybody signs in, or LOGIN_TIMEOUT.
 */
export async function logInByBrowser(
  addresses: PlatformAddresses,
  login: BrowserLogin,
  env: NodeJS.ProcessEnv,
  print: (text: string) => void,
): Promise<LoginTokens> {
  await showWaiting("asking whether that login can work", checkLogin(addresses.issuer, login.idp));
  const query = new URLSearchParams({
    idp_id: login.idp,
    // The issuer too, so that it takes this token in exchange for one for the registry.
    audience: `${addresses.issuer},${addresses.audience}`,
    ...(login.identity ? { identity: login.identity } : {}),
    ...(login.invite ? { invite: login.invite } : {}),
  });
  const tokens =
    login.where === "elsewhere"
      ? await logInOnOtherDevice(addresses, query, print)
      : await logInOnThisMachine(addresses, query, login, env, print);
  if (issuerOf(tokens.token) !== addresses.issuer) {
    throw unreachableFailure("The login ended with a token of another issuer.");
  }
  return tokens;
}

async function logInOnOtherDevice(
  { issuer }: PlatformAddresses,
  query: URLSearchParams,
  print: (text: string) => void,
): Promise<LoginTokens> {
  const key = newHeadlessKey();
  query.set("headless_code", key.code);
  print(`Open this address in a browser of any machine:\n\n  ${issuer}/oauth?${query}\n`);
  print(`Go on there only if it shows this code:  ${fingerprintOf(key.code)}\n`);
  const token = await showWaiting(signInPrompt, awaitToken(issuer, key, timeoutMs));
  return { token, refreshToken: "" };
}

async function logInOnThisMachine(
  { issuer }: PlatformAddresses,
  query: URLSearchParams,
  { identity, where }: BrowserLogin,
  env: NodeJS.ProcessEnv,
  print: (text: string) => void,
): Promise<LoginTokens> {
  const loopback = await listenForLogin(timeoutMs);
  query.set("exit", "redirect");
  query.set("redirect", loopback.redirect);
  if (!identity) query.set("create_refresh_token", "true");
  const url = `${issuer}/oauth?${query}`;
  const isOpen = where === "browser" && (await openBrowser(url, env));
  const what = isOpen ? "Your browser opens. If it does not, open" : "Open";
  print(`${what} this address in a browser of this machine:\n\n  ${url}\n`);
  try {
    return await showWaiting(signInPrompt, loopback.tokens);
  } finally {
    await loopback.close();
  }
}

function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}
