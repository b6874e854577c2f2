/** Opens the timeline of a tag in a browser, and measures what a person waits for. */
import type { Browser, Page } from "playwright-core";
import { signIn, type Visitor, visit } from "./visit.ts";

/** The frames of one drag. */
const dragFrames = 120;

/** A tag, and how many records it has. */
interface Tag {
  uid: string;
  records: number;
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
export const measureTimeline = (
  browser: Browser,
  visitor: Visitor,
  tag: Tag,
): Promise<TimelineTimes> => visit(browser, visitor, (page) => measure(page, visitor.origin, tag));

async function measure(page: Page, origin: string, { uid, records }: Tag): Promise<TimelineTimes> {
  let requests = 0;
  page.on("request", (request) => {
    if (request.url().includes("/tagMoves")) requests += 1;
  });
  await page.goto(`${origin}/console/tags/${uid}`);
  await signIn(page).waitFor();
  const begun = performance.now();
  await signIn(page).click();
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
  const isPage = (event: TraceEvent) =>
    event.name === "thread_name" && event.args?.name === "CrRendererMain";
  const pages = new Set(traceEvents.filter(isPage).map(threadOf));
  const begun = traceEvents.find(({ name }) => name === "TimeStamp")?.ts ?? 0;
  const isTask = (event: TraceEvent) => event.name === "RunTask" && event.ts > begun;
  const tasks = traceEvents.filter((event) => isTask(event) && pages.has(threadOf(event)));
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
    for (let frame = 0; frame <= dragFrames; frame += 1)
      await page.mouse.move(x + 200 * Math.sin((frame / dragFrames) * 2 * Math.PI), y);
    await page.mouse.up();
  }
  for (let turn = 0; turn < 14; turn += 1) await page.mouse.wheel(0, 200);
}
