/** What a call can end in besides its answer. */
import type { JsonObject } from "./operation.ts";

/** google.rpc.Code by number (https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto). */
const codeNames = [
  "OK",
  "CANCELLED",
  "UNKNOWN",
  "INVALID_ARGUMENT",
  "DEADLINE_EXCEEDED",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION",
  "ABORTED",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
  "UNAUTHENTICATED",
] as const;

/** A status of the platform, or one of the client's own: nobody answers, or a page token is too old. */
export type Code = (typeof codeNames)[number] | "UNREACHABLE" | "PAGE_TOKEN_EXPIRED";

/** A detail of an error: `@type` names its kind, such as `type.googleapis.com/google.rpc.ErrorInfo`. */
export type Detail = { "@type": string } & JsonObject;

/** What is known of an error. */
export interface ErrorInit {
  code: Code;
  status: number;
  message: string;
  details?: Detail[];
  /** Milliseconds that the answer asks to wait before the call is sent again. */
  retryAfter?: number | undefined;
  /** Where there is no ErrorInfo among the details. */
  reason?: string;
  cause?: unknown;
}

/** Any refusal. Its subclasses have a name for each code, and what the details of that code say. */
export class PlatformError extends Error {
  override name = "PlatformError";
  /** `NOT_FOUND`. */
  readonly code: Code;
  /** HTTP status; 0 where there was no answer. */
  readonly status: number;
  /** As google.rpc.Status has them. */
  readonly details: Detail[];
  /** The reason of the ErrorInfo, for programs: `INVALID_ARGUMENT`. */
  readonly reason: string | undefined;
  /** The domain of the ErrorInfo: `registry.platform.example`. */
  readonly domain: string | undefined;
  /** Milliseconds to wait before the call is sent again, where the answer tells. */
  readonly retryAfter: number | undefined;

  constructor(init: ErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.code = init.code;
    this.status = init.status;
    this.details = init.details ?? [];
    const info = this.detail("google.rpc.ErrorInfo");
    this.reason = text(info?.reason) ?? init.reason;
    this.domain = text(info?.domain);
    this.retryAfter = init.retryAfter;
  }

  /**
   * The first detail of a type, `google.rpc.BadRequest`; undefined where there is none. Types of the platform have
   * the operator's name in front, which need not be given: `platform.iam.v2.TermsNotAcceptedDetail`.
   */
  detail(type: string): Detail | undefined {
    return this.details.find(({ "@type": url }) => {
      const name = url.replace("type.googleapis.com/", "");
      return name === type || (type.startsWith("platform.") && name.endsWith(`.${type}`));
    });
  }
}

const text = (value: unknown) => (typeof value === "string" ? value : undefined);

/** A field that cannot be read, or breaks its rules. */
export interface FieldViolation {
  /** Path in the words of the protos: `claim_match.issuer`. */
  field: string;
  description: string;
}

/** What stands in the way. */
export interface Violation {
  /** `RESOURCE_NOT_EMPTY`. */
  type: string;
  subject: string;
  description: string;
}

const list = <T>(value: unknown) => (Array.isArray(value) ? (value as T[]) : []);

/** 400: a field cannot be read, or breaks its rules. */
export class InvalidArgument extends PlatformError {
  override name = "InvalidArgument";
  readonly fieldViolations = list<FieldViolation>(
    this.detail("google.rpc.BadRequest")?.fieldViolations,
  ).map(({ field = "", description = "" }) => ({ field, description }));
}

/** 404: you may see the place, and it is empty. */
export class NotFound extends PlatformError {
  override name = "NotFound";
  readonly resourceType = text(this.detail("google.rpc.ResourceInfo")?.resourceType);
  readonly resourceName = text(this.detail("google.rpc.ResourceInfo")?.resourceName);
}

/** 409: the name is taken. */
export class AlreadyExists extends PlatformError {
  override name = "AlreadyExists";
  readonly resourceType = text(this.detail("google.rpc.ResourceInfo")?.resourceType);
  readonly resourceName = text(this.detail("google.rpc.ResourceInfo")?.resourceName);
}

