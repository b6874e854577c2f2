import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import {
  gzipSize,
  limitOf,
  limits,
  platformBound,
  sizeBreach,
  workerBound,
} from "../../../cli/check/sizes.ts";
import { projectRoot } from "../../../cli/project.ts";

test("a platform as large as its limit is rejected, and a smaller one is accepted", () => {
  expect(sizeBreach("", platformBound)).toMatch(/^708 KiB of gzip must be below 708/);
  expect(sizeBreach("", platformBound - 0.01)).toBeUndefined();
});

test("a Worker without its own limit is below the limit of all", () => {
  expect(sizeBreach("new", workerBound)).toMatch(/must be below 336/);
  expect(sizeBreach("new", workerBound - 0.01)).toBeUndefined();
});

test.for(Object.entries(limits))("%s is below its own limit", ([domain, limit]) => {
  expect(limit).toBeLessThanOrEqual(workerBound);
  expect(sizeBreach(domain, limit - 0.01)).toBeUndefined();
  expect(sizeBreach(domain, limit)).toMatch(/must be below/);
});

test("every limit belongs to a Worker", () => {
  const workers = readdirSync(`${projectRoot}/src`, { recursive: true, encoding: "utf8" });
  for (const domain of Object.keys(limits)) expect(workers).toContain(`${domain}/worker.ts`);
  expect(limitOf("no limit")).toBe(workerBound);
});

test("the size is read from the output of wrangler", () => {
  const line = "Total Upload: 466.19 KiB / gzip: 141.86 KiB";
  expect(gzipSize(`before\n${line}\nafter`)).toBe(141.86);
  expect(gzipSize("Total Upload: unknown")).toBeUndefined();
});
