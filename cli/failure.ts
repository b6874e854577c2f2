/** How a command fails: a message that says what to do, and an exit code. */
import { constants } from "node:os";
import { codeOf, PlatformError } from "../client/errors.ts";
import { BootstrapError } from "./bootstrap.ts";

/** Exit codes of the programs in this folder. `platformctl --help` lists them. */
export const exitCodes = { refused: 1, usage: 2, unreachable: 3, badInput: 4 } as const;

/** A google.rpc detail in JSON: `@type`, and the fields of that message. */
export type Detail = { "@type": string } & Record<string, unknown>;

/**
 * `code` is a name of google.rpc.Code if the platform returned the error. Otherwise it is a name such as USAGE or
 * UNREACHABLE.
 */
export class Failure extends Error {
  override name = "Failure";
  readonly exitCode: number;
  readonly code: string;
  readonly details: Detail[];
  constructor(exitCode: number, code: string, message: string, details: Detail[] = []) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
    this.details = details;
  }
}

/**
 * The user stopped the command or gave no answer. The command prints nothing and exits with 128 plus the number of the
 * signal.
 */
export class Cancelled extends Error {
  override name = "Cancelled";
  readonly exitCode: number;
  constructor(signal: "SIGINT" | "SIGTERM" | "SIGHUP") {
    super(`stopped by ${signal}`);
    this.exitCode = 128 + constants.signals[signal];
  }
}

/** A message that the user sees unchanged and without a stack trace. */
export class StateError extends Error {
  override name = "StateError";
}

/** Whether an error of the system has this code, such as ENOENT. */
export const hasCode = (thrown: unknown, code: string): boolean =>
  thrown instanceof Error && "code" in thrown && thrown.code === code;

/** Returns the message of a thrown value. */
export const reasonOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);

/** Returns a Failure for a command line that is wrong, or for input that cannot be read. */
export const usageFailure = (message: string) => new Failure(exitCodes.usage, "USAGE", message);

/** Returns a Failure for a command that is not possible in the current state. `code` is for programs, in capitals. */
export const refusedFailure = (code: string, message: string) =>
  new Failure(exitCodes.refused, code, message);

/** Returns a Failure for an address where nothing responds, or where something other than a platform responds. */
export const unreachableFailure = (message: string) =>
  new Failure(exitCodes.unreachable, "UNREACHABLE", message);

/**
 * Turns any thrown value into a Failure. `url` is the platform that was called. Rethrows Cancelled, and every error
 * that is a bug.
 */
export function toFailure(thrown: unknown, url = "the platform"): Failure {
  if (thrown instanceof Failure) return thrown;
  if (thrown instanceof StateError) return refusedFailure("STATE", thrown.message);
  if (thrown instanceof BootstrapError) return usageFailure(thrown.message);
  if (hasCode(thrown, "ENOSPC")) {
    return refusedFailure(
      "DISK",
      `The disk is full: ${reasonOf(thrown)}. Free some space and run the command again.`,
    );
  }
  const why = networkCause(thrown);
  if (why)
    return unreachableFailure(
      `There was no response from ${url} (${why}). Check that the platform is running and that the address is right.`,
    );
  if (thrown instanceof PlatformError) return refusal(thrown, url);
  throw thrown;
}

/** Returns a Failure for an error response, whether its body is the JSON of a google.rpc.Status or anything else. */
export function toStatusFailure(httpStatus: number, body: string, url: string): Failure {
  try {
    const { code, message, details } = JSON.parse(body) as Record<string, unknown>;
    if (typeof code === "number" && typeof message === "string") {
      const list = Array.isArray(details) ? (details as Detail[]) : [];
      return new Failure(exitCodes.refused, codeOf(code) ?? "UNKNOWN", message, list);
    }
  } catch {
    // The body is not JSON. The failure below describes it.
  }
  return unreachableFailure(
    `${url} returned HTTP ${httpStatus} with a body that is not from the platform. Check the address.`,
  );
}

/** Returns the fields and the preconditions that the details of a failure complain about. */
export function failureViolations(failure: Failure): { field: string; description: string }[] {
  return failure.details.flatMap((detail) => {
    const list = detail.fieldViolations ?? detail.violations ?? detail.missing ?? [];
    if (!Array.isArray(list)) return [];
    return list.map((violation: Record<string, unknown>) => ({
      field: String(violation.field ?? violation.type ?? violation.id ?? ""),
      description: String(
        violation.description ?? [violation.label, violation.url].filter(Boolean).join(" "),
      ),
    }));
  });
}

