/** Why D1 could not do its work, by the words that it gives. */

/**
 * Storage: a local disk (SQLITE_FULL), or the limit of a database or of the account
 * (https://developers.cloudflare.com/d1/observability/debug-d1/). The whole batch was rolled back.
 */
const storageFullPattern = /^(?:database or disk is full|Exceeded maximum (?:DB|account stor))/;

/**
 * The database is overloaded, was reset or cannot be reached (same page). workerd gives a failed
 * commit, and a database that it cannot open, as an internal error with nothing but a reference.
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

/** What stands before: of D1, and of a local one, which writes a bookmark with each batch. */
const prefixPattern = /^(?:D1_[A-Z_]*ERROR: )?(?:Failed to get session commit token: )?/;

/** A batch failed for a reason of the database, not of its statements. */
export class DatabaseFailure extends Error {
  readonly kind: "full" | "unavailable";

  constructor(kind: "full" | "unavailable", cause: Error) {
    super(cause.message, { cause });
    this.kind = kind;
  }
}

/** An error of D1 as a DatabaseFailure where it is one, else as it is. */
export function toDatabaseFailure(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const text = thrown.message.replace(prefixPattern, "");
  if (storageFullPattern.test(text)) return new DatabaseFailure("full", thrown);
  return unavailablePattern.test(text) ? new DatabaseFailure("unavailable", thrown) : thrown;
}

/** The DatabaseFailure that an error is, or that caused it: drizzle wraps what it is thrown. */
export function findDatabaseFailure(thrown: unknown): DatabaseFailure | undefined {
  for (let at = thrown; at instanceof Error; at = at.cause) {
    if (at instanceof DatabaseFailure) return at;
  }
  return undefined;
}

/**
 * What the log says of an error: its stack, and those of what caused it, without the values of a query.
 * drizzle puts all of them into its message, and D1 the one that it cannot store; they may be secrets.
 */
export function logText(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `a ${typeof thrown} was thrown`;
  const { message, stack = "", cause } = thrown;
  const words = message
    .replace(/^(Failed query: .*?)\nparams: .*$/s, "$1")
    .replace(/ for value '.*'$/s, "");
  const calls = stack.includes(message) ? stack.slice(stack.indexOf(message) + message.length) : "";
  const text = `${thrown.name}: ${words}${calls}`;
  return cause === undefined ? text : `${text}\ncaused by ${logText(cause)}`;
}
