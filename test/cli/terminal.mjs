// Preloaded into a program. It makes the outputs of the program a terminal with TERMINAL_COLUMNS columns.
import tty from "node:tty";

const { getColorDepth } = tty.WriteStream.prototype;
const columns = Number(process.env.TERMINAL_COLUMNS);
for (const out of [process.stdout, process.stderr]) {
  Object.assign(out, { isTTY: true, columns, getColorDepth });
}
// With TERMINAL_INPUT so is its input.
if (process.env.TERMINAL_INPUT) Object.assign(process.stdin, { isTTY: true });
