/** One line on a terminal that says how far an import has come. Nothing where there is none. */
import type { WriteStream } from "node:tty";
import type { Source } from "./import_lines.ts";

const barLetters = 30;
/** Shortest time between two redrawings, in milliseconds. */
const rhythm = 100;

/** Draws as often as told to, at most ten times a second. `end` takes the line away. */
export type Progress = { draw(text: string): void; end(): void };

/** Progress of reading a source, on standard error. */
export function showProgress(source: Source, out: WriteStream = process.stderr): Progress {
  if (!out.isTTY) return { draw() {}, end() {} };
  let drawn = 0;
  return {
    draw(text) {
      const now = Date.now();
      if (now - drawn < rhythm) return;
      drawn = now;
      out.write(`\r\x1b[K${`${bar(source)} ${text}`.slice(0, (out.columns || 80) - 1)}`);
    },
    end() {
      if (drawn > 0) out.write("\r\x1b[K");
    },
  };
}

/** `[=====     ]  50%`, or how much was read where the whole is not known. */
export function bar({ read, size }: Pick<Source, "read" | "size">): string {
  if (!size) return `${(read / 1024 / 1024).toFixed(1)} MiB`;
  const share = Math.min(1, read / size);
  const full = Math.round(share * barLetters);
  const percent = `${Math.round(share * 100)}%`.padStart(4);
  return `[${"=".repeat(full)}${" ".repeat(barLetters - full)}] ${percent}`;
}
