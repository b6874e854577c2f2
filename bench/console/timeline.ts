/** Opens the timeline of a tag in a browser, and measures what a person waits for. */
import type { Browser, Page } from "playwright-core";

/** How many times slower the processor of the browser is. */
export const slowdown = 4;

/** The frames of one drag. */
const dragFrames = 120;

interface Visit {
  origin: string;
  /** The uid of the tag. */
  tag: string;
  records: number;
  /** Issues a token for the person who looks at it. */
  token(): Promise<string>;
}

/** Times are in milliseconds. */
export interface TimelineTimes {
  records: number;
  firstPicture: number;
  allRecords: number;
  /** The requests for records. */
  requests: number;
  longestTask: number;
  slowestFrame: number;
  shapes: number;
}

/** Measures one tag. Throws an Error if the page does not draw all of its records. */
export async function measureTimeline(browser: Browser, visit: Visit): Promise<TimelineTimes> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  try {
    const page = await context.newPage();
    await page.route("**/console/local-owner", async (route) => {
      const owner = { uid: "", name: "the owner" };
      const asked = { organization: { uid: "", name: "bench.example" }, owner };
      const given = { access_token: await visit.token(), expires_in: 3600 };
      await route.fulfill({ json: route.request().method() === "POST" ? given : asked });
    });
    const session = await context.newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
    return await measurePage(page, visit);
  } finally {
    await context.close();
  }
}

async function measurePage(page: Page, { origin, tag, records }: Visit): Promise<TimelineTimes> {
  let requests = 0;
  page.on("request", (request) => {
    if (request.url().includes("/tagMoves")) requests += 1;
  });
  await page.goto(`${origin}/console/tags/${tag}`);
  const signIn = page.getByRole("button", { name: /^Sign in as the owner/ });
  await signIn.waitFor();
  const begun = performance.now();
  await signIn.click();
  await page.locator(".timeline-plot[data-records]").waitFor({ timeout: 60_000 });
  const firstPicture = performance.now() - begun;
  await page.locator(`.timeline-plot[data-records="${records}"]`).waitFor({ timeout: 600_000 });
  const allRecords = performance.now() - begun;
  await page.waitForTimeout(1_000);
  const shapes = Number(await page.locator(".timeline-plot").getAttribute("data-shapes"));
  await watchFrames(page);
  const longestTask = await longestTaskOf(page, () => dragAndZoom(page));
  const slowestFrame = await page.evaluate(
    () => (window as unknown as { slowestFrame: number }).slowestFrame,
  );
  return { records, firstPicture, allRecords, requests, shapes, longestTask, slowestFrame };
}

/** Begins to record the longest time between two frames. */
async function watchFrames(page: Page): Promise<void> {
  await page.evaluate(() => {
    const seen = Object.assign(window, { slowestFrame: 0 });
    let last = performance.now();
    const frame = (now: number) => {
      seen.slowestFrame = Math.max(seen.slowestFrame, now - last);
      last = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
}

/** An entry of a trace of Chromium. Times are in microseconds. */
interface TraceEvent {
  name: string;
  ts: number;
  pid: number;
  tid: number;
  /** The time that the thread ran. */
  tdur?: number;
  args?: { name?: string };
}

/** The longest task of the main thread of the page, in milliseconds that the thread ran. */
async function longestTaskOf(page: Page, act: () => Promise<void>): Promise<number> {
  const browser = page.context().browser();
  if (!browser) throw new Error("there is no browser");
  const categories = ["devtools.timeline", "disabled-by-default-devtools.timeline"];
  await browser.startTracing(page, { categories });
  // The begin of a trace is work of the page too.
  await page.waitForTimeout(1_000);
  await page.evaluate(() => console.timeStamp("begin"));
  await act();
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as {
    traceEvents: TraceEvent[];
  };
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const isPage = (one: TraceEvent) =>
    one.name === "thread_name" && one.args?.name === "CrRendererMain";
  const pages = new Set(traceEvents.filter(isPage).map(threadOf));
  const begun = traceEvents.find(({ name }) => name === "TimeStamp")?.ts ?? 0;
  const isTask = (one: TraceEvent) => one.name === "RunTask" && one.ts > begun;
  const tasks = traceEvents.filter((one) => isTask(one) && pages.has(threadOf(one)));
  if (tasks.length === 0) throw new Error("the trace has no task of the page");
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1_000;
}

/** Zooms in at the newest third, drags to and fro at several zooms, and zooms out again. */
async function dragAndZoom(page: Page): Promise<void> {
  const box = await page.locator(".timeline-plot .u-over").boundingBox();
  if (!box) throw new Error("there is no picture");
  const [x, y] = [box.x + box.width * 0.66, box.y + box.height / 2];
  await page.mouse.move(x, y);
  for (const turns of [2, 4, 6]) {
    for (let turn = 0; turn < turns; turn += 1) await page.mouse.wheel(0, -200);
    await page.mouse.down();
    for (let at = 0; at <= dragFrames; at += 1)
      await page.mouse.move(x + 200 * Math.sin((at / dragFrames) * 2 * Math.PI), y);
    await page.mouse.up();
  }
  for (let turn = 0; turn < 14; turn += 1) await page.mouse.wheel(0, 200);
}
