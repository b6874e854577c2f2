/** Questions to the person at the terminal. This module asks every question of the command line. */
import type { Readable, Writable } from "node:stream";
import { Cancelled, refusedFailure, usageFailure } from "./failure.ts";
import { here } from "./surroundings.ts";

/** The streams that a question is written to and its answer is read from. */
type QuestionStreams = { input?: Readable; output?: Writable };

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Whether there is someone to ask: standard input and standard error are both a terminal. */
export const canAsk = (): boolean => Boolean(here().stdin.isTTY && here().stderr.isTTY);

/** Throws a USAGE Failure if there is no one to confirm a deletion. */
export function requireTerminal(): void {
  if (canAsk()) return;
  throw usageFailure(
    "There is no terminal to ask for confirmation. To delete without confirmation, add --yes.",
  );
}

/** Asks whether to delete `what`, which follows a colon. Throws NOT_CONFIRMED unless the answer is yes. */
export const confirmDeletion = (what: string): Promise<void> =>
  confirm(`This will be permanently deleted:${what}\nDelete? [y/N] `, "Nothing was deleted.");

/** Asks a question. Throws NOT_CONFIRMED with the message `otherwise` unless the answer is yes. */
export async function confirm(question: string, otherwise: string): Promise<void> {
  const answer = await askQuestion(question);
  if (/^y(es)?$/i.test(answer.trim())) return;
  throw refusedFailure("NOT_CONFIRMED", otherwise);
}

/**
 * Writes a question and returns the line that the user types, without its line end. Throws Cancelled if there is no
 * line: after Ctrl-C, Ctrl-D, a closed input, SIGTERM or SIGHUP. The terminal is never in raw mode, so nothing has to
 * be restored when the program ends.
 */
export async function askQuestion(
  question: string,
  { input = here().stdin, output = here().stderr }: QuestionStreams = {},
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let typed = "";
  const hear = (part: string) => {
    typed += part;
    const end = typed.indexOf("\n");
    if (end < 0) return;
    // Text that was typed ahead belongs to the next question.
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
  // This comes before the question appears, because the answer may follow at once.
  for (const signal of signals) here().on(signal, stop);
  output.write(question);
  if (input.readableEnded || input.destroyed) close();
  input.setEncoding("utf8").on("data", hear).once("end", close).once("error", close).resume();
  try {
    const line = await promise;
    // Otherwise a second signal would end the program in a different way.
    for (const signal of signals) here().off(signal, stop);
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
