/** The names of google.rpc.Code, by which the log and the metrics count responses. */

/** The names in the order of their numbers. */
const names = [
  ...["OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND"],
  ...["ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION"],
  ...["ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS"],
  "UNAUTHENTICATED",
];

/** The name of a code, such as `NOT_FOUND`. */
export const codeName = (code: number): string => names[code] ?? "UNKNOWN";

/** The codes of statuses that routes without RPCs return. */
const byStatus: Record<number, string> = {
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  405: "UNIMPLEMENTED",
  409: "ALREADY_EXISTS",
  416: "OUT_OF_RANGE",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  501: "UNIMPLEMENTED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

/** The name of the code that an HTTP status stands for. */
export function codeOfStatus(status: number): string {
  if (status < 400) return "OK";
  return byStatus[status] ?? (status < 500 ? "INVALID_ARGUMENT" : "INTERNAL");
}

/** Whether a code is the fault of the platform, and not of the caller. */
export const isFault = (code: string): boolean =>
  ["UNKNOWN", "DEADLINE_EXCEEDED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS"].includes(code);
