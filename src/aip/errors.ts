/**
 * The errors of the API (AIP-193), with one constructor for each meaning. Handlers throw no others.
 * src/rpc/status.ts writes them on the wire, and adds the service domain to ErrorInfo.domain and to the
 * resource type.
 */
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { type RateLimit, ratePeriod, rateRule } from "../../schema/deployment/rate_limits.ts";
import {
  BadRequestSchema,
  type ErrorInfo,
  ErrorInfoSchema,
  PreconditionFailureSchema,
  QuotaFailureSchema,
  ResourceInfoSchema,
  RetryInfoSchema,
} from "../../schema/gen/google/rpc/error_details_pb.js";
import { TermsNotAcceptedDetailSchema } from "../../schema/gen/platform/iam/v2/terms_pb.js";
import { toWellFormed } from "./well_formed.ts";

type Detail = NonNullable<ConstructorParameters<typeof ConnectError>[3]>[number];

/** The path of a field as in the proto (`claim_match.issuer`), and a description of its problem. */
export interface FieldViolation {
  field: string;
  description: string;
}

function refuse(code: Code, reason: string, message: string, ...details: Detail[]): ConnectError {
  const info: Detail = { desc: ErrorInfoSchema, value: create(ErrorInfoSchema, { reason }) };
  // An error can quote the input, and a gRPC trailer cannot contain half of a surrogate pair.
  const sendable = [info, ...details].map(({ desc, value }) => ({
    desc,
    value: toWellFormed(value),
  }));
  return new ConnectError(message.toWellFormed(), code, undefined, sendable);
}

/** INVALID_ARGUMENT with a BadRequest that lists each field. The message contains the first violation. */
export function invalidArguments(violations: FieldViolation[]): ConnectError {
  const first = violations[0] ?? { field: "request", description: "request is not valid" };
  return refuse(
    Code.InvalidArgument,
    "INVALID_ARGUMENT",
    `Invalid argument: ${first.field}: ${first.description}`,
    { desc: BadRequestSchema, value: create(BadRequestSchema, { fieldViolations: violations }) },
  );
}

/** INVALID_ARGUMENT for one field. */
export const invalidArgument = (field: string, description: string) =>
  invalidArguments([{ field, description }]);

/** NOT_FOUND with a ResourceInfo. `type` is `<domain>/<Resource>`, such as `registry/Repo`. */
export function notFound(type: string, name: string): ConnectError {
  const resource = type.slice(type.indexOf("/") + 1);
  return refuse(Code.NotFound, "NOT_FOUND", `Not found: ${resource} ${name}`, {
    desc: ResourceInfoSchema,
    value: create(ResourceInfoSchema, {
      resourceType: type,
      resourceName: name,
      description: `${resource} does not exist`,
    }),
  });
}

/** NOT_FOUND for a path without an operation. */
export const noSuchRoute = (path: string) =>
  refuse(Code.NotFound, "ROUTE_NOT_FOUND", `Not found: no operation at ${path}`);

/** ALREADY_EXISTS with a ResourceInfo of the same form as that of {@link notFound}. */
export function alreadyExists(type: string, name: string): ConnectError {
  const resource = type.slice(type.indexOf("/") + 1);
  return refuse(Code.AlreadyExists, "ALREADY_EXISTS", `Already exists: ${resource} ${name}`, {
    desc: ResourceInfoSchema,
    value: create(ResourceInfoSchema, {
      resourceType: type,
      resourceName: name,
      description: `${resource} already exists`,
    }),
  });
}

/** UNAUTHENTICATED: the credential is missing or invalid. The text says why. */
export const unauthenticated = (text: string) =>
  refuse(Code.Unauthenticated, "UNAUTHENTICATED", `Unauthenticated: ${text}`);

/** PERMISSION_DENIED. The text must be the same whether or not the resource exists. */
export const permissionDenied = (text: string) =>
  refuse(Code.PermissionDenied, "PERMISSION_DENIED", `Permission denied: ${text}`);

/** Why a call fails in the current state: a type, such as RESOURCE_NOT_EMPTY, and a description. */
export interface PreconditionViolation {
  type: string;
  description: string;
  subject?: string;
}

/** FAILED_PRECONDITION with a PreconditionFailure. The message contains the first violation. */
export function failedPreconditions(violations: PreconditionViolation[]): ConnectError {
  return refuse(
    Code.FailedPrecondition,
    "FAILED_PRECONDITION",
    `Precondition failed: ${violations[0]?.description ?? ""}`,
    {
      desc: PreconditionFailureSchema,
      value: create(PreconditionFailureSchema, { violations }),
    },
  );
}

/** FAILED_PRECONDITION for one violation. */
export const failedPrecondition = (type: string, description: string, subject = "") =>
  failedPreconditions([{ type, description, subject }]);

/**
 * FAILED_PRECONDITION with the reason LAST_OWNER: after the change, no one could restore access to the
 * organization.
 */
