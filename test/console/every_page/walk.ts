/** Walks over pages of the console in one signed-in window, and notes everything that is wrong with them. */
import type { Browser, Page } from "playwright-core";
import { expectAccessible, type Visit as Opening, openConsole } from "../chromium.ts";
import { expectOnlyText } from "../hostile_texts.ts";
import type { Visit } from "./visits.ts";

/** How long a page makes no request before it counts as complete, in milliseconds. */
const quietTime = 100;

/** Opens each address, and each view that a page links to. Returns what is wrong, with the address. */
export async function walk(
  browser: Browser,
  opening: Omit<Opening, "path">,
  visits: readonly Visit[],
): Promise<string[]> {
  const { page, faults, close } = await openConsole(browser, { ...opening, path: "/console" });
  const requests = countRequests(page, faults);
  const problems: string[] = [];
  const queue = [...visits];
  const known = new Set(visits.map(({ address }) => address));
  for (let visit = queue.shift(); visit; visit = queue.shift()) {
    const { address } = visit;
    await page.evaluate((to) => history.pushState(null, "", to), `/console${address}`);
    try {
      await check(page, visit, requests);
    } catch (error) {
      problems.push(`${shortened(address)}: ${(error as Error).message}`);
      // Whatever is open must not hide the next page.
      await page.reload();
    }
    problems.push(...faults.splice(0).map((fault) => `${shortened(address)}: ${fault}`));
    for (const view of await viewsOf(page)) {
      if (!known.has(view)) queue.push({ address: view });
      known.add(view);
    }
  }
  await close();
  return problems;
}

const shortened = (text: string) => (text.length < 200 ? text : `${text.slice(0, 200)}…`);

interface Requests {
  open: number;
  lastTime: number;
}

/** Counts the requests that are open. A response that says that the server failed is a fault. */
function countRequests(page: Page, faults: string[]): Requests {
  const requests = { open: 0, lastTime: 0 };
  const change = (by: number) => (request: { url(): string }) => {
    if (request.url().includes("events:stream")) return;
    requests.open += by;
    requests.lastTime = Date.now();
  };
  page.on("request", change(1));
  page.on("requestfinished", change(-1));
  page.on("requestfailed", change(-1));
  page.on("response", (response) => {
    if (response.status() >= 500) faults.push(`${response.status()} of ${response.url()}`);
  });
  return requests;
}

/** Waits until the page has everything that it asks for. */
async function settle(page: Page, requests: Requests): Promise<void> {
  const end = Date.now() + 20_000;
  for (;;) {
    const isQuiet = requests.open === 0 && Date.now() - requests.lastTime >= quietTime;
    if (isQuiet && !(await page.locator("main .loading, main .bar").count())) return;
    if (Date.now() > end) throw new Error("the page does not stop loading");
    await page.waitForTimeout(20);
  }
}

async function check(page: Page, { shows, act }: Visit, requests: Requests): Promise<void> {
  await page.waitForTimeout(20);
  requests.lastTime = Date.now();
  await settle(page, requests);
  if (shows !== undefined) await page.waitForFunction(isShown, shows, { timeout: 5_000 });
  await act?.(page);
  await page.evaluate(openEverything);
  await settle(page, requests);
  await expectOnlyText(page);
  await expectAccessible(page);
}

/** Whether the page has the text, also in a field. It runs in the browser. */
function isShown(text: string): boolean {
  const fields = [...document.querySelectorAll<HTMLInputElement>("input, textarea")];
  const values = fields.map(({ value }) => value);
  return [document.querySelector("main")?.textContent, ...values].join("\n").includes(text);
}

/** Opens what is folded and shortened. It runs in the browser. */
function openEverything(): void {
  for (const one of document.querySelectorAll("main details")) one.setAttribute("open", "");
  for (const one of document.querySelectorAll<HTMLElement>("main button"))
    if (one.textContent?.startsWith("Show all")) one.click();
}

/** The addresses of the views of the page, below `/console`. */
const viewsOf = (page: Page): Promise<string[]> =>
  page
    .locator("nav.views a")
    .evaluateAll((links) =>
      links.map((link) => link.getAttribute("href")?.replace(/^\/console/, "") ?? ""),
    );
