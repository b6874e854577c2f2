/** The rules for the lines in the log of a platform (src/telemetry/log.ts). */

/** Secrets and values of a caller, which no line has. */
const forbidden: [string, RegExp][] = [
  ["a JWT", /\beyJ[\w-]{8,}\.[\w-]+\./],
  ["an email address", /[\w.+%-]+@[a-z\d-]+(?:\.[a-z\d-]+)*\.[a-z]{2,}\b/i],
  ["an Authorization header", /\b(?:bearer|basic)\s+[\w.~+/=-]{8,}|\bauthorization"?\s*[:=]/i],
  ["a value of a query", /[?&][\w.%-]+=[^\s&"]/],
  ["a private key", /"d"\s*:\s*"[\w-]{20,}"|PRIVATE KEY/],
];

/** The fields of the line about a request. Each has one type. */
export const requestFields: Record<string, "string" | "number"> = {
  time: "string",
  requestId: "string",
  traceId: "string",
  worker: "string",
  operation: "string",
  class: "string",
  code: "string",
  status: "number",
  duration: "number",
  caller: "string",
  organization: "string",
  roundTrips: "number",
  rowsRead: "number",
  rowsWritten: "number",
};

/** Whether a message is the line about a request. It is tested for each, so it does not parse. */
export const isAboutRequest = (message: string): boolean =>
  message.startsWith('{"level":"info","message":"request"');

function parsed(message: string): Record<string, unknown> | undefined {
  try {
    const line: unknown = JSON.parse(message);
    return typeof line === "object" && line !== null ? { ...line } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the fault of a line, or undefined. The runtime writes its own errors, which are not JSON. */
export function logFault({
  level,
  message,
}: {
  level: string;
  message: string;
}): string | undefined {
  const found = forbidden.find(([, pattern]) => pattern.test(message));
  if (found) return `It has ${found[0]}`;
  const line = parsed(message);
  if (!line) return level === "error" ? undefined : "It is not JSON";
  const common = ["level", "message", "time"].find((name) => typeof line[name] !== "string");
  if (common) return `It has no ${common}`;
  if (!isAboutRequest(message)) return undefined;
  const wrong = Object.entries(requestFields).find(([name, type]) => typeof line[name] !== type);
  const further = Object.keys(line).find(
    (name) => !["level", "message"].includes(name) && !requestFields[name],
  );
  return wrong ? `It has no ${wrong[0]}` : further && `It has the unknown field ${further}`;
}
