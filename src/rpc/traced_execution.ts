/** The execution of a request with its trace. It knows the work after the response, and exports the spans after that. */
import { fetchOtlp } from "../auth/outgoing/outgoing.ts";
import { type Config, configOf, type Env } from "../config.ts";
import { exportSpans } from "../telemetry/otlp.ts";
import { beginTrace, isExported } from "../telemetry/request_trace.ts";
import type { Trace } from "../telemetry/trace.ts";
import { logFailure } from "./database_failure.ts";
import type { Execution } from "./runtime.ts";

/** The longest time that an export waits for the work after a response, in milliseconds. */
const longestWait = 10_000;

/** The configuration. Undefined if it is wrong, which each request reports by itself. */
export function readableConfig(env: Env): Config | undefined {
  try {
    return configOf(env);
  } catch {
    return undefined;
  }
}

export class TracedExecution implements Execution {
  readonly trace: Trace;
  readonly #execution: Execution;
  readonly #works: Promise<unknown>[] = [];

  constructor(execution: Execution, trace: Trace) {
    this.#execution = execution;
    this.trace = trace;
  }

  // An arrow, because some callers take the function alone.
  readonly waitUntil = (work: Promise<unknown>): void => {
    if (this.trace.records) this.#works.push(work);
    this.#execution.waitUntil(work);
  };

  /** Does short work that the response does not wait for. No timer, because a runtime has a limit of those. */
  afterResponse(work: () => void): void {
    this.#execution.waitUntil(Promise.resolve().then(work));
  }

  /** Exports the spans once the work after the response is done. Nothing waits for that. */
  exportLater(config: Config | undefined, worker: string, hasFailed: boolean): void {
    if (!config || !this.trace.records) return;
    const isOwnExported = isExported(config, this.trace, hasFailed);
    if (isOwnExported || this.trace.hasForeignSpans)
      this.#execution.waitUntil(this.#export(config, worker, isOwnExported));
  }

  async #export(config: Config, worker: string, isOwnExported: boolean): Promise<void> {
    await this.#afterWorks();
    const { spans, droppedSpans, context } = this.trace;
    const chosen = isOwnExported
      ? spans
      : spans.filter(({ traceId }) => traceId !== context.traceId);
    await exportSpans(config, { worker, spans: chosen, droppedSpans }, fetchOtlp);
  }

  /** Waits for the work after the response, up to ten seconds. */
  async #afterWorks(): Promise<void> {
    const works = this.#works;
    const settle = async () => {
      for (let known = -1; known < works.length; ) {
        known = works.length;
        await Promise.allSettled(works);
      }
    };
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, longestWait);
      settle().then(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}

type Run = (batch: unknown, env: Env, execution: Execution) => Promise<void>;

/**
 * Wraps what a Worker does without a request: for messages of a queue, or at the times of a trigger. Each run has a trace of its
 * own. An error is logged and thrown again.
 */
export const workerRun =
  (worker: string, operation: "queue" | "schedule", run: Run): Run =>
  async (batch, env, execution) => {
    if (execution.trace) return run(batch, env, execution);
    const config = readableConfig(env);
    const trace = beginTrace(new Headers(), undefined, config);
    trace.note({ operation, class: operation });
    const traced = new TracedExecution(execution, trace);
    let isFailed = true;
    try {
      await run(batch, env, traced);
      isFailed = false;
    } catch (thrown) {
      logFailure(`the ${operation} of ${worker} failed`, thrown, { requestId: trace.requestId });
      throw thrown;
    } finally {
      const { context, start } = trace;
      trace.keepOwn({
        traceId: context.traceId,
        spanId: context.spanId,
        parentSpanId: "",
        name: `${worker} ${operation}`,
        kind: "internal",
        start,
        end: Date.now(),
        isFailed,
        describe: () => ({
          "platform.d1.round_trips": trace.costs.roundTrips,
          "platform.d1.rows_read": trace.costs.rowsRead,
          "platform.d1.rows_written": trace.costs.rowsWritten,
        }),
      });
      traced.exportLater(config, worker, isFailed);
    }
  };
