import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import {
  gzipSize,
  limitOf,
  limits,
  platformBound,
  sizeBreach,
  workerBound,
} from "../../cli/check/sizes.ts";

const root = new URL("../..", import.meta.url).pathname;

test("the whole platform as large as its bound is refused, and a smaller one is not", () => {
  expect(sizeBreach("", platformBound)).toMatch(/^450 KiB of gzip must be below 450/);
  expect(sizeBreach("", platformBound - 0.01)).toBeUndefined();
});

test("a Worker without a limit of its own stays below the bound of all", () => {
  expect(sizeBreach("new", workerBound)).toMatch(/must be below 280/);
  expect(sizeBreach("new", workerBound - 0.01)).toBeUndefined();
});

test.for(Object.entries(limits))("%s stays below a limit of its own", ([domain, limit]) => {
  expect(limit).toBeLessThanOrEqual(workerBound);
  expect(sizeBreach(domain, limit - 0.01)).toBeUndefined();
  expect(sizeBreach(domain, limit)).toMatch(/must be below/);
});

test("every limit is a Worker's", () => {
  const workers = readdirSync(`${root}src`, { recursive: true, encoding: "utf8" });
  for (const domain of Object.keys(limits)) expect(workers).toContain(`${domain}/worker.ts`);
  expect(limitOf("no limit")).toBe(workerBound);
});

test("the size is read where wrangler prints it", () => {
  const line = "Total Upload: 466.19 KiB / gzip: 141.86 KiB";
  expect(gzipSize(`before\n${line}\nafter`)).toBe(141.86);
  expect(gzipSize("Total Upload: unknown")).toBeUndefined();
});
