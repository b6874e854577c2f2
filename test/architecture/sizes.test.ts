import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import {
  bound,
  domainGoal,
  exceptions,
  gzipSize,
  platformGoal,
  sizeBreach,
} from "../../cli/check/sizes.ts";

const root = new URL("../..", import.meta.url).pathname;

test("a Worker as large as its bound is refused, and a smaller one is not", () => {
  expect(sizeBreach("ping", domainGoal)).toMatch(/^120 KiB of gzip are not below 120/);
  expect(sizeBreach("ping", domainGoal - 0.01)).toBeUndefined();
  expect(sizeBreach("", platformGoal)).toMatch(/not below 310/);
  expect(sizeBreach("", platformGoal - 0.01)).toBeUndefined();
});

test.for(Object.entries(exceptions))(
  "%s may be larger, up to a bound of its own",
  ([domain, own]) => {
    expect(sizeBreach(domain, own.kib - 0.01)).toBeUndefined();
    expect(sizeBreach(domain, own.kib)).toMatch(/not below/);
  },
);

test.for(Object.entries(exceptions))("%s leaves the exceptions once it fits", ([domain, own]) => {
  expect(own.kib).toBeGreaterThan(domainGoal);
  expect(sizeBreach(domain, domainGoal - 1)).toMatch(/take .+ out of/);
});

test("every exception is a Worker's", () => {
  const workers = readdirSync(`${root}src`, { recursive: true, encoding: "utf8" });
  for (const domain of Object.keys(exceptions)) expect(workers).toContain(`${domain}/worker.ts`);
  expect(bound("no exception")).toBe(domainGoal);
});

test("the size is read where wrangler tells it", () => {
  const line = "Total Upload: 466.19 KiB / gzip: 141.86 KiB";
  expect(gzipSize(`before\n${line}\nafter`)).toBe(141.86);
  expect(gzipSize("Total Upload: unknown")).toBeUndefined();
});
