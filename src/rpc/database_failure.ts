/** Recognizes by its message why D1 failed. */
import { logLine } from "../telemetry/log.ts";

/**
 * Storage is full: the local disk (SQLITE_FULL), or the limit of a database or of the account
 * (https://developers.cloudflare.com/d1/observability/debug-d1/). The whole batch was rolled back.
 */
const storageFullPattern = /^(?:database or disk is full|Exceeded maximum (?:DB|account stor))/;

/**
 * The database is overloaded, was reset or cannot be reached (same page). For a failed commit, and for a
 * database that it cannot open, workerd reports an internal error with only a reference.
 */
const unavailablePattern = new RegExp(
  [
    "^(?:D1 DB('s)? (?:is overloaded|reset|storage operation|isolate|exceeded)",
    "Internal error (?:while starting up|in) D1 DB",
    "Cannot resolve D1 DB",
    "Network connection lost",
    "Can't read from request stream",
    "internal error; reference = ",
    "database is locked",
    "disk I/O error)",
  ].join("|"),
);

/** A trigger refuses a write of an organization that leaves this database (cli/move/changes.ts). */
const movingPattern = /organization is leaving/;

/** The prefix of a message: that of D1, and that of a local D1, which writes a bookmark with each batch. */
const prefixPattern = /^(?:D1_[A-Z_]*ERROR: )?(?:Failed to get session commit token: )?/;

/** `moving` means that the organization moves to another database, and that nothing was written. */
type FailureKind = "full" | "unavailable" | "moving";

/** A batch failed because of the database, not because of its statements. */
export class DatabaseFailure extends Error {
  readonly kind: FailureKind;

  constructor(kind: FailureKind, cause: Error) {
    super(cause.message, { cause });
    this.kind = kind;
  }
}

/** Writes an error into the log, with its {@link logText}. */
export const logFailure = (
  message: string,
  thrown: unknown,
  { requestId = "", level = "error" }: { requestId?: string; level?: "warn" | "error" } = {},
): void => logLine(level, message, { requestId, error: logText(thrown) });

/** Converts an error of D1 to a DatabaseFailure if it is one. Returns other errors unchanged. */
export function toDatabaseFailure(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const text = thrown.message.replace(prefixPattern, "");
  if (storageFullPattern.test(text)) return new DatabaseFailure("full", thrown);
  if (movingPattern.test(text)) return new DatabaseFailure("moving", thrown);
  return unavailablePattern.test(text) ? new DatabaseFailure("unavailable", thrown) : thrown;
}

/** Finds the DatabaseFailure in an error or in its causes. drizzle wraps the errors that it receives. */
export function findDatabaseFailure(thrown: unknown): DatabaseFailure | undefined {
  for (let cause = thrown; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof DatabaseFailure) return cause;
  }
  return undefined;
}

/**
 * The text of an error for the log: its stack and the stacks of its causes, without the values of a query.
 * The values can be secrets. drizzle puts all of them into its message, and D1 puts in the one that it cannot
 * store.
 */
export function logText(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `a value of the type ${typeof thrown} was thrown`;
  const { message, stack = "", cause } = thrown;
  // A SyntaxError repeats the beginning of the text that is not JSON, which can be the body of a request.
  const words = (thrown instanceof SyntaxError ? "a text cannot be read" : message)
    .replace(/^(Failed query: .*?)\nparams: .*$/s, "$1")
    .replace(/ for value '.*'$/s, "");
  const calls = stack.includes(message) ? stack.slice(stack.indexOf(message) + message.length) : "";
  const text = `${thrown.name}: ${words}${calls}`;
  return cause === undefined ? text : `${text}\ncaused by ${logText(cause)}`;
}
