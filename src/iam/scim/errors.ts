/** Errors in the form of SCIM (RFC 7644 section 3.12). */
import { Code, ConnectError } from "@connectrpc/connect";
import { exceededKind, isRateLimited } from "../../aip/errors.ts";
import { requestIdOf } from "../../aip/request_id.ts";
import { findDatabaseFailure, logFailure } from "../../rpc/database_failure.ts";
import { toStatus, toStatusResponse } from "../../rpc/status.ts";

/** The keywords of RFC 7644 table 9 that the endpoint uses. */
export type ScimType =
  | "invalidFilter"
  | "invalidPath"
  | "invalidSyntax"
  | "invalidValue"
  | "mutability"
  | "noTarget"
  | "tooMany"
  | "uniqueness";

/** An error with its HTTP status. */
export class ScimError extends Error {
  readonly status: number;
  readonly scimType: ScimType | undefined;
  readonly headers: Record<string, string>;

  constructor(
    status: number,
    detail: string,
    scimType?: ScimType,
    headers: Record<string, string> = {},
  ) {
    super(detail);
    this.status = status;
    this.scimType = scimType;
    this.headers = headers;
  }
}

/** 400 with a keyword. */
export const badRequest = (scimType: ScimType, detail: string) =>
  new ScimError(400, detail, scimType);

const errorSchema = "urn:ietf:params:scim:api:messages:2.0:Error";

export const contentType = "application/scim+json";

/** Converts any thrown value to the error document for the client. Unexpected errors are logged. */
export function toScimErrorResponse(thrown: unknown, requestHeaders: Headers): Response {
  const { status, message, scimType, headers } = toScimError(thrown, requestHeaders);
  const body = {
    schemas: [errorSchema],
    status: String(status),
    ...(scimType ? { scimType } : {}),
    detail: message,
  };
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": contentType, ...headers },
  });
}

function toScimError(thrown: unknown, requestHeaders: Headers): ScimError {
  if (thrown instanceof ScimError) return thrown;
  if (isRateLimited(thrown))
    return new ScimError(429, thrown.rawMessage, undefined, Object.fromEntries(thrown.metadata));
  // The change failed because of other changes in the meantime (src/outbox/commit.ts).
  if (thrown instanceof ConnectError && thrown.code === Code.Aborted) {
    return new ScimError(409, "other calls keep changing the resource; send the request again");
  }
  // Waiting does not help, and clients repeat what gets 429.
  if (exceededKind(thrown) !== undefined)
    return new ScimError(403, (thrown as ConnectError).rawMessage);
  // The values conflict with the current state (RFC 7644 table 9).
  if (thrown instanceof ConnectError && thrown.code === Code.FailedPrecondition) {
    return badRequest("mutability", thrown.rawMessage);
  }
  const isCanceled = thrown instanceof ConnectError && thrown.code === Code.Canceled;
  if (isCanceled || findDatabaseFailure(thrown)) {
    const error = toStatus(thrown, requestHeaders);
    return new ScimError(toStatusResponse(error, new Headers()).status, error.rawMessage);
  }
  logFailure("an unexpected error", thrown, { requestId: requestIdOf(requestHeaders) });
  return new ScimError(500, "internal error");
}
