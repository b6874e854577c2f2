import { expect, test } from "vitest";
import { timeText } from "../../src/aip/time_text.ts";
import { randomNumbers } from "../world/random.ts";

const first = Date.UTC(0, 0, 1) - 1900 * 366 * 24 * 3600 * 1000;
const last = 253_402_300_799_999;

test("every time is written like toISOString writes it", () => {
  const random = randomNumbers(1);
  const edges = [0, 1, -1, 999, 59_999, 86_399_999, 86_400_000, Date.UTC(2024, 1, 29), last];
  const some = Array.from({ length: 5_000 }, () => Math.floor(first + random() * (last - first)));
  for (const time of [...edges, ...some]) expect(timeText(time)).toBe(new Date(time).toISOString());
});

test("a number that is not a time is an error", () => {
  for (const time of [Number.NaN, 9e15]) expect(() => timeText(time)).toThrow(RangeError);
});
