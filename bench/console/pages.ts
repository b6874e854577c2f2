/** Opens pages of the console in a browser, and measures the first paint and how fast they respond. */
import type { Browser, Page } from "playwright-core";
import { signIn, type Visitor, visit } from "./visit.ts";

/** A visit of a person, with inputs that the page responds to. */
interface Act {
  name: string;
  /** Below `/console`. */
  path: string;
  /** A selector of an element that is there when the page is complete. */
  until: string;
  steps: (page: Page) => Promise<void>;
}

/** Times are in milliseconds. */
export interface PageTimes {
  name: string;
  /** From the request for the page until the first text or picture (Paint Timing). */
  firstPaint: number;
  /** From the sign-in until the page has its rows. */
  complete: number;
  /** From an input until the next frame, the slowest of all (Event Timing). Zero if none took 16 ms. */
  slowestInput: number;
  inputs: number;
}

const type = (page: Page, text: string) => page.keyboard.type(text, { delay: 60 });

const palette = async (page: Page) => {
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").waitFor();
  await type(page, "image");
  await page.getByRole("option").first().waitFor();
  await page.keyboard.press("Escape");
};

const acts: Act[] = [
  { name: "Home", path: "/", until: ".home-cards", steps: palette },
  {
    name: "Repositories (1,040)",
    path: "/repositories",
    until: "[role=row] a",
    steps: async (page) => {
      await page.getByRole("button", { name: "Name" }).first().click();
      await page.locator("[role=row] a").first().waitFor();
      await page.getByRole("searchbox").first().click();
      await type(page, "image-1");
    },
  },
  {
    name: "Repository",
    path: "/repositories/{repo}",
    until: "[role=row] a",
    steps: async (page) => {
      await page.mouse.move(700, 600);
      for (let turn = 0; turn < 20; turn += 1) await page.mouse.wheel(0, 600);
      await page.getByRole("link", { name: "Settings" }).first().click();
      await page.getByRole("heading", { level: 1 }).waitFor();
    },
  },
  {
    name: "Groups and access",
    path: "/access?group={root}",
    until: ".access-branch a",
    steps: async (page) => {
      await page.locator(".access-branch a").last().click();
      for (const key of ["ArrowDown", "ArrowDown", "ArrowUp"]) await page.keyboard.press(key);
    },
  },
  { name: "Roles", path: "/roles?group={root}", until: "[role=row] a", steps: palette },
  { name: "Event log", path: "/events?group={root}", until: "main h1", steps: palette },
];

/** Measures each page in a new profile, with nothing in its cache. */
export async function measurePages(
  browser: Browser,
  visitor: Visitor,
  uids: { root: string; repo: string },
): Promise<PageTimes[]> {
  const times: PageTimes[] = [];
  for (const act of acts) {
    const path = act.path.replace("{repo}", uids.repo).replace("{root}", uids.root);
    const url = `${visitor.origin}/console${path}`;
    times.push(await visit(browser, visitor, (page) => measure(page, url, act), true));
  }
  return times;
}

async function measure(page: Page, url: string, { name, until, steps }: Act): Promise<PageTimes> {
  await page.goto(url);
  await signIn(page).waitFor();
  const firstPaint = await page.evaluate(
    () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
  );
  const begun = performance.now();
  await signIn(page).click();
  await page.locator(until).first().waitFor();
  const complete = performance.now() - begun;
  await page.waitForLoadState("networkidle");
  await watchInputs(page);
  await steps(page);
  await page.waitForTimeout(500);
  const { slowest, count } = await page.evaluate(
    () => (window as unknown as { inputs: { slowest: number; count: number } }).inputs,
  );
  return { name, firstPaint, complete, slowestInput: slowest, inputs: count };
}

/** Begins to record the time that each input takes. */
async function watchInputs(page: Page): Promise<void> {
  await page.evaluate(() => {
    const seen = { slowest: 0, count: 0 };
    Object.assign(window, { inputs: seen });
    for (const kind of ["keydown", "pointerdown"])
      addEventListener(kind, () => {
        seen.count += 1;
      });
    const isInput = (entry: PerformanceEntry) =>
      "interactionId" in entry && Number(entry.interactionId) > 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries().filter(isInput))
        seen.slowest = Math.max(seen.slowest, entry.duration);
    }).observe({ type: "event", durationThreshold: 16 } as PerformanceObserverInit);
  });
}
