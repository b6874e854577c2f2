/** Converts errors to their form on the wire. No other file does. */
import {
  create,
  type DescMessage,
  type JsonObject,
  type Message,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  type ErrorInfo,
  ErrorInfoSchema,
  RequestInfoSchema,
  type ResourceInfo,
  ResourceInfoSchema,
} from "../../schema/gen/google/rpc/error_details_pb.js";
import { TermsNotAcceptedDetailSchema as TermsV1Schema } from "../../schema/gen/platform/iam/terms_pb.js";
import { TermsNotAcceptedDetailSchema } from "../../schema/gen/platform/iam/v2/terms_pb.js";
import {
  databaseUnavailable,
  findEtagMismatch,
  internal,
  keyReusedReason,
  organizationMoving,
  storageFull,
  unimplemented,
} from "../aip/errors.ts";
import { requestIdOf } from "../aip/request_id.ts";
import { type Config, ConfigError } from "../config.ts";
import { findDatabaseFailure, logFailure } from "./database_failure.ts";
import { wireName } from "./names.ts";

/** The HTTP status for each google.rpc.Code (contract: errors). */
const httpStatus: Record<Code, number> = {
  [Code.Canceled]: 499,
  [Code.Unknown]: 500,
  [Code.InvalidArgument]: 400,
  [Code.DeadlineExceeded]: 504,
  [Code.NotFound]: 404,
  [Code.AlreadyExists]: 409,
  [Code.PermissionDenied]: 403,
  [Code.ResourceExhausted]: 429,
  [Code.FailedPrecondition]: 400,
  [Code.Aborted]: 409,
  [Code.OutOfRange]: 400,
  [Code.Unimplemented]: 501,
  [Code.Internal]: 500,
  [Code.Unavailable]: 503,
  [Code.DataLoss]: 500,
  [Code.Unauthenticated]: 401,
};

/** The message of a failure in the log. */
const logMessages = {
  full: "The platform's storage is full: nothing can be written until there is room.",
  unavailable:
    "The database is overloaded, was reset or failed. If it is on a local disk, check that there is room.",
};

/** The errors for the client. */
const failureErrors = {
  full: storageFull,
  unavailable: databaseUnavailable,
};

/**
 * Converts any thrown value to the error for the client. An error that none of our constructors created is logged with
 * the id of the request, which `headers` contains. It becomes STORAGE_FULL or DATABASE_UNAVAILABLE if D1 failed, and
 * INTERNAL otherwise. A wrong configuration is named, because nothing works until it is fixed.
 */
export function toStatus(thrown: unknown, headers: Headers): ConnectError {
  if (thrown instanceof ConnectError) return thrown;
  const failure = findDatabaseFailure(thrown);
  // A move is not a fault, so it is not logged.
  if (failure?.kind === "moving") return organizationMoving();
  const message = failure ? logMessages[failure.kind] : "an unexpected error";
  logFailure(message, thrown, { requestId: requestIdOf(headers) });
  if (failure) return failureErrors[failure.kind]();
  if (thrown instanceof ConfigError) return new ConnectError(thrown.message, Code.Internal);
  return internal();
}

/** A detail of an error, and the name of its type on the wire if that differs from the name in the proto. */
interface ErrorDetail {
  desc: DescMessage;
  value: Message;
  type?: string;
}

const detailsOf = ({ details }: ConnectError) =>
  details.filter((detail) => "desc" in detail) as ErrorDetail[];

/**
 * Completes the details of an error. ErrorInfo gets its domain: `iam.<service domain>`, or only the service
 * domain if `domain` is empty. The types in ResourceInfo get it too. The types of our own details get the
 * vendor's name in front. A RequestInfo with the id of the request comes last (AIP-193).
 */
export function completeError(
  error: ConnectError,
  domain: string,
  { serviceDomain, vendor }: Pick<Config, "serviceDomain" | "vendor">,
  requestHeaders: Headers,
): ConnectError {
  error.details.push({
    desc: RequestInfoSchema,
    value: create(RequestInfoSchema, { requestId: requestIdOf(requestHeaders) }),
  });
  for (const detail of detailsOf(error)) {
    const type = wireName(detail.desc.typeName, vendor);
    if (type !== detail.desc.typeName) detail.type = type;
    if (detail.desc.typeName === ErrorInfoSchema.typeName) {
      (detail.value as ErrorInfo).domain =
        domain === "" ? serviceDomain : `${domain}.${serviceDomain}`;
    }
    if (detail.desc.typeName === ResourceInfoSchema.typeName) {
      const info = detail.value as ResourceInfo;
      info.resourceType = info.resourceType.replace(/^([a-z]+)\//, `$1.${serviceDomain}/`);
    }
  }
  return error;
}

/** The error with the details of version 1, if the versions have different messages. */
export function withV1Details(error: ConnectError): ConnectError {
  for (const detail of error.details) {
    const isTerms =
      "desc" in detail && detail.desc.typeName === TermsNotAcceptedDetailSchema.typeName;
    if (isTerms) detail.desc = TermsV1Schema;
  }
  return error;
}

/** A detail in JSON, without its type. */
// Casts here and below, because the descriptor and the value of a detail have lost their connection.
const detailJson = ({ desc, value }: ErrorDetail) =>
  toJson(desc, create(desc, value as never)) as JsonObject;

/** 405 for a path that only supports the methods in `allow`, such as `GET, HEAD`. `domain` is that of the error. */
export function methodNotAllowed(
  { method, headers: sent }: Request,
  path: string,
  allow: string,
  domain: string,
  config: Config,
): Response {
  const error = unimplemented(`${method} ${path}; this path supports ${allow}`);
  const completed = completeError(error, domain, config, sent);
  const { body, headers } = toStatusResponse(completed, new Headers({ allow }));
  return new Response(body, { status: 405, headers });
}

/** A google.rpc.Status in JSON, as REST returns it. */
export function toStatusResponse(error: ConnectError, headers: Headers): Response {
  headers.set("content-type", "application/json");
  for (const [name, value] of error.metadata) headers.set(name, value);
  if (error.code === Code.Unauthenticated) {
    const text = error.rawMessage.replace(/[^\x20-\x7e]|["\\]/g, "");
    headers.set("www-authenticate", `Bearer error="invalid_token", error_description="${text}"`);
  }
  const details = detailsOf(error).map((detail) => ({
    "@type": `type.googleapis.com/${detail.type ?? detail.desc.typeName}`,
    ...detailJson(detail),
  }));
  const status = { code: error.code, message: error.rawMessage, details };
  return new Response(JSON.stringify(status), { status: statusOf(error), headers });
}

/** RFC 9110 has a status of its own for `If-Match`, and the draft of `Idempotency-Key` for a key with another request. */
function statusOf(error: ConnectError): number {
  if (findEtagMismatch(error)) return 412;
  return reasonOf(error) === keyReusedReason ? 422 : httpStatus[error.code];
}

const reasonOf = (error: ConnectError): string | undefined => {
  const info = detailsOf(error).find(({ desc }) => desc.typeName === ErrorInfoSchema.typeName);
  return (info?.value as ErrorInfo | undefined)?.reason;
};

/** Makes Connect-ES send the details under their names on the wire. It would use the names of the protos. */
export function withWireDetailNames(error: ConnectError): ConnectError {
  for (const detail of detailsOf(error)) {
    const { desc, value, type } = detail;
    if (type === undefined) continue;
    const sent = {
      type,
      value: toBinary(desc, create(desc, value as never)),
      debug: detailJson(detail),
    };
    error.details[error.details.indexOf(detail)] = sent;
  }
  return error;
}
