import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { InputSource } from "../../../cli/import/lines.ts";
import {
  progressBar,
  progressLine,
  showProgress,
  showWaiting,
} from "../../../cli/import/progress.ts";

type Out = Parameters<typeof showProgress>[1];

/** A terminal with 60 columns, and the text written to it. */
function fakeTerminal(isTTY = true) {
  const written: string[] = [];
  const out = { isTTY, columns: 60, write: (text: string) => written.push(text) };
  return { out: out as unknown as Out, written };
}

const source = (read: number, size?: number) => ({ read, ...(size && { size }) }) as InputSource;
const clear = "\r\x1b[K";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("progress is a bar if the size is known, and otherwise the number of bytes", () => {
  expect(progressBar({ read: 512, size: 1024 })).toBe(`[${"=".repeat(12)}${" ".repeat(12)}]  50%`);
  expect(progressBar({ read: 3 * 1024 * 1024 })).toBe("3.0 MiB");
});

test("the rate and the remaining time are shown once they are known", () => {
  expect(progressLine({ read: 10, size: 100 }, 5, "moves", 1_000)).toBe("5 moves");
  expect(progressLine({ read: 25, size: 100 }, 12_000, "moves", 4_000)).toBe(
    "12,000 moves  3,000/s  12 s left",
  );
  expect(progressLine({ read: 100, size: 100 }, 12_000, "moves", 4_000)).toBe(
    "12,000 moves  3,000/s",
  );
  expect(progressLine({ read: 25 }, 12_000, "moves", 4_000)).toBe("12,000 moves  3,000/s");
});

test("a bar is drawn at most ten times a second, within the line, and removed at the end", () => {
  const { out, written } = fakeTerminal();
  const progress = showProgress(source(50, 100), out);
  for (let i = 0; i < 10; i++) {
    progress.draw(i, "moves of a very long name that would not fit");
    vi.advanceTimersByTime(50);
  }
  progress.end();
  expect(written).toHaveLength(6);
  expect(written.at(-1)).toBe(clear);
  for (const text of written) expect(text.length).toBeLessThanOrEqual(clear.length + 59);
});

test("work that takes less than a second is not announced", async () => {
  const { out, written } = fakeTerminal();
  const done = showWaiting("reading", new Promise((resolve) => setTimeout(resolve, 900)), out);
  await vi.advanceTimersByTimeAsync(900);
  await done;
  expect(written).toEqual([]);
});

test("work that takes longer is announced until it ends, also if it fails", async () => {
  const { out, written } = fakeTerminal();
  const failing = new Promise((_, reject) => setTimeout(reject, 3_000, new Error("no")));
  const ended = expect(showWaiting("reading", failing, out)).rejects.toThrow("no");
  await vi.advanceTimersByTimeAsync(3_000);
  await ended;
  expect(written.some((text) => text.includes("reading… 2 s"))).toBe(true);
  expect(written.at(-1)).toBe(clear);
});

test("without a terminal, nothing is drawn", async () => {
  const { out, written } = fakeTerminal(false);
  const progress = showProgress(source(1, 2), out);
  progress.draw(1, "moves");
  progress.end();
  const done = showWaiting("reading", new Promise((resolve) => setTimeout(resolve, 5_000)), out);
  await vi.advanceTimersByTimeAsync(5_000);
  await done;
  expect(written).toEqual([]);
});
