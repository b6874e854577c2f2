/** Draws progress on a terminal during slow work. Without a terminal, it draws nothing. */
import { durationText } from "../history/times.ts";
import { here, type Output } from "../surroundings.ts";
import type { InputSource } from "./lines.ts";

const barWidth = 24;
/** In milliseconds: the shortest time between two redraws. */
const redrawIntervalMs = 100;
/** In milliseconds: work that takes less time is not announced. */
const announceAfterMs = 1_000;
/** In milliseconds: a rate over less time is not meaningful. */
const minRateMs = 2_000;

/** Draws at most ten times a second. `end` clears the line. */
export type Progress = {
  /** Says that `count` of `noun` are done. `noun` is in the plural. */
  draw(count: number, noun: string): void;
  end(): void;
};

/** Shows the progress of an import on standard error. */
export function showProgress(source: InputSource, out: Output = here().stderr): Progress {
  if (!out.isTTY) return { draw() {}, end() {} };
  const begun = Date.now();
  const line = lineOn(out);
  let drawn = 0;
  return {
    draw(count, noun) {
      const now = Date.now();
      if (now - drawn < redrawIntervalMs) return;
      drawn = now;
      line.write(`${progressBar(source)}  ${progressLine(source, count, noun, now - begun)}`);
    },
    end: line.clear,
  };
}

/** Returns `[=====     ]  50%`, or the amount that was read if the size is unknown. */
export function progressBar({ read, size }: Pick<InputSource, "read" | "size">): string {
  if (!size) return `${(read / 1024 / 1024).toFixed(1)} MiB`;
  const share = Math.min(1, read / size);
  const full = Math.round(share * barWidth);
  const percent = `${Math.round(share * 100)}%`.padStart(4);
  return `[${"=".repeat(full)}${" ".repeat(barWidth - full)}] ${percent}`;
}

/** Returns `12,000 moves  3,400/s  12 s left`. The rate and the time are left out until they are known. */
export function progressLine(
  { read, size }: Pick<InputSource, "read" | "size">,
  count: number,
  noun: string,
  elapsed: number,
): string {
  const done = `${count.toLocaleString("en")} ${noun}`;
  if (elapsed < minRateMs || count === 0) return done;
  const rate = `${Math.round(count / (elapsed / 1000)).toLocaleString("en")}/s`;
  if (!size || read === 0 || read >= size) return `${done}  ${rate}`;
  return `${done}  ${rate}  ${durationText((elapsed / read) * (size - read))} left`;
}

const frames = ["|", "/", "-", "\\"];

/**
 * Waits for some work, and shows a spinner with a text once the work takes over a second. The line is cleared before
 * this returns or throws what the work returns or throws.
 */
export async function showWaiting<T>(
  what: string,
  work: Promise<T>,
  out: Output = here().stderr,
): Promise<T> {
  if (!out.isTTY) return work;
  const begun = Date.now();
  const line = lineOn(out);
  let turn = 0;
  const timer = setInterval(() => {
    const elapsed = Date.now() - begun;
    if (elapsed < announceAfterMs) return;
    line.write(`${frames[turn++ % frames.length]} ${what}… ${durationText(elapsed)}`);
  }, redrawIntervalMs);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    line.clear();
  }
}

/** The last line of a terminal, which is overwritten repeatedly. */
export function lineOn(out: Output) {
  let isDrawn = false;
  return {
    write(text: string) {
      isDrawn = true;
      out.write(`\r\x1b[K${text.slice(0, (out.columns || 80) - 1)}`);
    },
    clear() {
      if (isDrawn) out.write("\r\x1b[K");
      isDrawn = false;
    },
  };
}
