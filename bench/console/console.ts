/** Measures the timeline of a tag in a real browser, on a processor that is made slower. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { fillOrganization } from "../organization.ts";
import type { BenchSetup, Findings, Goal } from "../report/findings.ts";
import { makeDatabase, removeFolder, startBenchPlatform } from "../stage.ts";
import { addHistory } from "./history.ts";
import { measureTimeline, slowdown, type TimelineTimes } from "./timeline.ts";

const sizes = [5_000, 100_000];

/** The goal for one task of the page while the person drags the picture. In milliseconds. */
const maxTask = 100;

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";

const text = `A headless Chromium opens the timeline of a tag, on the same machine as the platform. The DevTools
protocol makes its processor ${slowdown} times slower.

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
  const place = join(folder, "console");
  const organization = fillOrganization(await makeDatabase(place), 1_000);
  const platform = await startBenchPlatform(bundle, place, { hasPages: true });
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  const found: TimelineTimes[] = [];
  try {
    for (const records of sizes) {
      say(`the timeline of a tag with ${records} records`);
      const tag = await addHistory(platform, organization, records);
      const token = () => platform.tokenFor(organization.owner);
      found.push(await measureTimeline(browser, { origin: platform.url, tag, records, token }));
    }
  } finally {
    await browser.close();
    await platform.stop();
    await removeFolder(place);
  }
  return findingsOf(found);
}

function findingsOf(found: TimelineTimes[]): Findings {
  return {
    title: "Console",
    text,
    tables: [
      {
        title: `Timeline of a tag, on a processor ${slowdown} times slower (milliseconds)`,
        head: [
          ...["records", "first picture", "all records", "requests"],
          ...["longest task", "slowest frame", "shapes drawn"],
        ],
        rows: found.map((one) => [
          one.records,
          Math.round(one.firstPicture),
          Math.round(one.allRecords),
          one.requests,
          Math.round(one.longestTask),
          Math.round(one.slowestFrame),
          one.shapes,
        ]),
      },
    ],
    goals: found.map(
      ({ records, longestTask }): Goal => ({
        what: `longest task while the picture of ${records} records is dragged and zoomed`,
        bound: `at most ${maxTask} ms`,
        measured: `${Math.round(longestTask)} ms`,
        kept: longestTask <= maxTask,
      }),
    ),
    charts: [],
  };
}
