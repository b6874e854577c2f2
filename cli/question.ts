/** Questions to the person at the terminal. Every question of the command line is asked here. */
import type { Readable, Writable } from "node:stream";
import { Cancelled, refusedFailure, usageFailure } from "./failure.ts";

/** Where a question is read from and written to. */
type QuestionStreams = { input?: Readable; output?: Writable };

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Whether somebody can be asked: both ends are a terminal. */
export const canAsk = (): boolean => Boolean(process.stdin.isTTY && process.stderr.isTTY);

/** Throws a USAGE Failure where nobody can be asked whether to delete. */
export function requireTerminal(): void {
  if (canAsk()) return;
  throw usageFailure("Nobody is there to confirm it. To delete without being asked, add --yes.");
}

/** Asks whether to delete `what`, which follows a colon. Throws NOT_CONFIRMED unless the answer is yes. */
export async function confirmDeletion(what: string): Promise<void> {
  const answer = await askQuestion(`This deletes for good:${what}\nDelete? [y/N] `);
  if (/^y(es)?$/i.test(answer.trim())) return;
  throw refusedFailure("NOT_CONFIRMED", "Nothing was deleted.");
}

/**
 * Writes a question and returns the line that is typed, without its end. Throws Cancelled where no
 * line comes: at Ctrl-C, at Ctrl-D or a closed input, and at SIGTERM and SIGHUP. The terminal is never
 * put into raw mode, so nothing has to be restored, however the program ends.
 */
export async function askQuestion(
  question: string,
  { input = process.stdin, output = process.stderr }: QuestionStreams = {},
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let typed = "";
  const hear = (part: string) => {
    typed += part;
    const end = typed.indexOf("\n");
    if (end < 0) return;
    // What was typed ahead belongs to the next question.
    input.off("data", hear).pause();
    if (end + 1 < typed.length) input.unshift(typed.slice(end + 1), "utf8");
    resolve(typed.slice(0, end).replace(/\r$/, ""));
  };
  const close = () => reject(new Cancelled("SIGINT"));
  let isStopped = false;
  const stop = (signal: (typeof signals)[number]) => {
    const cancelled = new Cancelled(signal);
    if (isStopped) process.exit(cancelled.exitCode);
    isStopped = true;
    reject(cancelled);
  };
  // Before the question is shown: the answer may come at once.
  for (const signal of signals) process.on(signal, stop);
  output.write(question);
  if (input.readableEnded || input.destroyed) close();
  input.setEncoding("utf8").on("data", hear).once("end", close).once("error", close).resume();
  try {
    const line = await promise;
    // A second signal after the first one would else end the program in another way.
    for (const signal of signals) process.off(signal, stop);
    return line;
  } catch (cancelled) {
    // The terminal may be gone.
    output.once("error", () => {});
    output.write("\n");
    throw cancelled;
  } finally {
    input.off("data", hear).off("end", close).off("error", close).pause();
  }
}
