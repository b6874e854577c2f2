import { expect, test } from "vitest";
import { IsolateCounter } from "../../src/limits/isolate_counter.ts";

const period = 60_000;
/** The beginning of a minute. */
const start = 1_700_000_040_000;
const newCounter = () => new IsolateCounter(period, 12_345);

test("counts the calls of a key, and of each key on its own", () => {
  const counter = newCounter();
  expect([1, 2, 3].map(() => counter.count("a", start))).toEqual([1, 2, 3]);
  expect(counter.count("b", start)).toBe(1);
});

test("begins again with the next period, and says how long that takes", () => {
  const counter = newCounter();
  counter.count("a", start);
  expect(counter.count("a", start + period - 1)).toBe(2);
  expect(counter.secondsLeft(start)).toBe(60);
  expect(counter.secondsLeft(start + 42_001)).toBe(18);
  expect(counter.secondsLeft(start + period - 1)).toBe(1);
  expect(counter.count("a", start + period)).toBe(1);
});

test("a million keys take the memory of one, and hardly count for each other", () => {
  const counter = newCounter();
  const { bytes } = counter;
  for (let at = 0; at < 1_000_000; at++) counter.count(`2001:db8:${at.toString(16)}::/64`, start);
  expect(counter.bytes).toBe(bytes);
  expect(bytes).toBe(262_144);
  // A million calls in 65,536 counters: 31 in each, as each key has two.
  expect(counter.count("another", start)).toBeLessThan(60);
});

test("keys that share a counter by chance are counted apart, because each has two", () => {
  const counter = newCounter();
  for (let at = 0; at < 1_000; at++) {
    for (let call = 0; call < 100; call++) counter.count(`heavy ${at}`, start);
  }
  const keys = Array.from({ length: 1_000 }, (_, at) => `light ${at}`);
  const wrong = keys.filter((key) => counter.count(key, start) > 1);
  expect(wrong.length).toBeLessThan(20);
});

test("a clock that goes back a little changes no count", () => {
  const counter = newCounter();
  counter.count("a", start);
  expect(counter.count("a", start - 1)).toBe(2);
  expect(counter.count("a", start - period)).toBe(3);
  expect(counter.count("a", start)).toBe(4);
});

test("a clock that goes back far begins one new period, which ends in time", () => {
  const counter = newCounter();
  counter.count("a", start);
  const before = start - 3_600_000;
  expect(counter.count("a", before)).toBe(1);
  expect(counter.count("a", before + period - 1)).toBe(2);
  expect(counter.count("a", before + period)).toBe(1);
});

test("whatever the clock does, the time to wait is from 1 second to the period", () => {
  const counter = newCounter();
  counter.count("a", start);
  for (const now of [-1, -59_000, -60_000, -60_001, -1e9, 0, 1, 59_999, 60_000, 1e9]) {
    const seconds = counter.secondsLeft(start + now);
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(Number.isInteger(seconds)).toBe(true);
  }
});