export const lastOwner = (organization: string) =>
  refuse(
    Code.FailedPrecondition,
    "LAST_OWNER",
    `Precondition failed: organization ${organization} ${lastOwnerText}`,
    {
      desc: PreconditionFailureSchema,
      value: create(PreconditionFailureSchema, {
        violations: [
          {
            type: "LAST_OWNER",
            description: `organization ${organization} ${lastOwnerText}`,
            subject: organization,
          },
        ],
      }),
    },
  );

const lastOwnerText =
  "would have no owner left who can act in it; make someone else an owner first";

/** RESOURCE_EXHAUSTED: the call came too early, or its result is too large. */
export const resourceExhausted = (text: string) =>
  refuse(Code.ResourceExhausted, "RESOURCE_EXHAUSTED", `Resource exhausted: ${text}`);

/** RESOURCE_EXHAUSTED with the reason STORAGE_FULL: there is no room for the rows to write. */
export const storageFull = () =>
  refuse(
    Code.ResourceExhausted,
    "STORAGE_FULL",
    "Resource exhausted: the platform's storage is full; " +
      "nothing can be written until the operator makes room",
  );

/**
 * RESOURCE_EXHAUSTED with the reason RATE_LIMITED: nothing was done, and the call may succeed later. The metadata are the
 * headers of the response (RFC 9110 section 10.2.3, draft-ietf-httpapi-ratelimit-headers).
 */
export function rateLimited(reached: RateLimit & { retryAfterSeconds: number }): ConnectError {
  const { rateClass, holder, limit, retryAfterSeconds: seconds } = reached;
  const policy = `${rateClass}-${holder}`;
  const rule = rateRule(reached);
  const error = refuse(
    Code.ResourceExhausted,
    "RATE_LIMITED",
    `Resource exhausted: the rate limit is ${rule}; send the call again in ${seconds} s`,
    {
      desc: RetryInfoSchema,
      value: create(RetryInfoSchema, { retryDelay: { seconds: BigInt(seconds) } }),
    },
    {
      desc: QuotaFailureSchema,
      value: create(QuotaFailureSchema, { violations: [{ subject: policy, description: rule }] }),
    },
  );
  error.metadata.set("retry-after", String(seconds));
  error.metadata.set("ratelimit-policy", `"${policy}";q=${limit};w=${ratePeriod}`);
  error.metadata.set("ratelimit", `"${policy}";r=0;t=${seconds}`);
  return error;
}

/** Whether an error comes from {@link rateLimited}. Its metadata are then headers for the response. */
export const isRateLimited = (thrown: unknown): thrown is ConnectError =>
  thrown instanceof ConnectError && thrown.metadata.has("ratelimit");

/** A quota that a call would exceed. `use` is the number that the call would have led to. */
export interface ExceededQuota {
  /** The kind as the database names it: `open_uploads`. */
  kind: string;
  limit: number;
  use: number;
  /** The uid of the organization. Empty for the organizations that one person owns. */
  organization: string;
}

/** The reason of {@link overQuota}. */
export const QUOTA_EXCEEDED = "QUOTA_EXCEEDED";

/** RESOURCE_EXHAUSTED with the reason QUOTA_EXCEEDED and a QuotaFailure: an organization would have too much of a kind. */
export function overQuota({ kind, limit, use, organization }: ExceededQuota): ConnectError {
  const holder = organization === "" ? "one person" : `organization ${organization}`;
  const text = `${holder} may have at most ${limit} ${kind.replaceAll("_", " ")}, and this call would make it ${use}`;
  return refuse(
    Code.ResourceExhausted,
    QUOTA_EXCEEDED,
    `Resource exhausted: ${text}; delete some, or ask the operator for a higher quota`,
    {
      desc: QuotaFailureSchema,
      value: create(QuotaFailureSchema, {
        violations: [
          {
            subject: organization === "" ? "person" : `organization:${organization}`,
            description: `quota ${kind}: limit ${limit}, use ${use}`,
          },
        ],
      }),
    },
  );
}

/** The kind of quota that {@link overQuota} names. Undefined for another error. */
export function exceededKind(thrown: unknown): string | undefined {
  if (!(thrown instanceof ConnectError) || thrown.code !== Code.ResourceExhausted) return undefined;
  const [failure] = thrown.findDetails(QuotaFailureSchema);
  const [, kind] = /^quota (\w+):/.exec(failure?.violations[0]?.description ?? "") ?? [];
  return kind;
}

/** FAILED_PRECONDITION with a TermsNotAcceptedDetail that lists the documents to accept first. */
export const termsNotAccepted = (missing: { id: string; label: string; url: string }[]) =>
  refuse(Code.FailedPrecondition, "FAILED_PRECONDITION", "terms not accepted", {
    desc: TermsNotAcceptedDetailSchema,
    value: create(TermsNotAcceptedDetailSchema, { missing }),
  });

