/** A login in a browser, on this machine or on another one. */
import { decodeJwt } from "jose/jwt/decode";
import { refusedFailure, unreachableFailure } from "../failure.ts";
import { showWaiting } from "../import/progress.ts";
import { logInByDevice, requestDeviceCodes } from "./device_login.ts";
import { exchangeToken, type PlatformAddresses } from "./exchange.ts";
import { awaitToken, fingerprintOf, newHeadlessKey } from "./headless.ts";
import { checkLogin } from "./login_check.ts";
import { type LoginTokens, listenForLogin } from "./loopback.ts";
import { canOpenBrowser, openBrowser } from "./open_browser.ts";

/** The target of a login, and how to log in. */
export type BrowserLogin = {
  /** The uid of an identity provider, or the name or uid of its organization. */
  idp: string;
  identity?: string | undefined;
  invite?: string | undefined;
  /**
   * `elsewhere` is a browser on another machine. `here` is a browser on this machine that the command does not open.
   * With `device`, the user types a code in any browser. `browser` becomes `device` if no browser can be opened.
   */
  where: "browser" | "here" | "elsewhere" | "device";
};

/** How long the user may take, in milliseconds. The issuer waits as long. */
const timeoutMs = 10 * 60_000;
/** A terminal shows this while it waits. */
const signInPrompt = "waiting for you to sign in";

/**
 * Logs in, and prints instructions for the user with `print`. Throws LOGIN_TIMEOUT, or a Failure with the issuer's
 * error. If the issuer knows the error in advance, the Failure comes before anyone signs in.
 */
export async function logInByBrowser(
  addresses: PlatformAddresses,
  login: BrowserLogin,
  env: NodeJS.ProcessEnv,
  print: (text: string) => void,
): Promise<LoginTokens> {
  await showWaiting("checking the login with the issuer", checkLogin(addresses.issuer, login.idp));
  const query = new URLSearchParams({
    idp_id: login.idp,
    // With the issuer as an audience, the issuer accepts this token in exchange for a registry token.
    audience: `${addresses.issuer},${addresses.audience}`,
    ...(login.identity ? { identity: login.identity } : {}),
    ...(login.invite ? { invite: login.invite } : {}),
  });
  const tokens =
    (await logInWithCode(addresses, login, env, print)) ??
    (login.where === "elsewhere"
      ? await logInOnOtherDevice(addresses, query, print)
      : await logInOnThisMachine(addresses, query, login, env, print));
  if (issuerOf(tokens.token) !== addresses.issuer) {
    throw unreachableFailure("The login returned a token from a different issuer.");
  }
  return tokens;
}

/** Returns undefined if the user has a browser here, or wants another login. An invite needs the page of another login. */
async function logInWithCode(
  { issuer, audience }: PlatformAddresses,
  { idp, identity, invite, where }: BrowserLogin,
  env: NodeJS.ProcessEnv,
  print: (text: string) => void,
): Promise<LoginTokens | undefined> {
  const isChosen = where === "device";
  const isNeeded = where === "browser" && !canOpenBrowser(env) && !invite;
  if (!isChosen && !isNeeded) return undefined;
  const codes = await requestDeviceCodes(issuer, idp);
  if (!codes && isChosen)
    throw refusedFailure(
      "UNIMPLEMENTED",
      `${issuer} is an earlier version without this login. Use --headless instead.`,
    );
  if (!codes) return undefined;
  if (isNeeded) print("No browser can be opened here, so you log in with a code.\n");
  const token = await logInByDevice(issuer, codes, print);
  if (!identity) return { token, refreshToken: "" };
  const audiences = [issuer, audience];
  const assumed = await exchangeToken({ issuer, token, audiences, identity });
  return { token: assumed.token, refreshToken: "" };
}

async function logInOnOtherDevice(
  { issuer }: PlatformAddresses,
  query: URLSearchParams,
  print: (text: string) => void,
): Promise<LoginTokens> {
  const key = newHeadlessKey();
  query.set("headless_code", key.code);
  print(`Open this address in a browser on any machine:\n\n  ${issuer}/oauth?${query}\n`);
  print(`Continue only if the page shows this code:  ${fingerprintOf(key.code)}\n`);
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
  const what = isOpen ? "Your browser is opening. If it does not, open" : "Open";
  print(`${what} this address in a browser on this machine:\n\n  ${url}\n`);
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
