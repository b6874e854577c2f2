/** What a command ends with when it does not succeed: a message to act on and an exit code. */
import { constants } from "node:os";
import { codeOf, PlatformError } from "../client/errors.ts";
import { BootstrapError } from "./bootstrap.ts";

/** Exit codes of the programs in this folder. `--help` of platformctl lists them. */
export const exitCodes = { refused: 1, usage: 2, unreachable: 3, badInput: 4 } as const;

/** A google.rpc detail in JSON: `@type` and the fields of that message. */
export type Detail = { "@type": string } & Record<string, unknown>;

/** `code` is a name of google.rpc.Code where the platform answered; else USAGE, UNREACHABLE or such. */
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

/** The person stopped the command, or gave no answer: nothing is said, and the code is 128 + the signal. */
export class Cancelled extends Error {
  override name = "Cancelled";
  readonly exitCode: number;
  constructor(signal: "SIGINT" | "SIGTERM" | "SIGHUP") {
    super(`stopped by ${signal}`);
    this.exitCode = 128 + constants.signals[signal];
  }
}

/** Something to tell the user as it stands, without a stack. */
export class StateError extends Error {
  override name = "StateError";
}

/** The command was not written as it should be, or its input cannot be read. */
export const usageFailure = (message: string) => new Failure(exitCodes.usage, "USAGE", message);

/** It cannot be done as things are. `code` is for programs, in capitals. */
export const refusedFailure = (code: string, message: string) =>
  new Failure(exitCodes.refused, code, message);

/** Nothing answers at an address, or something that is no platform. */
export const unreachableFailure = (message: string) =>
  new Failure(exitCodes.unreachable, "UNREACHABLE", message);

/** Any thrown value as a Failure. `url` is the platform that was called. Rethrows Cancelled and what is a bug. */
export function toFailure(thrown: unknown, url = "the platform"): Failure {
  if (thrown instanceof Failure) return thrown;
  if (thrown instanceof StateError) return refusedFailure("STATE", thrown.message);
  if (thrown instanceof BootstrapError) return usageFailure(thrown.message);
  if (thrown instanceof Error && "code" in thrown && thrown.code === "ENOSPC") {
    return refusedFailure(
      "DISK",
      `The disk is full: ${thrown.message}. Make room, then run it again.`,
    );
  }
  const why = networkCause(thrown);
  if (why)
    return unreachableFailure(
      `No answer from ${url} (${why}). Is it running, and is the address right?`,
    );
  if (thrown instanceof PlatformError) return refusal(thrown, url);
  throw thrown;
}

/** A refusal that came as the JSON of a google.rpc.Status, or as anything else with that status. */
export function toStatusFailure(httpStatus: number, body: string, url: string): Failure {
  try {
    const { code, message, details } = JSON.parse(body) as Record<string, unknown>;
    if (typeof code === "number" && typeof message === "string") {
      const list = Array.isArray(details) ? (details as Detail[]) : [];
      return new Failure(exitCodes.refused, codeOf(code) ?? "UNKNOWN", message, list);
    }
  } catch {
    // Not JSON: falls through to what can be said of it.
  }
  return unreachableFailure(
    `${url} answers with HTTP ${httpStatus}, and not as the platform does.`,
  );
}

/** What one field or precondition is refused for, for every one that the details tell of. */
export function failureViolations(failure: Failure): { field: string; description: string }[] {
  return failure.details.flatMap((detail) => {
    const list = detail.fieldViolations ?? detail.violations ?? detail.missing ?? [];
    if (!Array.isArray(list)) return [];
    return list.map((one: Record<string, unknown>) => ({
      field: String(one.field ?? one.type ?? one.id ?? ""),
      description: String(one.description ?? [one.label, one.url].filter(Boolean).join(" ")),
    }));
  });
}

/** What to do about failures that do not say so themselves. */
const nextSteps: Partial<Record<string, string>> = {
  UNAUTHENTICATED: "To log in again: platformctl auth login --org NAME",
  PERMISSION_DENIED: "Who you are and what you may do: platformctl whoami",
  UNREACHABLE: "To start a platform here: npm start. To use another: PLATFORM_URL=https://…",
};

/** The failure as lines of text. What the message says already is not said again. */
export function failureText(failure: Failure): string {
  const [first, ...notes] = failure.message.split("\n");
  const lines = [`error: ${first} (${failure.code})`, ...notes];
  for (const { field, description } of failureViolations(failure)) {
    if (!failure.message.includes(description)) lines.push(`  ${field}: ${description}`);
  }
  const next = nextSteps[failure.code];
  // Whoever names a command already knows better.
  if (next && !failure.message.includes("platformctl")) lines.push(`  ${next}`);
  return `${lines.join("\n")}\n`;
}

/** The failure as one JSON document. */
export const failureJson = ({ code, message, details }: Failure) =>
  `${JSON.stringify({ error: { code, message, details } })}\n`;

function refusal(error: PlatformError, url: string): Failure {
  const { code, message, details, reason } = error;
  if (code === "UNREACHABLE") return unreachableFailure(message);
  // A proxy says so as well, in words of its own: the platform adds details, its registry a reason.
  const isProxied = code === "UNAVAILABLE" && details.length === 0 && reason === undefined;
  if (isProxied)
    return unreachableFailure(`${url} does not answer as the platform does: ${message}`);
  return new Failure(exitCodes.refused, code, message, details);
}

const networkCodes =
  /^(ECONN[A-Z]+|ENOTFOUND|EAI_[A-Z]+|ETIMEDOUT|E(HOST|NET)UNREACH|UND_ERR_\w+|ERR_(SSL|TLS)_\w+|\w*CERT\w*|UNABLE_TO_\w+)$/;

/** What the network said, or undefined if the error came from elsewhere. */
function networkCause(thrown: unknown): string | undefined {
  for (let at = thrown; at instanceof Error; at = at.cause) {
    const code = "code" in at ? at.code : undefined;
    if (typeof code === "string" && networkCodes.test(code)) return code;
    if (at instanceof AggregateError && at.errors.length > 0) {
      const inner = networkCause(at.errors[0]);
      if (inner) return inner;
    }
  }
  if (!(thrown instanceof TypeError) || thrown.message !== "fetch failed") return undefined;
  return thrown.cause instanceof Error ? thrown.cause.message : thrown.message;
}
