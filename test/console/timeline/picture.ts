/** The picture of the timeline, for tests. */
import type { Page, Request } from "playwright-core";

/** The part of the page that takes the pointer, in the middle of which `x` is 0.5. */
export async function placeIn(page: Page, x: number): Promise<{ x: number; y: number }> {
  const box = await page.locator(".timeline-plot .u-over").boundingBox();
  if (!box) throw new Error("there is no picture");
  return { x: box.x + x * box.width, y: box.y + box.height / 2 };
}

/** The numbers of the last drawing: the records in its part of time, and the shapes that stand for them. */
export const drawn = (page: Page) =>
  page.locator(".timeline-plot").evaluate((plot) => {
    const { records, shapes } = (plot as HTMLElement).dataset;
    return { records: Number(records), shapes: Number(shapes), width: plot.clientWidth };
  });

/** Waits until the picture has drawn so many records. */
export const untilDrawn = (page: Page, records: number) =>
  page.locator(`.timeline-plot[data-records="${records}"]`).waitFor();

/** Counts the requests for records. */
export function countMoves(page: Page): { count: number } {
  const seen = { count: 0 };
  page.on("request", (request: Request) => {
    if (request.method() === "GET" && request.url().includes("/tagMoves")) seen.count += 1;
  });
  return seen;
}

/** The page writes to its address when the person has rested for less than this. In milliseconds. */
const rest = 700;

/** The parameters of the address, once `isReady` is true and they no longer change. */
export async function parametersOf(
  page: Page,
  isReady: (parameters: URLSearchParams) => boolean,
): Promise<URLSearchParams> {
  await page.waitForURL((url) => isReady(url.searchParams));
  for (;;) {
    const before = page.url();
    await page.waitForTimeout(rest);
    if (page.url() === before) return new URL(before).searchParams;
  }
}

/** The slider that the picture is for the keyboard and for screen readers. */
export const slider = (page: Page) => page.getByRole("slider", { name: /Records of the tag/ });
