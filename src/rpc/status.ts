/** The one place where an error meets the wire. */
import { create, createRegistry, toJson } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  BadRequestSchema,
  type ErrorInfo,
  ErrorInfoSchema,
  PreconditionFailureSchema,
  type ResourceInfo,
  ResourceInfoSchema,
} from "../../schema/gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "../../schema/gen/google/rpc/status_pb.js";
import { TermsNotAcceptedDetailSchema as TermsV1Schema } from "../../schema/gen/platform/iam/terms_pb.js";
import { TermsNotAcceptedDetailSchema } from "../../schema/gen/platform/iam/v2/terms_pb.js";
import { databaseUnavailable, internal, storageFull } from "../aip/errors.ts";
import { ConfigError } from "../config.ts";
import { findFailure, logged } from "./database_failure.ts";

/** google.rpc.Code to HTTP (contract: errors). */
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

const registry = createRegistry(
  ErrorInfoSchema,
  BadRequestSchema,
  ResourceInfoSchema,
  PreconditionFailureSchema,
  TermsNotAcceptedDetailSchema,
  TermsV1Schema,
);

/** What the log says before the error itself. */
const headlines = {
  full: "The platform's storage is full: nothing is written until there is room.",
  unavailable: "The database is overloaded, was reset or failed. On a local disk: is there room?",
};

/**
 * Any thrown value as the error a client gets. What our constructors did not make is logged; it
 * becomes STORAGE_FULL or DATABASE_UNAVAILABLE where D1 could not work, else INTERNAL. A wrong
 * configuration is named, since nothing works until it is mended.
 */
export function toStatus(thrown: unknown): ConnectError {
  if (thrown instanceof ConnectError) return thrown;
  const original = logged(thrown);
  const failure = findFailure(thrown);
  console.error(failure ? `${headlines[failure.kind]}\n${original}` : original);
  if (failure) return failure.kind === "full" ? storageFull() : databaseUnavailable();
  if (thrown instanceof ConfigError) return new ConnectError(thrown.message, Code.Internal);
  return internal();
}

/**
 * Puts the service domain into ErrorInfo (`iam.<service domain>`, and the service domain alone where `domain`
 * is empty: an error of no domain's) and ResourceInfo types.
 */
export function complete(error: ConnectError, domain: string, serviceDomain: string): ConnectError {
  for (const detail of error.details) {
    if (!("desc" in detail)) continue;
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

/** The error with the details of version 1 where the versions have messages of their own. */
export function toldByV1(error: ConnectError): ConnectError {
  for (const detail of error.details) {
    const isTerms =
      "desc" in detail && detail.desc.typeName === TermsNotAcceptedDetailSchema.typeName;
    if (isTerms) detail.desc = TermsV1Schema;
  }
  return error;
}

/** A google.rpc.Status in JSON, as REST answers it. */
export function toResponse(error: ConnectError, headers: Headers): Response {
  const status = create(StatusSchema, {
    code: error.code,
    message: error.rawMessage,
    details: error.details.flatMap((detail) =>
      "desc" in detail ? [anyPack(detail.desc, create(detail.desc, detail.value as never))] : [],
    ),
  });
  headers.set("content-type", "application/json");
  if (error.code === Code.Unauthenticated) {
    const text = error.rawMessage.replace(/[^\x20-\x7e]|["\\]/g, "");
    headers.set("www-authenticate", `Bearer error="invalid_token", error_description="${text}"`);
  }
  const json = toJson(StatusSchema, status, { registry }) as {
    details?: Record<string, unknown>[];
  };
  json.details = json.details?.map((detail) => ({ "@type": detail["@type"], ...detail })) ?? [];
  return new Response(JSON.stringify(json), {
    status: httpStatus[error.code],
    headers,
  });
}
