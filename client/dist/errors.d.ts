/** What a call can end in besides its answer. */
import type { JsonObject } from "./operation.ts";
/** google.rpc.Code by number (https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto). */
declare const names: readonly ["OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED"];
/** A status of the platform, or one of the client's own: nobody answers, or a page token is too old. */
export type Code = (typeof names)[number] | "UNREACHABLE" | "PAGE_TOKEN_EXPIRED";
/** A detail of an error: `@type` names its kind, such as `type.googleapis.com/google.rpc.ErrorInfo`. */
export type Detail = {
    "@type": string;
} & JsonObject;
/** What is known of an error. */
export interface Told {
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
export declare class PlatformError extends Error {
    name: string;
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
    constructor(told: Told);
    /**
     * The first detail of a type, `google.rpc.BadRequest`; undefined where there is none. Types of the platform have
     * the operator's name in front, which need not be given: `platform.iam.v2.TermsNotAcceptedDetail`.
     */
    detail(type: string): Detail | undefined;
}
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
/** 400: a field cannot be read, or breaks its rules. */
export declare class InvalidArgument extends PlatformError {
    name: string;
    readonly fieldViolations: {
        field: string;
        description: string;
    }[];
}
/** 404: you may see the place, and it is empty. */
export declare class NotFound extends PlatformError {
    name: string;
    readonly resourceType: string | undefined;
    readonly resourceName: string | undefined;
}
/** 409: the name is taken. */
export declare class AlreadyExists extends PlatformError {
    name: string;
    readonly resourceType: string | undefined;
    readonly resourceName: string | undefined;
}
/** 403: a capability is not held; the same whether the resource exists or not. */
export declare class PermissionDenied extends PlatformError {
    name: string;
}
/** 401: no token, or one that proves nothing. */
export declare class Unauthenticated extends PlatformError {
    name: string;
}
/** 400: something stands in the way. */
export declare class FailedPrecondition extends PlatformError {
    name: string;
    readonly violations: {
        type: string;
        subject: string;
        description: string;
    }[];
    /** Documents that the operator wants accepted before: `client.terms.acceptTerms`. */
    readonly missingTerms: {
        id: string;
        label: string;
        url: string;
    }[];
}
/** A document that has to be accepted first. */
export interface Term {
    id: string;
    label: string;
    url: string;
}
/** 429: too much, or too soon again; with the reason STORAGE_FULL, no storage left to write to. */
export declare class ResourceExhausted extends PlatformError {
    name: string;
}
/** 409: others kept changing it; nothing was written. */
export declare class Aborted extends PlatformError {
    name: string;
}
/** 501: not served. */
export declare class Unimplemented extends PlatformError {
    name: string;
}
/** 500: the platform's to mend. */
export declare class Internal extends PlatformError {
    name: string;
}
/** 503: something does not answer for now. */
export declare class Unavailable extends PlatformError {
    name: string;
}
/** Nobody answers, not in time, or what answers is no platform. `status` is 0 without an answer. */
export declare class Unreachable extends PlatformError {
    name: string;
    constructor(message: string, { status, cause }?: {
        status?: number;
        cause?: unknown;
    });
}
/** A page token lives three days: the list would have started over from its beginning. */
export declare class PageTokenExpired extends PlatformError {
    name: string;
    constructor();
}
/** The error of the class that its code has. */
export declare const toError: (told: Told) => PlatformError;
/** The code of that number, or of that name in small letters, as Connect has it. */
export declare function codeOf(value: unknown): Code | undefined;
/** What a status means where the answer has no code. */
export declare function codeOfStatus(status: number): Code;
export {};
