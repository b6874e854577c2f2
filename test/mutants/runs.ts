/** The process that tests mutants (child.ts), from the outside. A mutant that blocks it ends it, and the next starts. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { reachedText } from "./switch.ts";

/** The value of MUTANT, and the test files in the order of the run. The first failure ends it. */
export type Task = { mutant: string; files: string[] };

/** The first failure, if there is one, and its file, which is empty for an error outside of the files. */
export type Result = { seconds: number; failedFile?: string; failure?: string };

export class Runs {
  readonly #root: string;
  readonly #reached = new Set<number>();
  #child: ChildProcess | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  /** Returns undefined if the run takes longer than that. */
  async run(task: Task, maxSeconds: number): Promise<Result | undefined> {
    const child = this.#child ?? (await this.#start());
    this.#child = child;
    const result = await this.#ask(child, task, maxSeconds);
    if (!result) this.stop();
    return result;
  }

  /** The mutants that one test file reaches. Throws if the file does not end. */
  async record(file: string): Promise<Result & { reached: number[] }> {
    this.#reached.clear();
    const result = await this.run({ mutant: "record", files: [file] }, 600);
    if (!result) throw new Error(`${file} does not end`);
    // The last lines come through pipes.
    await wait(100);
    const reached = [...this.#reached].sort((one, other) => one - other);
    return { ...result, reached };
  }

  stop(): void {
    // With the Workers of the process, which it has no time to end.
    if (this.#child?.pid) process.kill(-this.#child.pid, "SIGKILL");
    this.#child = undefined;
  }

  async #start(): Promise<ChildProcess> {
    const child = fork(fileURLToPath(new URL("child.ts", import.meta.url)), [this.#root], {
      cwd: this.#root,
      detached: true,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      env: { ...process.env, TEST_TIER: "quick", TEST_SEED: "mutants" },
    });
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue;
      createInterface(stream).on("line", (line) => {
        const [, id] = line.split(reachedText);
        if (id) this.#reached.add(Number(id));
        else if (process.env.DEBUG) console.error(line);
      });
    }
    await once(child, "message");
    // The platform's first start builds everything, and its failure would be none of the mutant.
    const first = { mutant: "none", files: ["test/world/server_timing.test.ts"] };
    const result = await this.#ask(child, first, 600);
    if (result && result.failure === undefined) return child;
    throw new Error(`the tests fail without a mutant: ${result?.failure}`);
  }

  async #ask(child: ChildProcess, task: Task, maxSeconds: number): Promise<Result | undefined> {
    const limit = new AbortController();
    child.send(task);
    const answer = once(child, "message", { signal: limit.signal }).then(
      ([result]) => result as Result,
      () => undefined,
    );
    const ended = once(child, "exit", { signal: limit.signal }).then(
      () => undefined,
      () => undefined,
    );
    const late = wait(maxSeconds * 1000, undefined, { signal: limit.signal }).catch(
      () => undefined,
    );
    const result = await Promise.race([answer, ended, late]);
    limit.abort();
    return result;
  }
}
