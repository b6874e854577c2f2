/** A Worker, as the runtime and src/platform.ts call it. */
import type { Env } from "../config.ts";

/** The part of the runtime's ExecutionContext that the Workers use. */
export interface Execution {
  /** Keeps the Worker running until the promise settles, after the response was sent. */
  waitUntil(promise: Promise<unknown>): void;
}

export interface Worker {
  fetch(request: Request, env: Env, execution: Execution): Promise<Response>;
  /** Called for messages of a queue. An error returns them to the queue. */
  queue?(batch: unknown, env: Env, execution: Execution): Promise<void>;
  /** Called at the times of the cron triggers. */
  scheduled?(controller: unknown, env: Env, execution: Execution): Promise<void>;
}

/** Collects work of a call, and starts it when the call is over. Errors of the work are ignored. */
export function newWorks(execution: Execution) {
  const works: (() => Promise<unknown>)[] = [];
  return {
    after: (work: () => Promise<unknown>): void => void works.push(work),
    start(): void {
      for (const work of works.splice(0)) execution.waitUntil(work().catch(() => {}));
    },
  };
}
