/** The errors of a call. */
import type { JsonObject } from "./operation.ts";

/**
 * The names of google.rpc.Code by number (https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto).
 */
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

/**
 * A status code of the platform, or one of the client's own codes: there was no response, or a page token has expired.
 */
export type Code = (typeof codeNames)[number] | "UNREACHABLE" | "PAGE_TOKEN_EXPIRED";

/** A detail of an error. `@type` names its type, such as `type.googleapis.com/google.rpc.ErrorInfo`. */
export type Detail = { "@type": string } & JsonObject;

/** The properties of an error. */
export interface ErrorInit {
  code: Code;
  status: number;
  message: string;
  details?: Detail[];
  /** How many milliseconds the response asks you to wait before the next attempt. */
  retryAfter?: number | undefined;
  /** The id of the request, from the header of the response. */
  requestId?: string | undefined;
  /** The reason if the details contain no ErrorInfo. */
  reason?: string;
  cause?: unknown;
}

/** An error from the platform. Each code has a subclass, with properties for the details of that code. */
export class PlatformError extends Error {
  override name = "PlatformError";
  /** The status code, such as `NOT_FOUND`. */
  readonly code: Code;
  /** The HTTP status, or 0 if there was no response. */
  readonly status: number;
  /** The details, as google.rpc.Status contains them. */
  readonly details: Detail[];
  /** The reason in the ErrorInfo, for programs, such as `INVALID_ARGUMENT`. */
  readonly reason: string | undefined;
  /** The domain in the ErrorInfo, such as `registry.platform.example`. */
  readonly domain: string | undefined;
  /** How many milliseconds to wait before the next attempt, if the response says so. */
  readonly retryAfter: number | undefined;
  /** The id of the request, which the platform's logs and events repeat. Undefined if there was no response. */
  readonly requestId: string | undefined;

  constructor(init: ErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.code = init.code;
    this.status = init.status;
    this.details = init.details ?? [];
    const info = this.detail("google.rpc.ErrorInfo");
    this.reason = text(info?.reason) ?? init.reason;
    this.domain = text(info?.domain);
    this.retryAfter = init.retryAfter;
    this.requestId = init.requestId;
  }

  /**
   * Returns the first detail of a type such as `google.rpc.BadRequest`, or undefined. The platform's own types begin
   * with the operator's name, which you can leave out: `platform.iam.v2.TermsNotAcceptedDetail`.
   */
  detail(type: string): Detail | undefined {
    return this.details.find(({ "@type": url }) => {
      const name = url.replace("type.googleapis.com/", "");
      return name === type || (type.startsWith("platform.") && name.endsWith(`.${type}`));
    });
  }
}

const text = (value: unknown) => (typeof value === "string" ? value : undefined);

/** A field that cannot be read or is not valid. */
export interface FieldViolation {
  /** The path of the field as in the protos, such as `claim_match.issuer`. */
  field: string;
  description: string;
}

/** A precondition that is not met. */
export interface Violation {
  /** The type of the violation, such as `RESOURCE_NOT_EMPTY`. */
  type: string;
  subject: string;
  description: string;
}

const list = <T>(value: unknown) => (Array.isArray(value) ? (value as T[]) : []);

/** 400: a field cannot be read or is not valid. */
export class InvalidArgument extends PlatformError {
  override name = "InvalidArgument";
  readonly fieldViolations = list<FieldViolation>(
    this.detail("google.rpc.BadRequest")?.fieldViolations,
  ).map(({ field = "", description = "" }) => ({ field, description }));
}

/** 404: the resource does not exist, and you have the permission to know. */
export class NotFound extends PlatformError {
  override name = "NotFound";
  readonly resourceType = text(this.detail("google.rpc.ResourceInfo")?.resourceType);
  readonly resourceName = text(this.detail("google.rpc.ResourceInfo")?.resourceName);
}

/** 409: the name is already in use. */
export class AlreadyExists extends PlatformError {
  override name = "AlreadyExists";
  readonly resourceType = text(this.detail("google.rpc.ResourceInfo")?.resourceType);
  readonly resourceName = text(this.detail("google.rpc.ResourceInfo")?.resourceName);
}

/** 403: you do not have a required capability. The error is the same whether the resource exists or not. */
export class PermissionDenied extends PlatformError {
  override name = "PermissionDenied";
}

/** 401: there is no token, or the token is not valid. */
export class Unauthenticated extends PlatformError {
  override name = "Unauthenticated";
}

/** 400: a precondition is not met. */
export class FailedPrecondition extends PlatformError {
  override name = "FailedPrecondition";
  readonly violations = list<Violation>(
    this.detail("google.rpc.PreconditionFailure")?.violations,
  ).map(({ type = "", subject = "", description = "" }) => ({ type, subject, description }));
  /** Documents that an organization has to accept first, with `client.terms.acceptTerms`. */
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

/**
 * 429: the request is too large or too frequent. With the reason STORAGE_FULL, the platform has no storage left. With
 * QUOTA_EXCEEDED, the organization has all that its quota allows.
 */
export class ResourceExhausted extends PlatformError {
  override name = "ResourceExhausted";
}

/** 409: other writes changed the resource at the same time. Nothing was written. */
export class Aborted extends PlatformError {
  override name = "Aborted";
}

/** 501: the platform does not serve this call. */
export class Unimplemented extends PlatformError {
  override name = "Unimplemented";
}

/** 500: an error in the platform. */
export class Internal extends PlatformError {
  override name = "Internal";
}

/** 503: a part of the platform is temporarily unavailable. */
export class Unavailable extends PlatformError {
  override name = "Unavailable";
}

/** There was no response in time, or the response is not from a platform. `status` is 0 if there was no response. */
export class Unreachable extends PlatformError {
  override name = "Unreachable";

  constructor(message: string, { status = 0, cause }: { status?: number; cause?: unknown } = {}) {
    super({ code: "UNREACHABLE", status, message, cause });
  }
}

/** The page token is older than three days, so the list would have started again from the beginning. */
export class PageTokenExpired extends PlatformError {
  override name = "PageTokenExpired";

  constructor() {
    const message = "The page token has expired. List again from the beginning.";
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

/** Returns an error of the class for its code. */
export const toError = (init: ErrorInit): PlatformError =>
  new (classes[init.code] ?? PlatformError)(init);

/** Returns the code with that number, or with that name in lowercase, as Connect writes it. */
export function codeOf(value: unknown): Code | undefined {
  if (typeof value === "number") return codeNames[value];
  const name = typeof value === "string" ? value.toUpperCase() : "";
  // Connect spells this code with a single L.
  return name === "CANCELED" ? "CANCELLED" : codeNames.find((codeName) => codeName === name);
}

/** Returns the code for an HTTP status, for a response without a code. */
export function codeOfHttpStatus(status: number): Code {
  const codes: Record<number, Code> = {
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
  return codes[status] ?? (status >= 500 ? "INTERNAL" : "UNKNOWN");
}