/** PERMISSION_DENIED in the words that clients of the token service expect (contract: STS). */
export const upstreamExpired = (expiry: Date) =>
  refuse(
    Code.PermissionDenied,
    "PERMISSION_DENIED",
    `${expiredText} (Token Expiry: ${expiry.toISOString()})`,
  );

const expiredText = "verifying token: oidc: token is expired";

/** Whether an error comes from {@link upstreamExpired}. */
export const isUpstreamExpired = (thrown: unknown): boolean =>
  thrown instanceof ConnectError && thrown.rawMessage.startsWith(expiredText);

/** ABORTED: other calls kept changing the resource. The client can safely send the call again. */
export const aborted = (text: string) => refuse(Code.Aborted, "ABORTED", `Aborted: ${text}`);

/** INVALID_ARGUMENT with the reason IDEMPOTENCY_KEY_REUSED, which has the HTTP status 422. */
export const keyReused = () =>
  refuse(Code.InvalidArgument, keyReusedReason, `Invalid argument: ${keyField}: ${keyReusedText}`, {
    desc: BadRequestSchema,
    value: create(BadRequestSchema, {
      fieldViolations: [{ field: keyField, description: keyReusedText }],
    }),
  });

export const keyReusedReason = "IDEMPOTENCY_KEY_REUSED";

const keyField = "idempotency-key";

const keyReusedText =
  "this key was sent with another request in the last 24 hours; send a new key with a new request";

/** ABORTED with the reason IDEMPOTENCY_KEY_IN_USE: an equal call has written, and has no answer yet. */
export const callRunning = () =>
  refuse(
    Code.Aborted,
    "IDEMPOTENCY_KEY_IN_USE",
    "Aborted: a call with the same idempotency-key is still running; send it again to get its answer",
  );

/** FAILED_PRECONDITION: a repeated call has taken effect before, but its answer cannot be given again. */
export const answerNotKept = (why: string) =>
  failedPrecondition(
    "ANSWER_NOT_KEPT",
    `the call with this idempotency-key has taken effect, but ${why}; read what it has written`,
  );

/**
 * ABORTED with the reason ETAG_MISMATCH: the resource is not the one whose etag the caller sent. The metadata has the
 * current etag, unless the resource does not exist.
 */
export function etagMismatch(type: string, name: string, current: string | undefined) {
  const resource = `${type.slice(type.indexOf("/") + 1)} ${name}`;
  const text =
    current === undefined
      ? `${resource} does not exist`
      : `${resource} does not match your etag; its etag is now ${current}; read it again`;
  const error = refuse(Code.Aborted, etagMismatchReason, `Aborted: ${text}`);
  const info = errorInfoOf(error);
  if (info && current !== undefined) info.metadata.etag = current;
  return error;
}

const etagMismatchReason = "ETAG_MISMATCH";

/** Whether the error says that an etag did not match, and the current etag. */
export function findEtagMismatch(error: ConnectError): { current: string | undefined } | undefined {
  const info = errorInfoOf(error);
  return info?.reason === etagMismatchReason ? { current: info.metadata.etag } : undefined;
}

function errorInfoOf({ details }: ConnectError): ErrorInfo | undefined {
  const found = details.find(
    (detail) => "desc" in detail && detail.desc.typeName === ErrorInfoSchema.typeName,
  );
  // A cast, because the descriptor and the value of a detail have lost their connection.
  return found && "value" in found ? (found.value as ErrorInfo) : undefined;
}

/** CANCELED: the client left before it had sent its whole request. No one receives this error. */
export const clientLeft = () => new ConnectError("the client left", Code.Canceled);

/** UNIMPLEMENTED: the platform does not serve the call. The text says why. */
export const unimplemented = (text: string) =>
  refuse(Code.Unimplemented, "UNIMPLEMENTED", `Unimplemented: ${text}`);

/** UNAVAILABLE: the call depends on a server that cannot be reached now. */
export const unavailable = (text: string) =>
  refuse(Code.Unavailable, "UNAVAILABLE", `Unavailable: ${text}`);

/**
 * UNAVAILABLE with the reason ORGANIZATION_MOVING: the operator moves the organization to another database, and for
 * seconds it accepts no writes.
 */
export const organizationMoving = () =>
  refuse(
    Code.Unavailable,
    "ORGANIZATION_MOVING",
    "Unavailable: the organization is moving to another database; " +
      "nothing was written; send the call again after a few seconds",
  );

/**
 * UNAVAILABLE with the reason DATABASE_UNAVAILABLE: the database is overloaded, was reset, or fails without
 * a known cause. A write may or may not have been committed.
 */
export const databaseUnavailable = () =>
  refuse(
    Code.Unavailable,
    "DATABASE_UNAVAILABLE",
    "Unavailable: the database does not respond; send a read again after a pause; " +
      "before you send a write again, check whether it took effect",
  );

/** INTERNAL: a fault of the platform. The message reveals no details. */
export const internal = () => refuse(Code.Internal, "INTERNAL", "Internal error");
