/** Chromium, and the console in it, for tests. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { describe, expect, inject, onTestFailed, onTestFinished, test } from "vitest";
import { executablePath, howToInstall, launchOptions } from "../world/browsers.ts";
import { baseUrl, tokenFor } from "../world/platform.ts";
import { sampled } from "../world/tiers.ts";
import { patience } from "../world/times.ts";

/**
 * Runs the tests in it where there is a Chromium. Elsewhere they are skipped with a message. The quick tier runs one
 * such group of three.
 */
export function describeInChromium(title: string, tests: () => void): void {
  const hasChromium = executablePath !== undefined;
  const tier = sampled(title);
  test.skipIf(hasChromium)(
    `there is no browser, so this is not tested in one: ${title}`,
    tier,
    (on) => on.skip(howToInstall),
  );
  describe.runIf(hasChromium)(title, tier, tests);
}

/** Starts a browser. The caller closes it. */
export const launch = (): Promise<Browser> => chromium.launch(launchOptions);

let shared: Promise<Browser> | undefined;

/** The browser that the test files of this thread share. No one closes it. */
const browser = () => (shared ??= connect());

async function connect(): Promise<Browser> {
  const answer = await fetch(`${inject("browsers")}/${process.env.VITEST_POOL_ID}`);
  if (!answer.ok) throw new Error(await answer.text());
  return chromium.connect(await answer.text());
}

/** A new profile, without a cache and without a sign-in. The caller closes it. */
export async function newProfile(
  options: Parameters<Browser["newContext"]>[0] = {},
): Promise<BrowserContext> {
  const context = await (await browser()).newContext(options);
  context.setDefaultTimeout(patience);
  return context;
}

/** The profiles with the cached code of the console, by origin. */
const profiles = new Map<string, Promise<BrowserContext>>();

function profileOf(origin: string): Promise<BrowserContext> {
  const profile = profiles.get(origin) ?? newProfile();
  profiles.set(origin, profile);
  return profile;
}

/** How the console is opened. */
export interface Visit {
  /** The uid of the identity that is signed in. */
  as: string;
  /** More claims of the token, such as an email address. */
  claims?: Parameters<typeof tokenFor>[1];
  /** Below the origin, such as `/console/repositories?group=…`. */
  path: string;
  width?: number;
  height?: number;
  theme?: "light" | "dark";
  origin?: string;
  /** Whether it is opened in a profile of its own, as by someone who has never been there. */
  isFirstVisit?: boolean;
}

/** A page of the console, and the faults that the browser noticed on it. */
export interface OpenedConsole {
  page: Page;
  /** Requests to other hosts, violations of the policy, and errors of scripts. A test with one of them fails. */
  faults: string[];
}

/**
 * Opens a page of the console that is already signed in. It has a new tab, and nothing that the browser kept of a visit
 * before. `npm start` would give the token of the owner; here the test chooses the identity. The tab is closed at the
 * end of the test, which then fails if there were faults.
 */
export async function openConsole(visit: Visit): Promise<OpenedConsole> {
  const { as, claims = {}, path, theme = "light", origin = baseUrl(), isFirstVisit } = visit;
  const { width = 1280, height = 800 } = visit;
  const context = await (isFirstVisit ? newProfile() : profileOf(origin));
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin });
  const page = await context.newPage();
  const faults = faultsOf(page);
  const seen = { page: "" };
  onTestFailed(() => console.error(seen.page));
  onTestFinished(async ({ task }) => {
    const found = [...faults];
    if (task.result?.state === "fail") seen.page = await describePage(page);
    await (isFirstVisit ? context : page).close();
    expect(found).toEqual([]);
  });
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: theme });
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith("http") && url.origin !== origin) faults.push(`asks ${url}`);
  });
  const owner = { organization: { uid: "", name: "the test" }, owner: { uid: as, name: "tester" } };
  const grant = { access_token: await tokenFor(as, claims, 3600), expires_in: 3600 };
  await page.addInitScript(signIn, { owner, grant });
  await page.goto(`${origin}${path}`);
  await page.locator(".frame main h1").waitFor();
  return { page, faults };
}

/** The page as a screen reader has it, for the message of a test that failed. */
async function describePage(page: Page): Promise<string> {
  const focused = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200));
  return `${page.url()}\n${await page.locator("body").ariaSnapshot()}\nThe focus is on ${focused}`;
}

/**
 * Signs a tab in as the local owner, as a reload does it. It runs in the browser, before the console. It answers in
 * place of the server, because a page whose requests Playwright answers loads everything without the cache.
 */
function signIn({ owner, grant }: { owner: object; grant: object }): void {
  const mark = "console.last-sign-in";
  if (sessionStorage.getItem(mark) === null) localStorage.clear();
  sessionStorage.setItem(mark, "local-owner");
  const send = window.fetch;
  window.fetch = async (input, init) => {
    if (input !== "/console/local-owner") return send(input, init);
    return Response.json(init?.method === "POST" ? grant : owner);
  };
}

/** Notes the errors of scripts and the violations of the policy on a page. */
export function faultsOf(page: Page, faults: string[] = []): string[] {
  page.on("console", (line) => {
    // The browser itself reports every response with an error.
    if (line.type() === "error" && !/Failed to load resource/.test(line.text()))
      faults.push(line.text());
  });
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("dialog", (dialog) => {
    faults.push(`asks in a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return faults;
}

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
  "utf8",
);

type Violation = { id: string; help: string; nodes: { html: string }[] };

/** Expects that the page as it is breaks no rule of WCAG 2.2 A and AA that axe can test. */
export const expectAccessible = async (page: Page) => expect(await violationsOf(page)).toEqual([]);

/** The rules that the page breaks, each with the elements. */
export async function violationsOf(page: Page) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axeSource);
  return page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: { run(place: Document, options: object): Promise<{ violations: Violation[] }> };
    };
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
    const { violations } = await axe.run(document, {
      ...{ runOnly: { type: "tag", values: tags }, resultTypes: ["violations"], preload: false },
    });
    return violations.map(({ id, help, nodes }) => ({ id, help, html: nodes.map((n) => n.html) }));
  });
}

/** Expects that nothing is wider than the window. */
export async function expectNoOverflow(page: Page): Promise<void> {
  const [content, window] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    document.documentElement.clientWidth,
  ]);
  expect(content).toBeLessThanOrEqual(Number(window));
}
