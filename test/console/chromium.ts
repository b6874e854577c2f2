/** The console in a real Chromium, for tests. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, chromium, type Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { baseUrl, tokenFor } from "../world/platform.ts";

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const hasChromium = existsSync(executablePath);

/** Runs the tests in it where there is a Chromium. Elsewhere they are skipped with a message. */
export function describeInChromium(title: string, tests: () => void): void {
  test.skipIf(hasChromium)(
    `there is no browser at ${executablePath}, so this is not tested in one: ${title}`,
    (on) => on.skip("install Debian's chromium"),
  );
  describe.runIf(hasChromium)(title, { timeout: 60_000 }, tests);
}

/** Without a GPU, and with gray edges, letters look the same however busy the machine is. */
const args = ["--no-sandbox", "--disable-gpu", "--disable-lcd-text"];

/** Starts the browser. The caller closes it. */
export const launch = (): Promise<Browser> => chromium.launch({ executablePath, args });

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
}

/** A page of the console, and the faults that the browser noticed on it. */
export interface OpenedConsole {
  page: Page;
  /** Requests to other hosts, violations of the policy, and errors of scripts. A test expects none. */
  faults: string[];
  close(): Promise<void>;
}

/**
 * Opens a page of the console in a new profile, signed in. `npm start` would give the token of the owner; here the test
 * chooses the identity.
 */
export async function openConsole(browser: Browser, visit: Visit): Promise<OpenedConsole> {
  const {
    as,
    claims = {},
    path,
    width = 1280,
    height = 800,
    theme = "light",
    origin = baseUrl(),
  } = visit;
  const faults: string[] = [];
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme });
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin });
  await context.route(
    (url) => url.protocol.startsWith("http") && url.origin !== origin,
    (route) => {
      faults.push(`asks ${route.request().url()}`);
      return route.abort();
    },
  );
  await context.route(`${origin}/console/local-owner`, async (route) => {
    const owner = { uid: as, name: "the tester" };
    const json =
      route.request().method() === "POST"
        ? { access_token: await tokenFor(as, claims), expires_in: 3600 }
        : { organization: { uid: "", name: "the test" }, owner };
    return route.fulfill({ json });
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  faultsOf(page, faults);
  await page.goto(`${origin}${path}`);
  await page.getByRole("button", { name: /^Sign in as the owner/ }).click();
  // The page with the button has a heading too.
  await page.locator(".frame main h1").waitFor();
  return { page, faults, close: () => context.close() };
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
