import { expect, test } from "vitest";
import { Failure } from "../../../cli/failure.ts";
import { durationText, parseEnd, parseTime, relativeTime } from "../../../cli/history/times.ts";

const now = new Date("2026-03-01T12:00:00.000Z");

test.each([
  ["2026-01-31T10:00:00Z", "2026-01-31T10:00:00.000Z"],
  ["2026-01-31t10:00:00.5z", "2026-01-31T10:00:00.500Z"],
  ["2026-01-31 10:00:00+02:00", "2026-01-31T08:00:00.000Z"],
  ["2026-01-31", "2026-01-31T00:00:00.000Z"],
  ["2024-02-29", "2024-02-29T00:00:00.000Z"],
  ["30d", "2026-01-30T12:00:00.000Z"],
  ["12h", "2026-03-01T00:00:00.000Z"],
  ["1.5h", "2026-03-01T10:30:00.000Z"],
  ["90 minutes", "2026-03-01T10:30:00.000Z"],
  [" 2w ", "2026-02-15T12:00:00.000Z"],
  ["0s", "2026-03-01T12:00:00.000Z"],
])("%s is %s", (text, expected) => {
  expect(parseTime(text, now).toISOString()).toBe(expected);
});

test.each([
  "",
  "30",
  "-30d",
  "30x",
  "3M",
  "last week",
  "2026-02-30",
  "2026-02-30T00:00:00Z",
  "2026-13-01",
  "2026-01-31T10:00:00",
  "2026-01-31T25:00:00Z",
  "2026",
  "999999999y",
])("%j is not a time, and the message lists valid forms", (text) => {
  const parse = () => parseTime(text, now);
  expect(parse).toThrow(Failure);
  expect(parse).toThrow(/Write 2026-01-31, .* such as 30d/);
});

test.each([
  ["today", 0],
  ["yesterday", 1],
  ["Last Sunday", 7],
  ["saturday", 1],
  ["last monday", 6],
])(
  "%s is the midnight of the local time zone %i days ago, and as an end the whole day",
  (text, days) => {
    const local = new Date(2026, 2, 1, 12);
    expect(parseTime(text, local)).toEqual(new Date(2026, 2, 1 - days));
    expect(parseEnd(text, local)).toEqual(new Date(2026, 2, 2 - days, 0, 0, 0, -1));
  },
);

test("an end that is a date means its last millisecond", () => {
  expect(parseEnd("2026-01-31", now).toISOString()).toBe("2026-01-31T23:59:59.999Z");
  expect(parseEnd("2026-01-31T10:00:00Z", now).toISOString()).toBe("2026-01-31T10:00:00.000Z");
  expect(parseEnd("12h", now).toISOString()).toBe("2026-03-01T00:00:00.000Z");
});

const second = 1000;
const day = 86_400 * second;

test.each([
  [0, "just now"],
  [-999, "just now"],
  [-second, "1 second ago"],
  [-59 * second, "59 seconds ago"],
  [-60 * second, "1 minute ago"],
  [-day + 1, "23 hours ago"],
  [-day, "1 day ago"],
  [-13 * day, "13 days ago"],
  [-14 * day, "2 weeks ago"],
  [-31 * day, "1 month ago"],
  [-364 * day, "11 months ago"],
  [-366 * day, "1 year ago"],
  [3 * day, "in 3 days"],
])("%d ms from now is %s", (distance, expected) => {
  expect(relativeTime(new Date(now.getTime() + distance), now)).toBe(expected);
});

test.each([
  [0, "0 s"],
  [999, "0 s"],
  [12 * second, "12 s"],
  [90 * second, "1 min 30 s"],
  [3600 * second, "1 h"],
  [3 * day + 4 * 3600 * second + 59, "3 d 4 h"],
  [day + 59 * second, "1 d"],
  [385 * day, "1 y 20 d"],
])("%d ms are %s", (milliseconds, expected) => {
  expect(durationText(milliseconds)).toBe(expected);
});
