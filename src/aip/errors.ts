/**
 * AIP-193: one constructor for each meaning. Handlers throw nothing else; src/rpc/status.ts puts
 * them on the wire and completes ErrorInfo.domain and the resource type with the service domain.
 */
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  PreconditionFailureSchema,
  ResourceInfoSchema,
} from "../../schema/gen/google/rpc/error_details_pb.js";
import { TermsNotAcceptedDetailSchema } from "../../schema/gen/platform/iam/v2/terms_pb.js";
import { toWellFormed } from "./well_formed.ts";

type Detail = NonNullable<ConstructorParameters<typeof ConnectError>[3]>[number];

/** A field path in proto spelling (`claim_match.issuer`) and what is wrong with it. */
export interface FieldViolation {
  field: string;
  description: string;
}

function refuse(code: Code, reason: string, message: string, ...details: Detail[]): ConnectError {
  const info: Detail = { desc: ErrorInfoSchema, value: create(ErrorInfoSchema, { reason }) };
  // Refusals quote the input. A gRPC trailer cannot carry halves of surrogate pairs.
  const sendable = [info, ...details].map(({ desc, value }) => ({
    desc,
    value: toWellFormed(value),
  }));
  return new ConnectError(message.toWellFormed(), code, undefined, sendable);
}

/** INVALID_ARGUMENT with a BadRequest naming each field; the message names the first. */
export function invalidArguments(violations: FieldViolation[]): ConnectError {
  const first = violations[0] ?? { field: "request", description: "is not valid" };
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

/** NOT_FOUND for a path that no RPC has. */
export const noSuchRoute = (path: string) =>
  refuse(Code.NotFound, "ROUTE_NOT_FOUND", `Not found: no operation at ${path}`);

/** ALREADY_EXISTS with a ResourceInfo of the same form as {@link pathNotFound}. */
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

/** UNAUTHENTICATED: no credential, or one that proves nothing. The text says what is wrong. */
export const unauthenticated = (text: string) =>
  refuse(Code.Unauthenticated, "UNAUTHENTICATED", `Unauthenticated: ${text}`);

/** PERMISSION_DENIED. The text must not depend on whether the resource exists. */
export const permissionDenied = (text: string) =>
  refuse(Code.PermissionDenied, "PERMISSION_DENIED", `Permission denied: ${text}`);

/** Why a call is refused in this state: a type such as RESOURCE_NOT_EMPTY, and the words. */
export interface PreconditionViolation {
  type: string;
  description: string;
  subject?: string;
}

/** FAILED_PRECONDITION with a PreconditionFailure; the message tells the first violation. */
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
 * FAILED_PRECONDITION with the reason LAST_OWNER: the change would leave nobody who could give access to the
 * organization back.
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

const lastOwnerText = "would have no owner left who can come in; bind another owner first";

/** RESOURCE_EXHAUSTED: too soon after the last call of this kind. */
export const resourceExhausted = (text: string) =>
  refuse(Code.ResourceExhausted, "RESOURCE_EXHAUSTED", `Resource exhausted: ${text}`);

/** RESOURCE_EXHAUSTED with the reason STORAGE_FULL: there is no room for what was to be written. */
export const storageFull = () =>
  refuse(
    Code.ResourceExhausted,
    "STORAGE_FULL",
    "Resource exhausted: the platform's storage is full; " +
      "nothing is written until the operator makes room",
  );

/** FAILED_PRECONDITION with a TermsNotAcceptedDetail: the documents to accept first. */
export const termsNotAccepted = (missing: { id: string; label: string; url: string }[]) =>
  refuse(Code.FailedPrecondition, "FAILED_PRECONDITION", "terms not accepted", {
    desc: TermsNotAcceptedDetailSchema,
    value: create(TermsNotAcceptedDetailSchema, { missing }),
  });

/** PERMISSION_DENIED in the words that clients of the token service look for (contract: STS). */
export const upstreamExpired = (expiry: Date) =>
  refuse(
    Code.PermissionDenied,
    "PERMISSION_DENIED",
    `verifying token: oidc: token is expired (Token Expiry: ${expiry.toISOString()})`,
  );

/** ABORTED: the resource kept changing under the call; sending it again is safe. */
export const aborted = (text: string) => refuse(Code.Aborted, "ABORTED", `Aborted: ${text}`);

/** CANCELED: the client left before its request was whole. Nobody receives it, so it has no reason. */
export const clientLeft = () => new ConnectError("the client left", Code.Canceled);

/** UNIMPLEMENTED with the reason. */
export const unimplemented = (text: string) =>
  refuse(Code.Unimplemented, "UNIMPLEMENTED", `Unimplemented: ${text}`);

/** UNAVAILABLE: something this call depends on does not answer now. */
export const unavailable = (text: string) =>
  refuse(Code.Unavailable, "UNAVAILABLE", `Unavailable: ${text}`);

/**
 * UNAVAILABLE with the reason DATABASE_UNAVAILABLE: the database is overloaded, was reset, or fails
 * without saying why. Nobody knows what became of a write.
 */
export const databaseUnavailable = () =>
  refuse(
    Code.Unavailable,
    "DATABASE_UNAVAILABLE",
    "Unavailable: the database does not answer; send a read again after a pause, " +
      "and look before you send a write again, as it may have been done",
  );

/** INTERNAL: ours to mend; the message tells the caller nothing of the inside. */
export const internal = () => refuse(Code.Internal, "INTERNAL", "Internal error");
