/** The streams, the environment and the signals of a command: those of its process, or those that a test hands in. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { EventEmitter } from "node:events";
import type { Readable, Writable } from "node:stream";

/** Standard output or standard error. */
export type Output = Writable & { isTTY?: boolean; columns?: number };

/**
 * The part of a process that commands use. They change `env` and `exitCode`, and listen to its signals and to `exit`,
 * which comes last. `fd` is the file descriptor that `stdin` reads.
 */
export type Surroundings = Pick<EventEmitter, "on" | "once" | "off"> & {
  env: NodeJS.ProcessEnv;
  stdin: Readable & { fd: number; isTTY?: boolean };
  stdout: Output;
  stderr: Output;
  exitCode?: string | number | null | undefined;
  cwd(): string;
};

const current = new AsyncLocalStorage<Surroundings>();

/** Calls `work`. Until its promise settles, `here` returns these surroundings in everything that it calls. */
export const within = <T>(surroundings: Surroundings, work: () => Promise<T>): Promise<T> =>
  current.run(surroundings, work);

/**
 * Returns the surroundings of the command that calls it. The default is the process, also in a listener of a signal,
 * which no command calls.
 */
export const here = (): Surroundings => current.getStore() ?? process;

/** Writes a line to standard output. */
export const print = (line: string): void => void here().stdout.write(`${line}\n`);

/** Writes a line to standard error. */
export const note = (line: string): void => void here().stderr.write(`${line}\n`);
