import { expect, test, vi } from "vitest";

/** Each test has the state of a new isolate. */
const newIsolate = async () => {
  vi.resetModules();
  return import("../../src/limits/factors.ts");
};
const start = 1_700_000_000_000;

test("an organization has the factor 1 until its own is read, after a call", async () => {
  const { factorOf, renewFactors } = await newIsolate();
  const works: (() => Promise<unknown>)[] = [];
  const read = async () => new Map([["a", 2.5]]);
  renewFactors(start, (work) => works.push(work), read);
  expect(factorOf("a")).toBe(1);
  await works[0]?.();
  expect([factorOf("a"), factorOf("b")]).toEqual([2.5, 1]);
});

test("factors are read at most once a minute, also by calls at the same time", async () => {
  const { renewFactors } = await newIsolate();
  const read = vi.fn(async () => new Map<string, number>());
  const works: Promise<unknown>[] = [];
  const waiting: (() => Promise<unknown>)[] = [];
  for (let at = 0; at < 5; at++) renewFactors(start, (work) => waiting.push(work), read);
  for (const work of waiting) await work();
  const renewAt = (now: number) => renewFactors(now, (work) => works.push(work()), read);
  renewAt(start + 59_999);
  expect(read).toHaveBeenCalledTimes(1);
  renewAt(start + 60_000);
  renewAt(start - 60_000);
  await Promise.all(works);
  expect(read).toHaveBeenCalledTimes(3);
});