/** Whether the failure is that of a rate limit, for which the command has waited as long as it may. */
const isRateLimited = ({ details }: Failure) =>
  details.some((detail) => detail.reason === "RATE_LIMITED");

const requestInfoType = "type.googleapis.com/google.rpc.RequestInfo";

/** Returns the id of the request that failed, for people who look into the logs of the platform. */
function requestIdIn(details: Detail[]): string | undefined {
  const info = details.find((detail) => detail["@type"] === requestInfoType);
  return typeof info?.requestId === "string" ? info.requestId : undefined;
}

/** Returns the id of the decision that refused access, which an owner can look up. */
function decisionIdIn(details: Detail[]): string | undefined {
  const info = details.find(
    (detail) => detail["@type"] === "type.googleapis.com/google.rpc.ErrorInfo",
  );
  const { decision_id: id } = (info?.metadata ?? {}) as Record<string, unknown>;
  return typeof id === "string" ? id : undefined;
}

/** Advice for failures whose messages contain none. */
const nextSteps: Partial<Record<string, string>> = {
  UNAUTHENTICATED: "To log in again, run: platformctl auth login --org NAME",
  PERMISSION_DENIED: "To see who you are and what you may do, run: platformctl whoami",
  UNREACHABLE:
    "To start a platform here, run: npm start. To use another one, set PLATFORM_URL=https://…",
};

/** Returns the failure as lines of text. Violations that the message already contains are left out. */
export function failureText(failure: Failure): string {
  // A message can be that of a registry.
  const [first, ...notes] = failure.message.replace(/[^\P{Cc}\n\t]+/gu, " ").split("\n");
  const lines = [`error: ${first} (${failure.code})`, ...notes];
  for (const { field, description } of failureViolations(failure)) {
    if (!failure.message.includes(description)) lines.push(`  ${field}: ${description}`);
  }
  const next = isRateLimited(failure)
    ? "The limit is still reached after the wait. Run the command again later, or run fewer commands at the same time."
    : nextSteps[failure.code];
  // A message that names a command already gives better advice.
  if (next && !failure.message.includes("platformctl")) lines.push(`  ${next}`);
  const decision = decisionIdIn(failure.details);
  if (decision !== undefined) {
    lines.push(`  An owner can find out why: platformctl access why --decision ${decision}`);
  }
  const requestId = requestIdIn(failure.details);
  if (requestId !== undefined) lines.push(`  request id: ${requestId}`);
  return `${lines.map(withoutPattern).join("\n")}\n`;
}

/** The platform ends a rule in words with the regular expression, which is for programs. */
const withoutPattern = (line: string) =>
  line.replace(/ \([\w.[\]-]+ must match "(?:[^"\\]|\\.)*"\)/g, "");

/** Returns the failure as a JSON document. */
export const failureJson = ({ code, message, details }: Failure) =>
  `${JSON.stringify({ error: { code, message, details } })}\n`;

function refusal(error: PlatformError, url: string): Failure {
  const { code, message, details, reason } = error;
  if (code === "UNREACHABLE") return unreachableFailure(message);
  // A proxy can also return this code. The platform always adds details to it, and its registry adds a reason.
  const isProxied = code === "UNAVAILABLE" && details.length === 0 && reason === undefined;
  if (isProxied)
    return unreachableFailure(`The response of ${url} is not from a platform: ${message}`);
  return new Failure(exitCodes.refused, code, message, withRequestInfo(error));
}

/** The details of an error with the id of its request. Errors of the registry host have that only in a header. */
function withRequestInfo({ details, requestId }: PlatformError): Detail[] {
  if (requestId === undefined || requestIdIn(details) !== undefined) return details;
  return [...details, { "@type": requestInfoType, requestId }];
}

const networkCodes =
  /^(ECONN[A-Z]+|ENOTFOUND|EAI_[A-Z]+|ETIMEDOUT|E(HOST|NET)UNREACH|UND_ERR_\w+|ERR_(SSL|TLS)_\w+|\w*CERT\w*|UNABLE_TO_\w+)$/;

/** Returns the code of a network error, or undefined if the error has another cause. */
function networkCause(thrown: unknown): string | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const code = "code" in error ? error.code : undefined;
    if (typeof code === "string" && networkCodes.test(code)) return code;
    if (error instanceof AggregateError && error.errors.length > 0) {
      const inner = networkCause(error.errors[0]);
      if (inner) return inner;
    }
  }
  if (!(thrown instanceof TypeError) || thrown.message !== "fetch failed") return undefined;
  return thrown.cause instanceof Error ? thrown.cause.message : thrown.message;
}
