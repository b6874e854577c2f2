/**
 * The `fetch` of every Worker. It begins the trace of a request, gives requests an id, and responses the headers that
 * browsers need. When a response is ready, it writes the line in the log and the metrics, and exports the spans later.
 */
import { callerRequestId, requestIdHeader } from "../aip/request_id.ts";
import type { Env } from "../config.ts";
import { codeOfStatus, isFault } from "../telemetry/codes.ts";
import { logRequest } from "../telemetry/log.ts";
import { writeRequestPoints } from "../telemetry/metrics.ts";
import { beginTrace } from "../telemetry/request_trace.ts";
import type { Trace } from "../telemetry/trace.ts";
import { traceparentHeader, traceparentOf, tracestateHeader } from "../telemetry/trace_context.ts";
import type { Execution } from "./runtime.ts";
import { readableConfig, TracedExecution } from "./traced_execution.ts";

/**
 * The Content-Security-Policy of a response that is not a page. A browser that opens it runs no script, loads nothing,
 * and gives it an origin of its own. Bytes that people store are on the host of the console if the platform has only
 * one host.
 */
const inertPolicy = "sandbox; default-src 'none'";

type Fetch = (request: Request, env: Env, execution: Execution) => Promise<Response>;

/**
 * Creates the `fetch` of a Worker, such as `registry`. The headers of the request that the handler receives always have
 * an id and the place in the trace, and every response has the id. Browsers take the type of a response from its
 * header, and never guess it from the bytes (Fetch standard, X-Content-Type-Options). A response without a
 * Content-Security-Policy of its own gets one that allows nothing. Within the whole platform as one Worker, the trace
 * has begun when the `fetch` of a domain is called.
 */
export const workerFetch =
  (worker: string, handler: Fetch): Fetch =>
  async (request, env, execution) => {
    if (execution.trace)
      return addHeaders(await handler(request, env, execution), execution.trace.requestId);
    const config = readableConfig(env);
    const trace = beginTrace(request.headers, callerRequestId(request.headers), config);
    const traced = new TracedExecution(execution, trace);
    let status = 500;
    try {
      const response = await handler(withTrace(request, trace), env, traced);
      status = response.status;
      return addHeaders(response, trace.requestId);
    } finally {
      end(traced, { worker, method: request.method, status, env });
      traced.exportLater(config, worker, isFault(trace.facts.code));
    }
  };

interface Ending {
  worker: string;
  method: string;
  status: number;
  env: Env;
}

/** Writes what is known about the request, and keeps its span. */
function end(execution: TracedExecution, { worker, method, status, env }: Ending): void {
  const { trace } = execution;
  const { facts, costs, context, parentSpanId, requestId, start } = trace;
  if (facts.code === "") facts.code = codeOfStatus(status);
  const ended = { worker, status, duration: Date.now() - start };
  execution.afterResponse(() => {
    logRequest(trace, ended);
    writeRequestPoints(env, trace, ended);
  });
  if (!trace.records) return;
  trace.keepOwn({
    traceId: context.traceId,
    spanId: context.spanId,
    parentSpanId,
    name: facts.operation,
    kind: "server",
    start,
    end: Date.now(),
    isFailed: isFault(facts.code),
    describe: () => ({
      "http.request.method": method,
      "http.response.status_code": status,
      "platform.request_id": requestId,
      "platform.class": facts.class,
      "platform.code": facts.code,
      "platform.caller": facts.caller || undefined,
      "platform.organization": facts.organization || undefined,
      "platform.d1.round_trips": costs.roundTrips,
      "platform.d1.rows_read": costs.rowsRead,
      "platform.d1.rows_written": costs.rowsWritten,
    }),
  });
}

/** The request with the headers of its id and of its trace. */
function withTrace(request: Request, { requestId, context, state }: Trace): Request {
  const copy = new Request(request);
  copy.headers.set(requestIdHeader, requestId);
  copy.headers.set(traceparentHeader, traceparentOf(context));
  if (state === "") copy.headers.delete(tracestateHeader);
  else copy.headers.set(tracestateHeader, state);
  return copy;
}

function addHeaders(response: Response, id: string): Response {
  try {
    return setHeaders(response, id);
  } catch {
    // The headers of a fetched response are immutable.
    return setHeaders(new Response(response.body, response), id);
  }
}

function setHeaders(response: Response, id: string): Response {
  const { headers } = response;
  headers.set(requestIdHeader, id);
  headers.set("x-content-type-options", "nosniff");
  if (!headers.has("content-security-policy")) headers.set("content-security-policy", inertPolicy);
  return response;
}
