/** Calls about many things. */
import { expect, test } from "vitest";
import { fewAtOnce } from "../../../console/data/few_at_once.ts";

const numbers = Array.from({ length: 20 }, (_, index) => index);

test("at most four calls are on their way at a time, and each item has one outcome", async () => {
  let [current, most] = [0, 0];
  const outcomes = new Map<number, string | undefined>();
  const call = async (item: number) => {
    current += 1;
    most = Math.max(most, current);
    await Promise.resolve();
    current -= 1;
    if (item % 5 === 0) throw new Error(`not ${item}`);
  };
  const { signal } = new AbortController();
  await fewAtOnce(numbers, call, (item, error) => outcomes.set(item, error?.message), signal);
  expect(most).toBe(4);
  expect(outcomes.size).toBe(20);
  expect([outcomes.get(5), outcomes.get(6)]).toEqual(["not 5", undefined]);
});

test("no call begins after the signal", async () => {
  const stop = new AbortController();
  const begun: number[] = [];
  const call = async (item: number) => {
    begun.push(item);
    if (item === 5) stop.abort();
  };
  await fewAtOnce(numbers, call, () => {}, stop.signal);
  expect(begun).toContain(5);
  expect(begun.length).toBeLessThan(10);
});
