/** google.rpc.Code by number (https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto). */
const names = [
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
];
/** Any refusal. Its subclasses have a name for each code, and what the details of that code say. */
export class PlatformError extends Error {
    name = "PlatformError";
    /** `NOT_FOUND`. */
    code;
    /** HTTP status; 0 where there was no answer. */
    status;
    /** As google.rpc.Status has them. */
    details;
    /** The reason of the ErrorInfo, for programs: `INVALID_ARGUMENT`. */
    reason;
    /** The domain of the ErrorInfo: `registry.platform.example`. */
    domain;
    /** Milliseconds to wait before the call is sent again, where the answer tells. */
    retryAfter;
    constructor(told) {
        super(told.message, told.cause === undefined ? undefined : { cause: told.cause });
        this.code = told.code;
        this.status = told.status;
        this.details = told.details ?? [];
        const info = this.detail("google.rpc.ErrorInfo");
        this.reason = text(info?.reason) ?? told.reason;
        this.domain = text(info?.domain);
        this.retryAfter = told.retryAfter;
    }
    /**
     * The first detail of a type, `google.rpc.BadRequest`; undefined where there is none. Types of the platform have
     * the operator's name in front, which need not be given: `platform.iam.v2.TermsNotAcceptedDetail`.
     */
    detail(type) {
        return this.details.find(({ "@type": url }) => {
            const name = url.replace("type.googleapis.com/", "");
            return name === type || (type.startsWith("platform.") && name.endsWith(`.${type}`));
        });
    }
}
const text = (value) => (typeof value === "string" ? value : undefined);
const list = (value) => (Array.isArray(value) ? value : []);
/** 400: a field cannot be read, or breaks its rules. */
export class InvalidArgument extends PlatformError {
    name = "InvalidArgument";
    fieldViolations = list(this.detail("google.rpc.BadRequest")?.fieldViolations).map(({ field = "", description = "" }) => ({ field, description }));
}
/** 404: you may see the place, and it is empty. */
export class NotFound extends PlatformError {
    name = "NotFound";
    resourceType = text(this.detail("google.rpc.ResourceInfo")?.resourceType);
    resourceName = text(this.detail("google.rpc.ResourceInfo")?.resourceName);
}
/** 409: the name is taken. */
export class AlreadyExists extends PlatformError {
    name = "AlreadyExists";
    resourceType = text(this.detail("google.rpc.ResourceInfo")?.resourceType);
    resourceName = text(this.detail("google.rpc.ResourceInfo")?.resourceName);
}
/** 403: a capability is not held; the same whether the resource exists or not. */
export class PermissionDenied extends PlatformError {
    name = "PermissionDenied";
}
/** 401: no token, or one that proves nothing. */
export class Unauthenticated extends PlatformError {
    name = "Unauthenticated";
}
/** 400: something stands in the way. */
export class FailedPrecondition extends PlatformError {
    name = "FailedPrecondition";
    violations = list(this.detail("google.rpc.PreconditionFailure")?.violations).map(({ type = "", subject = "", description = "" }) => ({ type, subject, description }));
    /** Documents that the operator wants accepted before: `client.terms.acceptTerms`. */
    missingTerms = list(this.detail("platform.iam.v2.TermsNotAcceptedDetail")?.missing).map(({ id = "", label = "", url = "" }) => ({ id, label, url }));
}
/** 429: too much, or too soon again; with the reason STORAGE_FULL, no storage left to write to. */
export class ResourceExhausted extends PlatformError {
    name = "ResourceExhausted";
}
/** 409: others kept changing it; nothing was written. */
export class Aborted extends PlatformError {
    name = "Aborted";
}
/** 501: not served. */
export class Unimplemented extends PlatformError {
    name = "Unimplemented";
}
/** 500: the platform's to mend. */
export class Internal extends PlatformError {
    name = "Internal";
}
/** 503: something does not answer for now. */
export class Unavailable extends PlatformError {
    name = "Unavailable";
}
/** Nobody answers, not in time, or what answers is no platform. `status` is 0 without an answer. */
export class Unreachable extends PlatformError {
    name = "Unreachable";
    constructor(message, { status = 0, cause } = {}) {
        super({ code: "UNREACHABLE", status, message, cause });
    }
}
/** A page token lives three days: the list would have started over from its beginning. */
export class PageTokenExpired extends PlatformError {
    name = "PageTokenExpired";
    constructor() {
        const message = "The page token has expired: list again from the beginning.";
        super({ code: "PAGE_TOKEN_EXPIRED", status: 200, message });
    }
}
const classes = {
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
export const toError = (told) => new (classes[told.code] ?? PlatformError)(told);
/** The code of that number, or of that name in small letters, as Connect has it. */
export function codeOf(value) {
    if (typeof value === "number")
        return names[value];
    const name = typeof value === "string" ? value.toUpperCase() : "";
    // Connect spells this one with a single L.
    return name === "CANCELED" ? "CANCELLED" : names.find((one) => one === name);
}
/** What a status means where the answer has no code. */
export function codeOfStatus(status) {
    const found = {
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