/** 403: a capability is not held; the same whether the resource exists or not. */
export class PermissionDenied extends PlatformError {
  override name = "PermissionDenied";
}

/** 401: no token, or one that proves nothing. */
export class Unauthenticated extends PlatformError {
  override name = "Unauthenticated";
}

/** 400: something stands in the way. */
export class FailedPrecondition extends PlatformError {
  override name = "FailedPrecondition";
  readonly violations = list<Violation>(
    this.detail("google.rpc.PreconditionFailure")?.violations,
  ).map(({ type = "", subject = "", description = "" }) => ({ type, subject, description }));
  /** Documents that the operator wants accepted before: `client.terms.acceptTerms`. */
  readonly missingTerms = list<Term>(
    this.detail("platform.iam.v2.TermsNotAcceptedDetail")?.missing,
  ).map(({ id = "", label = "", url = "" }) => ({ id, label, url }));
}

/** A document that has to be accepted first. */
export interface Term {
  id: string;
  label: string;
  url: string;
}

/** 429: too much, or too soon again; with the reason STORAGE_FULL, no storage left to write to. */
export class ResourceExhausted extends PlatformError {
  override name = "ResourceExhausted";
}

/** 409: others kept changing it; nothing was written. */
export class Aborted extends PlatformError {
  override name = "Aborted";
}

/** 501: not served. */
export class Unimplemented extends PlatformError {
  override name = "Unimplemented";
}

/** 500: the platform's to mend. */
export class Internal extends PlatformError {
  override name = "Internal";
}

/** 503: something does not answer for now. */
export class Unavailable extends PlatformError {
  override name = "Unavailable";
}

/** Nobody answers, not in time, or what answers is no platform. `status` is 0 without an answer. */
export class Unreachable extends PlatformError {
  override name = "Unreachable";

  constructor(message: string, { status = 0, cause }: { status?: number; cause?: unknown } = {}) {
    super({ code: "UNREACHABLE", status, message, cause });
  }
}

/** A page token lives three days: the list would have started over from its beginning. */
export class PageTokenExpired extends PlatformError {
  override name = "PageTokenExpired";

  constructor() {
    const message = "The page token has expired: list again from the beginning.";
    super({ code: "PAGE_TOKEN_EXPIRED", status: 200, message });
  }
}

const classes: Partial<Record<Code, new (init: ErrorInit) => PlatformError>> = {
  INVALID_ARGUMENT: InvalidArgument,
  NOT_FOUND: NotFound,
  ALREADY_EXISTS: AlreadyExists,
  PERMISSION_DENIED: PermissionDenied,
  UNAUTHENTICATED: Unauthenticated,
  FAILED_PRECONDITION: FailedPrecondition,
  RESOURCE_EXHAUSTED: ResourceExhausted,
  ABORTED: Aborted,
  UNIMPLEMENTED: Unimplemented,
  INTERNAL: Internal,
  UNAVAILABLE: Unavailable,
};

/** The error of the class that its code has. */
export const toError = (init: ErrorInit): PlatformError =>
  new (classes[init.code] ?? PlatformError)(init);

/** The code of that number, or of that name in small letters, as Connect has it. */
export function codeOf(value: unknown): Code | undefined {
  if (typeof value === "number") return codeNames[value];
  const name = typeof value === "string" ? value.toUpperCase() : "";
  // Connect spells this one with a single L.
  return name === "CANCELED" ? "CANCELLED" : codeNames.find((one) => one === name);
}

/** What a status means where the answer has no code. */
export function codeOfHttpStatus(status: number): Code {
  const found: Record<number, Code> = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    405: "UNIMPLEMENTED",
    409: "ALREADY_EXISTS",
    413: "INVALID_ARGUMENT",
    414: "INVALID_ARGUMENT",
    429: "RESOURCE_EXHAUSTED",
    501: "UNIMPLEMENTED",
    502: "UNAVAILABLE",
    503: "UNAVAILABLE",
    504: "UNAVAILABLE",
  };
  return found[status] ?? (status >= 500 ? "INTERNAL" : "UNKNOWN");
}
