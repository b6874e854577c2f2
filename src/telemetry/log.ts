/**
 * The log: each line is a JSON object. Nothing else in src writes to the console. No line has a token, a body, an email
 * address or a value of a query. The tests look for them in everything that any platform logs (test/world/logs.ts).
 */
import type { EndedRequest, Trace } from "./trace.ts";

export type LogLevel = "info" | "warn" | "error";

/** The names of the methods of the console, which decide the level in Workers Logs. */
const methods = { info: "log", warn: "warn", error: "error" } as const;

/** Writes a line. Fields that are empty or undefined are left out. */
export function logLine(
  level: LogLevel,
  message: string,
  fields: Record<string, string | number | undefined> = {},
): void {
  const known = Object.entries(fields).filter(([, value]) => value !== "" && value !== undefined);
  const line = { level, message, time: new Date().toISOString(), ...Object.fromEntries(known) };
  console[methods[level]](JSON.stringify(line));
}

/** The message of the line about a request. */
export const requestMessage = "request";

/** Writes the line about a request that is over. It always has the same fields, even if some are empty. */
export function logRequest(trace: Trace, { worker, status, duration }: EndedRequest): void {
  const { facts, costs, context, requestId } = trace;
  const line = {
    level: "info",
    message: requestMessage,
    time: new Date().toISOString(),
    requestId,
    traceId: context.traceId,
    worker,
    operation: facts.operation,
    class: facts.class,
    code: facts.code,
    status,
    duration,
    caller: facts.caller,
    organization: facts.organization,
    roundTrips: costs.roundTrips,
    rowsRead: costs.rowsRead,
    rowsWritten: costs.rowsWritten,
  };
  console.log(JSON.stringify(line));
}
