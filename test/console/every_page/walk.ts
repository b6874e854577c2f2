/** Walks over pages of the console in one signed-in window, and notes everything that is wrong with them. */
import type { Page, Request } from "playwright-core";
import { patience } from "../../world/times.ts";
import { type Visit as Opening, openConsole, violationsOf } from "../chromium.ts";
import { harmOf } from "../hostile_texts.ts";
import type { Visit } from "./visits.ts";

/** How long a page makes no request before it counts as complete, in milliseconds. */
const quietTime = 100;

/** Opens each address, and each view that a page links to. Returns what is wrong, with the address. */
export async function walk(
  opening: Omit<Opening, "path">,
  visits: readonly Visit[],
): Promise<string[]> {
  const { page, faults } = await openConsole({ ...opening, path: "/console" });
  const requests = watchRequests(page, faults);
  const problems: string[] = [];
  const queue = [...visits];
  const known = new Set(visits.map(({ address }) => address));
  for (let visit = queue.shift(); visit; visit = queue.shift()) {
    const { address } = visit;
    await page.evaluate((to) => history.pushState(null, "", to), `/console${address}`);
    const found = await problemsOf(page, visit, requests);
    problems.push(...[...found, ...faults.splice(0)].map((one) => `${shortened(address)} ${one}`));
    const views = visit.isAlone ? [] : await viewsOf(page);
    queue.push(...views.filter((view) => !known.has(view)).map((view) => ({ address: view })));
    for (const view of views) known.add(view);
  }
  return problems;
}

const shortened = (text: string) => (text.length < 250 ? text : `${text.slice(0, 250)}…`);

interface Requests {
  open: Set<Request>;
  /** When the last one began or ended. */
  lastTime: number;
}

/** Notes the requests that are open. A response that says that the server failed is a fault. */
function watchRequests(page: Page, faults: string[]): Requests {
  const requests: Requests = { open: new Set(), lastTime: 0 };
  page.on("request", (request) => {
    if (!request.url().includes("events:stream")) requests.open.add(request);
    requests.lastTime = Date.now();
  });
  const end = (request: Request) => {
    requests.open.delete(request);
    requests.lastTime = Date.now();
  };
  page.on("requestfinished", end);
  page.on("requestfailed", end);
  page.on("response", (response) => {
    if (response.status() >= 500) faults.push(`${response.status()} of ${response.url()}`);
  });
  return requests;
}

/** Waits until the page has everything that it asks for. */
async function settle(page: Page, requests: Requests): Promise<void> {
  const end = Date.now() + patience;
  for (;;) {
    const isQuiet = requests.open.size === 0 && Date.now() - requests.lastTime >= quietTime;
    if (isQuiet && !(await page.locator("main .loading, main .bar").count())) return;
    if (Date.now() > end) throw new Error("the page does not stop loading");
    await page.waitForTimeout(20);
  }
}

async function problemsOf(page: Page, { shows, act }: Visit, requests: Requests) {
  try {
    await page.waitForTimeout(20);
    requests.lastTime = Date.now();
    await settle(page, requests);
    await act?.(page);
    await page.evaluate(openEverything);
    await settle(page, requests);
    if (shows !== undefined) await page.waitForFunction(isShown, shows);
  } catch (error) {
    return [(error as Error).message];
  }
  const violations = await violationsOf(page);
  return [
    ...(await harmOf(page)),
    ...violations.map(({ help, html }) => `${help}: ${html.map(shortened).join(" ")}`),
  ];
}

/** Whether the page has the text, also in a field. It runs in the browser. */
function isShown(text: string): boolean {
  const fields = [...document.querySelectorAll<HTMLInputElement>("input, textarea")];
  const values = fields.map(({ value }) => value);
  return [document.querySelector("main")?.textContent, ...values].join("\n").includes(text);
}

/** Opens what is folded and shortened, and uncovers what something lies over. It runs in the browser. */
function openEverything(): void {
  for (const one of document.querySelectorAll("main details")) one.setAttribute("open", "");
  for (const one of document.querySelectorAll<HTMLElement>("main button"))
    if (one.textContent?.startsWith("Show all")) one.click();
  // A bar that sticks to the end of the window lies over fields until the person scrolls.
  for (const one of document.querySelectorAll<HTMLElement>("main *"))
    if (getComputedStyle(one).position === "sticky") one.style.position = "static";
}

/** The addresses of the views of the page, below `/console`. */
const viewsOf = (page: Page): Promise<string[]> =>
  page
    .locator("nav.views a")
    .evaluateAll((links) =>
      links.map(
        (link) => link.getAttribute("href")?.replace("/console", "").replaceAll("%2F", "/") ?? "",
      ),
    );
