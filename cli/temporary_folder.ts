/** Folders for files that are needed only while a program runs. */
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { here } from "./surroundings.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** A folder that no other user can read. It is made on first use, and deleted by `remove` or when a signal ends the program. */
export class TemporaryFolder {
  readonly #prefix: string;
  #made: Promise<string> | undefined;
  #stop: NodeJS.SignalsListener = () => {};

  /** The name of the folder begins with `prefix`. */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** Returns the path of the folder. */
  path(): Promise<string> {
    this.#made ??= this.#make();
    return this.#made;
  }

  async #make(): Promise<string> {
    const path = await mkdtemp(join(tmpdir(), this.#prefix));
    this.#stop = (signal) => {
      rmSync(path, { recursive: true, force: true });
      process.exit(128 + constants.signals[signal]);
    };
    for (const signal of signals) here().once(signal, this.#stop);
    return path;
  }

  /** Deletes the folder and everything in it. */
  async remove(): Promise<void> {
    if (this.#made) rmSync(await this.#made, { recursive: true, force: true });
    this.#made = undefined;
    for (const signal of signals) here().off(signal, this.#stop);
  }
}
