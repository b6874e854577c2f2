/** A Worker, as the runtime and src/platform.ts call it. */
import type { Env } from "../config.ts";

/** The part of the runtime's ExecutionContext that the Workers use. */
export interface Execution {
  /** Keeps the Worker running until the promise settles, after the response was sent. */
  waitUntil(promise: Promise<unknown>): void;
}

export interface Worker {
  fetch(request: Request, env: Env, execution: Execution): Promise<Response>;
}
