/** Measures pages and the timeline of a tag in a real browser, on a processor that is made slower. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { fillOrganization } from "../organization.ts";
import type { BenchSetup, Findings, Goal, Table } from "../report/findings.ts";
import { makeDatabase, removeFolder, startBenchPlatform } from "../stage.ts";
import { addHistory } from "./history.ts";
import { measurePages, type PageTimes } from "./pages.ts";
import { measureTimeline, type TimelineTimes } from "./timeline.ts";
import { connection, slowdown } from "./visit.ts";

const sizes = [5_000, 100_000];

/** The goal for one task of the page while the person drags the picture. In milliseconds. */
const maxTask = 100;

/** The goals for pages. In milliseconds. */
const maxFirstPaint = 1_000;
const maxInput = 100;

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";

const text = `A headless Chromium opens pages of the console and the timelines of tags, on the same machine as the platform.
The DevTools protocol makes its processor ${slowdown} times slower. For the pages, it also limits the connection to
${(connection.downloadThroughput * 8) / 1e6} Mbit/s with ${connection.latency} ms for each round trip.

- *first paint*: from the request for the page until its first text, with nothing in the cache.
- *complete*: from the sign-in until the page has its rows. The code of the page is loaded in this time.
- *slowest input*: of a person who types, clicks, scrolls and opens the search, from the input until the next frame.

- *first picture*: from the sign-in until the first records are drawn. The code of the page is loaded in this time.
- *all records*: from the sign-in until the last record is drawn. The page reads 200 records with each request, one
  request after another.
- *longest task*: of the page while all records are there and the pointer drags the picture, zoomed in and back, and
  while it zooms. This is the time that its thread ran, so other work on the machine counts little.
- *slowest frame*: the longest time between two frames in the same part.`;

/** Measures the timeline. Without a browser, it measures nothing and says so. */
export async function measureConsole({ bundle, folder, say }: BenchSetup): Promise<Findings> {
  if (!existsSync(executablePath)) {
    const missing = `There is no browser at \`${executablePath}\`, so nothing was measured.`;
    return { title: "Console", text: missing, tables: [], goals: [], charts: [] };
  }
  const workFolder = join(folder, "console");
  const organization = fillOrganization(await makeDatabase(workFolder), 1_000);
  const platform = await startBenchPlatform(bundle, workFolder, { hasPages: true });
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  const timelines: TimelineTimes[] = [];
  const visitor = { origin: platform.url, token: () => platform.tokenFor(organization.owner) };
  let pages: PageTimes[] = [];
  try {
    say("the pages");
    pages = await measurePages(browser, visitor, organization);
    for (const records of sizes) {
      say(`the timeline of a tag with ${records} records`);
      const uid = await addHistory(platform, organization, records);
      timelines.push(await measureTimeline(browser, visitor, { uid, records }));
    }
  } finally {
    await browser.close();
    await platform.stop();
    await removeFolder(workFolder);
  }
  return {
    title: "Console",
    text,
    charts: [],
    tables: [tableOfPages(pages), tableOfTimelines(timelines)],
    goals: [...goalsOfPages(pages), ...goalsOfTimelines(timelines)],
  };
}

const tableOfPages = (pages: PageTimes[]): Table => ({
  title: `Pages, on a processor ${slowdown} times slower (milliseconds)`,
  head: ["page", "first paint", "complete", "slowest input", "inputs"],
  rows: pages.map(({ name, firstPaint, complete, slowestInput, inputs }) => [
    ...[name, Math.round(firstPaint), Math.round(complete), Math.round(slowestInput), inputs],
  ]),
});

const tableOfTimelines = (timelines: TimelineTimes[]): Table => ({
  title: `Timeline of a tag, on a processor ${slowdown} times slower (milliseconds)`,
  head: [
    ...["records", "first picture", "all records", "requests"],
    ...["longest task", "slowest frame", "shapes drawn"],
  ],
  rows: timelines.map((times) => [
    times.records,
    Math.round(times.firstPicture),
    Math.round(times.allRecords),
    times.requests,
    Math.round(times.longestTask),
    Math.round(times.slowestFrame),
    times.shapes,
  ]),
});

/** The slowest page decides. */
function goalsOfPages(pages: PageTimes[]): Goal[] {
  const goal = (what: string, slowest: number, bound: number): Goal => ({
    what,
    bound: `at most ${bound} ms`,
    measured: `${Math.round(slowest)} ms`,
    kept: slowest <= bound,
  });
  const paint = Math.max(...pages.map(({ firstPaint }) => firstPaint));
  const input = Math.max(...pages.map(({ slowestInput }) => slowestInput));
  return [
    goal("first paint of a page of the console", paint, maxFirstPaint),
    goal("response of a page of the console to an input", input, maxInput),
  ];
}

const goalsOfTimelines = (timelines: TimelineTimes[]): Goal[] =>
  timelines.map(({ records, longestTask }) => ({
    what: `longest task while the picture of ${records} records is dragged and zoomed`,
    bound: `at most ${maxTask} ms`,
    measured: `${Math.round(longestTask)} ms`,
    kept: longestTask <= maxTask,
  }));
