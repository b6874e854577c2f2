/** What is drawn on a terminal while something takes its time. Nothing where there is no terminal. */
import type { WriteStream } from "node:tty";
import { durationText } from "../history/times.ts";
import type { InputSource } from "./lines.ts";

const barWidth = 24;
/** Shortest time between two redrawings, in milliseconds. */
const redrawIntervalMs = 100;
/** What is over by then is not announced, in milliseconds. */
const announceAfterMs = 1_000;
/** A rate of less time than this says nothing, in milliseconds. */
const minRateMs = 2_000;

/** Draws as often as told to, at most ten times a second. `end` takes the line away. */
export type Progress = {
  /** `count` of `noun` are done, in the plural. */
  draw(count: number, noun: string): void;
  end(): void;
};

/** How an import of a source is going, on standard error. */
export function showProgress(source: InputSource, out: WriteStream = process.stderr): Progress {
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

/** `[=====     ]  50%`, or how much was read where the whole is not known. */
export function progressBar({ read, size }: Pick<InputSource, "read" | "size">): string {
  if (!size) return `${(read / 1024 / 1024).toFixed(1)} MiB`;
  const share = Math.min(1, read / size);
  const full = Math.round(share * barWidth);
  const percent = `${Math.round(share * 100)}%`.padStart(4);
  return `[${"=".repeat(full)}${" ".repeat(barWidth - full)}] ${percent}`;
}

/** `12,000 moves  3,400/s  12 s left`; without the rest until enough time has passed to know. */
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
 * Waits for some work, and shows a turning line that says what for, once it takes over a second. The
 * line is gone when this answers or throws as the work does.
 */
export async function showWaiting<T>(
  what: string,
  work: Promise<T>,
  out: WriteStream = process.stderr,
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

/** The last line of a terminal, written over again and again. */
function lineOn(out: WriteStream) {
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
