/** A Worker, as the runtime and src/platform.ts call it. */
import type { Env } from "../config.ts";
import type { Trace } from "../telemetry/trace.ts";
import { logFailure } from "./database_failure.ts";

/** The part of the runtime's ExecutionContext that the Workers use. */
export interface Execution {
  /** Keeps the Worker running until the promise settles, after the response was sent. */
  waitUntil(promise: Promise<unknown>): void;
  /** The trace of the request, once the Worker has begun it (src/rpc/worker_fetch.ts). */
  readonly trace?: Trace;
}

export interface Worker {
  fetch(request: Request, env: Env, execution: Execution): Promise<Response>;
  /** Called for messages of a queue. An error returns them to the queue. */
  queue?(batch: unknown, env: Env, execution: Execution): Promise<void>;
  /** Called at the times of the cron triggers. */
  scheduled?(controller: unknown, env: Env, execution: Execution): Promise<void>;
}

/** Collects work of a call, and starts it when the call is over. An error of the work is only logged. */
export function newWorks(execution: Execution) {
  const works: { work: () => Promise<unknown>; when: "over" | "succeeded" }[] = [];
  const log = (thrown: unknown) =>
    logFailure("work after a response failed", thrown, {
      level: "warn",
      requestId: execution.trace?.requestId ?? "",
    });
  return {
    after(work: () => Promise<unknown>, when: "over" | "succeeded" = "over"): void {
      works.push({ work, when });
    },
    /** Forgets the work so far, because the call begins again. */
    drop(): void {
      works.splice(0);
    },
    start({ hasSucceeded }: { hasSucceeded: boolean }): void {
      for (const { work, when } of works.splice(0)) {
        if (hasSucceeded || when === "over") execution.waitUntil(work().catch(log));
      }
    },
  };
}
