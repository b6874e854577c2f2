import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SentStatement } from "../world/recorder.ts";
import { type CostCase, isPage, maxRoundTrips, pageSize, rowsOfOne, rowsOfPage } from "./case.ts";
import { cases } from "./cases.ts";
import { allowances, scanFaults } from "./plans.ts";
import { type CostPlatform, startCostPlatform } from "./stage.ts";

/** One line for each call: its round trips, rows read, rows written and name. */
const table = new URL("./counts.txt", import.meta.url);

/** A recorded call, with its statements by round trip. */
interface Measured {
  asked: CostCase;
  trips: SentStatement[][];
}

let stage: CostPlatform;
let measured: Measured[];
/** The query plan of every statement, by the text of the statement. */
let plans: Map<string, string[]>;

beforeAll(async () => {
  stage = await startCostPlatform();
  measured = [];
  const refused: string[] = [];
  for (const asked of cases) {
    try {
      measured.push({ asked, trips: await stage.record(asked) });
    } catch (error) {
      refused.push((error as Error).message);
    }
  }
  if (refused.length > 0) throw new Error(refused.join("\n"));
  plans = await stage.explain(measured.flatMap(({ trips }) => trips.flat()));
});

afterAll(() => stage.stop());

/** D1 reports no counts for a batch that is undone, as that of a call that only validates is. */
const isUndone = (trip: SentStatement[]) =>
  trip.at(-1)?.params.some((value) => `${value}`.endsWith("because the call only validates")) ??
  false;

const sum = (trips: SentStatement[][], of: "rowsRead" | "rowsWritten") =>
  trips
    .filter((trip) => !isUndone(trip))
    .flat()
    .reduce((total, statement) => total + (statement[of] ?? Number.NaN), 0);

const countsOf = (trips: SentStatement[][]) =>
  [trips.length, sum(trips, "rowsRead"), sum(trips, "rowsWritten")].join(" ");

/** The statements of a call, for finding out why it costs so much. */
const countLine = ({ asked, trips }: Measured) =>
  [
    `${asked.name}: ${trips.length} round trips, ${sum(trips, "rowsRead")} rows read, ${sum(trips, "rowsWritten")} written`,
    ...trips.flatMap((trip, at) =>
      trip.flatMap((statement) => [
        `  round trip ${at + 1}: ${statement.sql}`,
        `    ${JSON.stringify(statement.params)}`,
        `    ${statement.rowsRead} rows read, ${statement.rowsWritten} written`,
        ...(plans.get(statement.sql) ?? []).map((line) => `      ${line}`),
      ]),
    ),
  ].join("\n");

test("every call costs the round trips, rows read and rows written of counts.txt (UPDATE_COUNTS=1 writes it)", () => {
  const lines = measured.map(({ asked, trips }) => `${countsOf(trips)} ${asked.name}`);
  const text = `round trips, rows read, rows written, call\n${lines.join("\n")}\n`;
  if (process.env.UPDATE_COUNTS) writeFileSync(table, text);
  const known = readFileSync(table, "utf8");
  const before = (name: string) =>
    known.split("\n").find((line) => line.replace(/^\d+ \d+ \d+ /, "") === name) ?? "no line";
  const changed = measured.filter((_, at) => !known.includes(`\n${lines[at]}\n`));
  expect(
    changed.map((one) => `counts.txt: ${before(one.asked.name)}\n${countLine(one)}`).join("\n\n"),
  ).toBe("");
  expect(text).toBe(known);
});

test("no statement scans a table that grows, or sorts rows that an index has in order", () => {
  const used = new Set<(typeof allowances)[number]>();
  const faulty = measured.flatMap((one) => {
    const faults = one.trips
      .flat()
      .flatMap(({ sql }) => scanFaults(one.asked, sql, plans.get(sql) ?? [], used));
    return faults.length > 0 ? [`${faults.join(", ")} in\n${countLine(one)}`] : [];
  });
  expect(faulty.join("\n\n")).toBe("");
  expect(allowances.filter((one) => !used.has(one))).toEqual([]);
});

test("a Get and a List with a scope take one round trip, and other calls at most those of their kind", () => {
  const late = measured.filter(({ asked, trips }) => trips.length > maxRoundTrips[asked.kind]);
  expect(late.map(countLine).join("\n\n")).toBe("");
});

/** The most rows that a call for a page may read. */
const mostRows = (asked: CostCase) =>
  (asked.reads ?? 1) * (pageSize * (asked.rowsOfOne ?? rowsOfOne) + rowsOfPage) +
  (asked.rowsOfGrants ?? 0);

test("a page of every order and filter reads at most four times its rows and 100, and those of further grants", () => {
  const pages = measured.filter(({ asked }) => isPage(asked));
  const isWide = ({ asked, trips }: Measured) => sum(trips, "rowsRead") > mostRows(asked);
  const [limited, open] = [false, true].map((examines) =>
    pages.filter(({ asked }) => (asked.examines !== undefined) === examines),
  ) as [Measured[], Measured[]];
  expect(limited.length).toBeGreaterThan(300);
  expect(limited.filter(isWide).map(countLine).join("\n\n")).toBe("");
  const reasons = (some: Measured[]) => new Set(some.map(({ asked }) => asked.examines));
  expect(reasons(open.filter(isWide))).toEqual(reasons(open));
});
